// Which node is looked at first: YuniKorn's order of nodes by what is used of them. `fair` spreads, `binpacking` fills.
//
// Thread: plain functions, any.
#pragma once

#include "queue_config/model.h"

namespace bayplan::queue_tree {

// The lowest goes first; nodes that score alike go by their names. A resource without a weight does not count, unless none
// has one: then vcore and memory count alike.
double node_score(const queue_config::NodeSortPolicyConfig&, const queue_config::Resources& capacity,
                  const queue_config::Resources& available);

}  // namespace bayplan::queue_tree
