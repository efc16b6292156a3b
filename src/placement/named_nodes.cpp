// See named_nodes.h. A node costs one lane of its block.
#include "placement/named_nodes.h"

#include <algorithm>

namespace bayplan {

NamedNodes::NamedNodes(const BlockEvaluator& evaluator, ClusterSearch& search)
    : evaluator_(evaluator), search_(search), required_counts_(evaluator.predicates().has(PredicateId::node_name)) {}

void NamedNodes::judge(const Subject& subject, const NodeState& nodes, Slot slot) {
    const NodeBlock& block = nodes.block(block_of(slot));
    const NodeMask* mask = subject.cluster.topology.signatures().mask(subject.plan.signature).get();
    const std::uint64_t lane =
        BlockEvaluator::allowed(block_of(slot), mask) & block.present & std::uint64_t{1} << lane_of(slot);
    // Of its terms the signature knows nothing.
    if (lane == 0 || (subject.plan.by_name && !subject.cluster.topology.required_nodes_match(subject.spec, slot))) {
        return;
    }
    if (const NodeKey key = evaluator_.best(subject.ask_class, block, block_of(slot), lane); key != 0) {
        feasible_.push_back(key);
    }
}

NodeKey NamedNodes::find(const Subject& subject, const NodeState& nodes, const ExcludedNodes& excluded) {
    feasible_.clear();
    const auto consider = [&](Slot slot) {
        if (slot != kNone<Slot> && !excluded.contains(slot)) {
            judge(subject, nodes, slot);
        }
    };
    if (subject.plan.by_name) {
        for (const Text name : subject.plan.names.names) {
            consider(subject.cluster.topology.node_named(name));
        }
    } else {
        consider(subject.cluster.topology.node_named(subject.ask_class.required_node));
    }
    if (!feasible_.empty() && search_.depends_on_pods(subject)) {
        return search_.best_among(subject, nodes.block_count(), feasible_);
    }
    return feasible_.empty() ? 0 : *std::max_element(feasible_.begin(), feasible_.end());
}

}  // namespace bayplan
