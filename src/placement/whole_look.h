// All nodes of a class looked at anew, as far as their own columns decide: for callers that need every node's outcome, and for
// nodes beside the best where other pods have a say. It costs all blocks, and leaves what the engine caches as it is.
//
// Thread: the engine's.
#pragma once

#include "placement/block_evaluator.h"
#include "placement/class_cache.h"
#include "topology/cluster_view.h"

namespace bayplan {

// Fills the cache, with columns.
void look_at_all(const Subject&, const BlockEvaluator&, ClassCache&);

}  // namespace bayplan
