// Behind a decision, where explanations were asked for: as the engine explained it, and its pod group. And the explanation of the
// attempt that an engine makes next, for the line that tells of that attempt.
//
// Thread: one. Plain data owns its texts.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "bayplan/daemonset_explanation.h"
#include "bayplan/explanation.h"
#include "engine/engine.h"
#include "sim/engine_session.h"

namespace bayplan::sim {

struct Explained {
    std::optional<Explanation> explanation;
    // With an explanation: the causes of each failure of a node, in their order; and changes that would let the pod fit.
    std::unordered_map<std::string, std::vector<std::string>> causes;
    std::vector<std::string> nearest;
    // With explanations, of a pod that is placed with its group: as that was before the attempt. Each member is told of it, the
    // first one with the list of all.
    std::shared_ptr<const GroupExplanation> group;
    bool first_of_group = false;
    std::optional<DaemonsetExplanation> daemonset;  // if reserved, and explanations were asked for
};

// As an attempt was explained directly before it was made.
struct ExplainedAttempt {
    std::string pod;  // whose; of a group the first that is tried; empty: nothing was explained
    std::optional<Explanation> whole;
    std::optional<Explanation> all;  // with all failures of each node, where that was asked for
    std::optional<Engine::OnItsNode> on_its_node;
};

// `full`: all failing predicates of a node.
ExplainedAttempt explain_next(Engine&, bool full);

// With all failures of each node, if `whole` says that none takes the pod. It is asked for apart: a full diagnosis leaves
// nominated pods out, which the first failure counts.
std::optional<Explanation> all_failures(Engine&, const std::optional<Explanation>& whole, std::string_view pod);

// The line of an attempt that tells of this pod's own; null: none does.
const LogLine* line_of_attempt(const std::vector<LogLine>&, std::string_view pod);

// Of each failure the causes by the engine's own words: it has some for claims on devices.
void take_engines_causes(Explained&);

}  // namespace bayplan::sim
