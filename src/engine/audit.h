// The laws (rules/laws.md) checked against a recount of everything.
//
// Thread: the engine's, between inputs and attempts. Costs a walk over all nodes and asks: for tests, never in the
// scheduling path.
#pragma once

#include <string>
#include <vector>

#include "engine/lifecycle.h"
#include "engine/world.h"
#include "placement/block_evaluator.h"

namespace bayplan {

// Appends one text per broken law. `selected`: asks that a batch under way has taken from the heap.
void audit_world(World&, std::size_t selected, const BlockEvaluator&, std::vector<std::string>& broken);

}  // namespace bayplan
