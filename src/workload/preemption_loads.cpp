// See preemption_loads.h.
#include "workload/preemption_loads.h"

#include <utility>

namespace bayplan::workload {

namespace {

PreemptionLoad full(std::string name, std::uint32_t nodes, std::uint32_t preemptors, std::uint32_t classes,
                    bool uneven = false) {
    PreemptionLoad load;
    load.name = std::move(name);
    load.nodes = nodes;
    load.preemptors = preemptors;
    load.classes = classes;
    load.uneven = uneven;
    return load;
}

}  // namespace

PreemptionLoad basic_preemption(std::string name, std::uint32_t nodes, std::uint32_t preemptors) {
    return {.name = std::move(name),
            .nodes = nodes,
            .preemptors = preemptors,
            .classes = 1,
            .pods_per_node = 4,
            .node_cpu = 4'000,
            .pod_cpu = 900,
            .preemptor_cpu = 3'000,
            .low_priorities = 1};
}

std::vector<PreemptionLoad> preemption_loads(std::uint32_t nodes) {
    const std::string suffix = "/" + std::to_string(nodes) + "Nodes";
    if (nodes >= 100'000) return {full("10Classes" + suffix, nodes, 300, 10), full("Unique" + suffix, nodes, 300, 0)};
    const bool large = nodes >= 5'000;
    const std::uint32_t preemptors = large ? 3'000 : 12;
    return {basic_preemption("PreemptionBasic" + suffix, nodes, large ? nodes : preemptors),
            full("1Class" + suffix, nodes, preemptors, 1), full("10Classes" + suffix, nodes, preemptors, 10),
            full("Unique" + suffix, nodes, preemptors, 0), full("UniqueUneven" + suffix, nodes, preemptors, 0, true)};
}

}  // namespace bayplan::workload
