// Why an ask is where it is: every node's verdict, the scores of those that are feasible, and if there are
// none, where preemption could make room.
//
// Thread: the engine's. Looks at every node; leaves everything as it was.
#pragma once

#include <string_view>

#include "bayplan/explanation.h"
#include "engine/attempts.h"
#include "placement/cluster_search.h"

namespace bayplan {

// `full`: all failing predicates per node, not only the first.
Explanation explain_ask_in_full(World&, Attempts&, const BlockEvaluator&, ClusterSearch&, AskId, bool full);

}  // namespace bayplan
