// Asks for nodes by their names: these nodes are judged, and no other is looked at. A class of them needs no cache, no proposal
// and no signature of its own, so that a cluster may have as many as nodes (pods of a DaemonSet).
//
//   the class's required node     one (NodeName)
//   the plan's names              a few (NodeAffinity by metadata.name; SpecPlan::by_name)
//
// Thread: the engine's. Owner: Pipeline.
#pragma once

#include <vector>

#include "cluster/excluded_nodes.h"
#include "cluster/node_state.h"
#include "placement/block_evaluator.h"
#include "placement/cluster_search.h"

namespace bayplan {

class NamedNodes {
public:
    NamedNodes(const BlockEvaluator& evaluator, ClusterSearch& search);

    // The same for all asks of a class, always.
    bool suits(const AskClass& ask_class, const SpecPlan& plan) const {
        return plan.by_name || (required_counts_ && ask_class.required_node != kNone<NameId>);
    }
    // The best of the named nodes, 0 if none is feasible. If only one is feasible, its key has its own columns' score,
    // without what other pods add.
    NodeKey find(const Subject&, const NodeState&, const ExcludedNodes&);

private:
    void judge(const Subject&, const NodeState&, Slot);

    const BlockEvaluator& evaluator_;
    ClusterSearch& search_;
    const bool required_counts_;     // NodeName is in force
    std::vector<NodeKey> feasible_;  // by their own columns, of the search under way
};

}  // namespace bayplan
