// See named_workloads.h.
#include "workload/named_workloads.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

namespace bayplan::workload {

namespace {

constexpr std::int64_t kMi = std::int64_t{1} << 20;
constexpr std::int64_t kGi = std::int64_t{1} << 30;

// scheduler_perf's initial pods are left out: they only fill the cluster before its clock starts,
// and the measured pods see the same shape without them.
constexpr std::array kWorkloads = {
    NamedWorkload{"SchedulingBasic/500Nodes_1000Pods", "one class, small", 500, 1'000, 0},
    NamedWorkload{"SchedulingBasic/5000Nodes_10000Pods", "one class", 5'000, 10'000, 0},
    NamedWorkload{"SchedulingBasic/5000Nodes_50000Pods", "one class", 5'000, 50'000, 0},
    NamedWorkload{"ManyClasses/500Nodes_2000Pods_50", "50 sizes of pods, small", 500, 2'000, 50},
    NamedWorkload{"ManyClasses/5000Nodes_50000Pods_100", "100 sizes of pods", 5'000, 50'000, 100},
    NamedWorkload{"ManyClasses/5000Nodes_50000Pods_1000", "1,000 sizes of pods", 5'000, 50'000,
                  1'000},
    NamedWorkload{"Overfull/100Nodes_6000Pods", "a third of the pods finds no room", 100, 6'000, 0},
};

// node-default.yaml and pod-default.yaml of scheduler_perf.
Amounts default_node() { return {{"cpu", 4'000}, {"memory", 32 * kGi}, {"pods", 110}}; }
Amounts default_pod() { return {{"cpu", 100}, {"memory", 500 * kMi}, {"pods", 1}}; }

// Sizes between half and one and a half of the default pod, so that the sum stays about the same;
// cpu and memory run against each other so that no class is larger in both. Any two classes
// differ, and the largest number of classes leaves the memory positive.
Amounts pod_of_class(std::uint32_t index, std::uint32_t classes) {
    const std::int64_t cpu = 50 + 100 * std::int64_t{index} / classes;
    const std::int64_t memory =
        750 * kMi - 500 * kMi * std::int64_t{index} / classes - std::int64_t{index} * 1'024;
    return {{"cpu", cpu}, {"memory", memory}, {"pods", 1}};
}

}  // namespace

std::span<const NamedWorkload> named_workloads() { return kWorkloads; }

const NamedWorkload* find_workload(std::string_view name) {
    const auto found = std::ranges::find(kWorkloads, name, &NamedWorkload::name);
    return found == kWorkloads.end() ? nullptr : &*found;
}

Workload make_workload(const NamedWorkload& named) {
    Workload load;
    load.name = named.name;
    load.node_shapes.push_back({"default", default_node()});
    load.nodes.reserve(named.nodes);
    for (std::uint32_t i = 0; i < named.nodes; ++i) {
        load.nodes.push_back({fmt::format("node-{:05}", i), 0});
    }
    if (named.classes == 0) {
        load.pod_shapes.push_back(default_pod());
    }
    for (std::uint32_t i = 0; i < named.classes; ++i) {
        load.pod_shapes.push_back(pod_of_class(i, named.classes));
    }
    const auto shapes = static_cast<std::uint32_t>(load.pod_shapes.size());
    load.pods.reserve(named.pods);
    for (std::uint32_t i = 0; i < named.pods; ++i) {
        load.pods.push_back({fmt::format("pod-{:07}", i), i % shapes});
    }
    return load;
}

}  // namespace bayplan::workload
