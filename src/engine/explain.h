// Why an ask is where it is: every node's verdict, the scores of feasible nodes, and if there are
// none, where preemption could make room and which events would have it tried again.
//
// Thread: the engine's. Looks at every node; leaves everything as it was.
#pragma once

#include <string>

#include "bayplan/explanation.h"
#include "engine/attempts.h"
#include "placement/cluster_search.h"

namespace bayplan {

// `full`: all failing predicates per node, not only the first.
Explanation explain_ask(World&, Attempts&, const BlockEvaluator&, ClusterSearch&, AskId, bool full);

// The reason why an ask waits, without a look at nodes: predicates, credit, time and the events that would wake it.
std::string why_it_waits(const World&, AskId, const PredicateSet&);

}  // namespace bayplan
