// Why an ask is where it is: every node's verdict, and the scores of those that are feasible.
//
// Thread: the engine's. Looks at every node; changes nothing that decides.
#pragma once

#include <string_view>

#include "bayplan/explanation.h"
#include "engine/lifecycle.h"
#include "placement/cluster_search.h"

namespace bayplan {

// `full`: all failing predicates per node, not only the first.
Explanation explain_nodes(World&, Lifecycle&, const BlockEvaluator&, ClusterSearch&, AskId, bool full);

}  // namespace bayplan
