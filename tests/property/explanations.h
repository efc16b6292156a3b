// Explanations of an ask by the engine and by the oracle, compared: what an operator is told is what is decided.
//
// Thread: the caller's.
#pragma once

#include <optional>
#include <string>

#include "bayplan/explanation.h"

namespace bayplan::property {

// The first thing that is not the same, or "": the node that would be taken; a node's verdict, predicate, reasons, scores, total.
std::string differing_explanations(const Explanation& engine, const Explanation& oracle);
// Likewise of a pod group: name, minimum, priority, counts, and the deadline of nodes that its members hold.
std::string differing_groups(const std::optional<GroupExplanation>& engine,
                             const std::optional<GroupExplanation>& oracle);

}  // namespace bayplan::property
