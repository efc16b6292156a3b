// The node sort policy of a partition as what the engine scores nodes by: the form of NodeResourcesFit, and the kinds that it
// looks at, each with its weight. `fair` prefers nodes of which little is used, `binpacking` full ones.
//
// Where it differs from YuniKorn's order: shares of nodes are hundredths, and count beside the other scores that are on.
//
// Thread: any; a pure function.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "options/engine_options.h"
#include "queue_config/model.h"

namespace bayplan::queue_config {

struct NodeScores {
    ScorePolicy score = ScorePolicy::least_allocated;
    std::vector<ScoredResource> resources;  // at least one

    bool operator==(const NodeScores&) const = default;
    bool in_force(const EngineOptions& engine) const {
        return engine.score == score && engine.score_resources == resources;
    }
    void apply(EngineOptions& engine) const {
        engine.score = score;
        engine.score_resources = resources;
    }
};

// None: the file says nothing of it, or, with `why`, what cannot be met: weights are whole numbers to 100 here.
std::optional<NodeScores> node_scores(const NodeSortPolicyConfig&, std::string& why);
// The same of the partition of that name in a queues.yaml. Faults of the text are told where it is loaded; here they count as
// nothing said.
std::optional<NodeScores> node_scores(const std::string& text, std::string_view partition, std::string& why);

}  // namespace bayplan::queue_config
