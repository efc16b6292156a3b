// The laws of the design checked against a recount of everything, and the answer to "why is it pending".
//
// Thread: the engine's, between inputs and attempts. Costs a walk over all nodes and asks: for tests,
// and for an operator's question; never in the scheduling path.
#pragma once

#include <string>
#include <vector>

#include "engine/lifecycle.h"
#include "engine/world.h"
#include "placement/block_evaluator.h"

namespace bayplan {

// Appends one text per broken law. `selected`: asks that a batch under way has taken from the heap.
void audit_world(World&, std::size_t selected, const BlockEvaluator&, std::vector<std::string>& broken);

// What an ask waits for, in terms of nodes, credit, time and what would wake it.
std::string explain_ask(const World&, AskId, bool has_credit, const PredicateSet&);

}  // namespace bayplan
