// See preemption_workload.h.
#include "workload/preemption_workload.h"

#include <fmt/format.h>

#include "workload/bytes.h"

namespace bayplan::workload {

namespace {

constexpr std::int32_t kHigh = 1'000;

std::vector<PreemptionLoad> sendable() {
    std::vector<PreemptionLoad> out;
    for (const std::uint32_t nodes : {500u, 5'000u}) {
        for (PreemptionLoad& load : preemption_loads(nodes)) {
            if (load.name.starts_with("PreemptionBasic")) out.push_back(std::move(load));
        }
    }
    return out;
}

}  // namespace

std::string name_of(const PreemptionLoad& load) {
    const std::string name = load.name.starts_with("Preemption") ? load.name : "Preemption" + load.name;
    return fmt::format("{}_{}Pods", name, load.preemptors);
}

std::vector<std::string> sendable_preemptions() {
    std::vector<std::string> names;
    for (const PreemptionLoad& load : sendable()) names.push_back(name_of(load));
    return names;
}

std::optional<PreemptionLoad> find_preemption(std::string_view name) {
    for (PreemptionLoad& load : sendable()) {
        if (name_of(load) == name) return std::move(load);
    }
    return std::nullopt;
}

Workload make_workload(const PreemptionLoad& load) {
    Workload out;
    out.name = name_of(load);
    out.victims_end = true;
    out.node_shapes = {{"default", {{"cpu", load.node_cpu}, {"memory", 32 * kGi}, {"pods", 110}}}};
    out.pod_shapes = {{{"cpu", load.pod_cpu}, {"memory", 256 * kMi}, {"pods", 1}},
                      {{"cpu", load.preemptor_cpu}, {"memory", 256 * kMi}, {"pods", 1}}};
    for (std::uint32_t node = 0; node < load.nodes; ++node) {
        out.nodes.push_back({fmt::format("node-{:05}", node), 0});
        for (std::uint32_t number = 0; number < load.pods_per_node; ++number) {
            Pod& pod = out.pods.emplace_back(Pod{fmt::format("low-{:05}-{}", node, number), 0});
            pod.runs_on = static_cast<std::int32_t>(node);
        }
    }
    for (std::uint32_t number = 0; number < load.preemptors; ++number) {
        out.pods.push_back({fmt::format("high-{:05}", number), 1, kHigh});
    }
    return out;
}

}  // namespace bayplan::workload
