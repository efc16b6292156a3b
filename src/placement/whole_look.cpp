// See whole_look.h.
#include "placement/whole_look.h"

namespace bayplan {

namespace {

// Nodes that its terms match, which the signature leaves out.
NodeMask named_nodes(const Subject& pod, const NodeMask* mask) {
    NodeMask named(pod.cluster.node_state.block_count(), 0);
    for (const Text name : pod.plan.names.names) {
        const Slot slot = pod.cluster.topology.node_named(name);
        if (slot != kNone<Slot> && pod.cluster.topology.required_nodes_match(pod.spec, slot)) {
            named[block_of(slot)] |= std::uint64_t{1} << lane_of(slot) & BlockEvaluator::allowed(block_of(slot), mask);
        }
    }
    return named;
}

}  // namespace

void look_at_all(const Subject& pod, const BlockEvaluator& evaluator, ClassCache& cache) {
    cache.want_columns(true);
    cache.resize(pod.cluster.node_state.block_count());
    const NodeMask* mask = pod.cluster.topology.signatures().mask(pod.plan.signature).get();
    NodeMask named;
    if (pod.plan.by_name) {
        named = named_nodes(pod, mask);
        mask = &named;
    }
    for (std::uint32_t block = 0; block < cache.block_count(); ++block) {
        evaluator.look(pod.ask_class, pod.cluster.node_state.block(block), block, mask, cache);
    }
}

}  // namespace bayplan
