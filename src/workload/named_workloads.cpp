// See named_workloads.h.
#include "workload/named_workloads.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "workload/bytes.h"

namespace bayplan::workload {

namespace {

// scheduler_perf's names and sizes, and others after their pattern. Its initial pods are left out where they only
// fill the cluster before its clock starts: the measured pods see the same shape without them.
using enum PodPattern;
constexpr std::string_view kYuniKorn = "YuniKorn's: two queues, an application of 5,000 pods in each, alternating";
constexpr std::array kWorkloads = {
    NamedWorkload{"SchedulingBasic/500Nodes_1000Pods", "one class, small", 500, 1'000, 0},
    NamedWorkload{"SchedulingBasic/5000Nodes_10000Pods", "one class", 5'000, 10'000, 0},
    NamedWorkload{"SchedulingBasic/5000Nodes_50000Pods", "one class", 5'000, 50'000, 0},
    NamedWorkload{"SchedulingBasic/5000Nodes_100000Pods", "one class", 5'000, 100'000, 0},
    NamedWorkload{"SchedulingBasic/30000Nodes_30000Pods", "one class", 30'000, 30'000, 0},
    NamedWorkload{"SchedulingBasic/100000Nodes_10000Pods", "one class", 100'000, 10'000, 0},
    NamedWorkload{"ManyClasses/500Nodes_2000Pods_50", "50 sizes of pods, small", 500, 2'000, 50},
    NamedWorkload{"ManyClasses/5000Nodes_50000Pods_100", "100 sizes of pods", 5'000, 50'000, 100},
    NamedWorkload{"ManyClasses/5000Nodes_50000Pods_1000", "1,000 sizes of pods", 5'000, 50'000, 1'000},
    NamedWorkload{"ManyClasses/30000Nodes_30000Pods_1000", "1,000 sizes of pods", 30'000, 30'000, 1'000},
    NamedWorkload{"ManyClasses/100000Nodes_10000Pods_100", "100 sizes of pods", 100'000, 10'000, 100},
    NamedWorkload{"ManyClasses/100000Nodes_10000Pods_1000", "1,000 sizes of pods", 100'000, 10'000, 1'000},
    NamedWorkload{"Mixed/500Nodes_3000Pods_100", "5 types of machines, small", 500, 3'000, 100, {.machines = 5}},
    NamedWorkload{
        "Mixed/5000Nodes_50000Pods_100", "5 types of machines, 100 sizes of pods", 5'000, 50'000, 100, {.machines = 5}},
    NamedWorkload{"Priorities/500Nodes_2000Pods_50", "10 priorities, small", 500, 2'000, 50, {.priorities = 10}},
    NamedWorkload{"Priorities/5000Nodes_50000Pods_1000",
                  "1,000 sizes of pods, 10 priorities",
                  5'000,
                  50'000,
                  1'000,
                  {.priorities = 10}},
    NamedWorkload{"Priorities/100000Nodes_10000Pods_1000",
                  "1,000 sizes of pods, 10 priorities",
                  100'000,
                  10'000,
                  1'000,
                  {.priorities = 10}},
    NamedWorkload{"Unique/500Nodes_3000Pods", "every pod a size of its own, small", 500, 3'000, 3'000},
    NamedWorkload{"Unique/5000Nodes_50000Pods", "every pod a size of its own", 5'000, 50'000, 50'000},
    NamedWorkload{"Unique/30000Nodes_5000Pods", "every pod a size of its own", 30'000, 5'000, 5'000},
    NamedWorkload{"Unique/100000Nodes_1000Pods", "every pod a size of its own", 100'000, 1'000, 1'000},
    NamedWorkload{"Filled/500Nodes_500Pods_95", "nodes 95 % full, small", 500, 500, 50, {.filled = 95}},
    NamedWorkload{
        "Filled/5000Nodes_10000Pods_50", "100 sizes of pods, nodes 50 % full", 5'000, 10'000, 100, {.filled = 50}},
    NamedWorkload{
        "Filled/5000Nodes_5000Pods_95", "100 sizes of pods, nodes 95 % full", 5'000, 5'000, 100, {.filled = 95}},
    NamedWorkload{"FilledUnique/5000Nodes_5000Pods_95",
                  "every pod a size of its own, nodes 95 % full",
                  5'000,
                  5'000,
                  5'000,
                  {.filled = 95}},
    NamedWorkload{
        "Filled/30000Nodes_10000Pods_50", "100 sizes of pods, nodes 50 % full", 30'000, 10'000, 100, {.filled = 50}},
    NamedWorkload{
        "Filled/100000Nodes_5000Pods_50", "100 sizes of pods, nodes 50 % full", 100'000, 5'000, 100, {.filled = 50}},
    NamedWorkload{
        "Churn/500Nodes_4096Pods_50", "1,024 come and 1,024 go at a time, small", 500, 4'096, 50, {.churn_stay = 2}},
    NamedWorkload{
        "Churn/5000Nodes_50000Pods_100", "1,024 come and 1,024 go at a time", 5'000, 50'000, 100, {.churn_stay = 10}},
    NamedWorkload{"Churn/100000Nodes_20000Pods_100",
                  "1,024 come and 1,024 go at a time",
                  100'000,
                  20'000,
                  100,
                  {.churn_stay = 5}},
    NamedWorkload{"SchedulingDaemonset/15000Nodes_30000Pods",
                  "every pod for one of eight nodes, by name",
                  15'000,
                  30'000,
                  0,
                  {.pattern = daemonset}},
    NamedWorkload{"SchedulingDaemonset/500Nodes_500Pods_fields",
                  "a pod for each node, by matchFields, small",
                  500,
                  500,
                  0,
                  {.pattern = each_field}},
    NamedWorkload{"SchedulingDaemonset/15000Nodes_15000Pods",
                  "a pod for each node, by name",
                  15'000,
                  15'000,
                  0,
                  {.pattern = each_node}},
    NamedWorkload{"SchedulingDaemonset/15000Nodes_15000Pods_fields",
                  "a pod for each node, by matchFields",
                  15'000,
                  15'000,
                  0,
                  {.pattern = each_field}},
    NamedWorkload{"Unschedulable/5kNodes/100Init/10kPods",
                  "100 pods that fit nowhere wait first",
                  5'000,
                  10'000,
                  0,
                  {.pattern = unschedulable}},
    NamedWorkload{"BenchmarkScheduling/500Nodes_10000Pods", kYuniKorn, 500, 10'000, 0, {.pattern = yunikorn}},
    NamedWorkload{"BenchmarkScheduling/1000Nodes_10000Pods", kYuniKorn, 1'000, 10'000, 0, {.pattern = yunikorn}},
    NamedWorkload{"BenchmarkScheduling/2000Nodes_10000Pods", kYuniKorn, 2'000, 10'000, 0, {.pattern = yunikorn}},
    NamedWorkload{"BenchmarkScheduling/5000Nodes_10000Pods", kYuniKorn, 5'000, 10'000, 0, {.pattern = yunikorn}},
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
    const std::int64_t memory = 750 * kMi - 500 * kMi * std::int64_t{index} / classes - std::int64_t{index} * 1'024;
    return {{"cpu", cpu}, {"memory", memory}, {"pods", 1}};
}

// Slots are grouped by the bit widths of a node's amounts (R-WORLD-8). The
// types differ in them and come one after the other, so that slot order is the order of the list:
// the scan breaks ties by the latter.
void mix_machines(Workload& load, std::uint32_t types) {
    load.node_shapes.clear();
    for (std::uint32_t type = 0; type < types; ++type) {
        const std::int64_t cpus = std::int64_t{2} << type;
        load.node_shapes.push_back(
            {fmt::format("type-{}", type),
             {{"cpu", cpus * 1'000}, {"memory", cpus * (type % 2 == 0 ? 8 : 4) * kGi}, {"pods", 110}}});
    }
    for (std::size_t node = 0; node < load.nodes.size(); ++node) {
        load.nodes[node].shape = static_cast<std::uint32_t>(node * types / load.nodes.size());
    }
}

// Nodes differ by up to four points, as they do in a cluster that has lived.
void fill(Workload& load, std::uint32_t percent) {
    std::uint32_t next = 0;
    for (std::uint32_t node = 0; node < load.nodes.size(); ++node) {
        const std::int64_t capacity = load.node_shapes[load.nodes[node].shape].capacity[0].second;
        const std::uint32_t mixed = node * 2'654'435'761u >> 16;
        std::int64_t left = capacity * (percent - 4 + mixed % 9) / 100;
        for (;; ++next) {
            const auto shape = static_cast<std::uint32_t>(next % load.pod_shapes.size());
            left -= load.pod_shapes[shape][0].second;
            if (left < 0) break;
            load.running.push_back({fmt::format("running-{:07}", load.running.size()), shape, node});
        }
    }
}

// BenchmarkScheduling of yunikorn-core: each node has room for its share of the pods and one more; pods come for two
// applications in turn, each in a queue of its own. The engine tells queues apart by name and has no shares of them
// yet. Our `pods` limit is not YuniKorn's, and does not bind.
void shape_as_yunikorn(Workload& load) {
    const auto share = static_cast<std::int64_t>(load.pods.size() / load.nodes.size() + 1);
    load.pod_shapes = {{{"cpu", 1'000}, {"memory", 10}}};
    load.node_shapes[0].capacity = {{"cpu", 1'000 * share}, {"memory", 10 * share}, {"pods", 110}};
    load.applications = {{"application-a", "root.a"}, {"application-b", "root.b"}};
    for (std::size_t i = 0; i < load.pods.size(); ++i) load.pods[i].application = static_cast<std::uint32_t>(i % 2);
}

// DaemonSet pods of scheduler_perf ask for nothing but their node. There it is one for all; a node of ours takes 4,096 pods
// at most (R-LIMIT-9), so here they are eight.
void shape_as_daemonset(Workload& load) {
    constexpr std::size_t kNamed = 8;
    load.pod_shapes = {{{"pods", 1}}};
    load.node_shapes[0].capacity[2].second = static_cast<std::int64_t>(load.pods.size() / kNamed) + 1;
    for (std::size_t i = 0; i < load.pods.size(); ++i) load.pods[i].node = static_cast<std::int32_t>(i % kNamed);
}

void shape_as_daemonsets(Workload& load, bool by_fields) {
    load.by_fields = by_fields;
    for (std::size_t i = 0; i < load.pods.size(); ++i) {
        load.pods[i].node = static_cast<std::int32_t>(i % load.nodes.size());
    }
}

void add_unschedulable(Workload& load, std::uint32_t count) {
    load.pod_shapes.push_back({{"cpu", 9'000}, {"memory", 500 * kMi}, {"pods", 1}});
    std::vector<Pod> all;
    for (std::uint32_t i = 0; i < count; ++i) all.push_back({fmt::format("unschedulable-{:04}", i), 1});
    load.pods.insert(load.pods.begin(), all.begin(), all.end());
}

void add_extras(const NamedWorkload& named, Workload& load) {
    const Extras& extras = named.extras;
    if (extras.machines > 1) mix_machines(load, extras.machines);
    if (extras.priorities > 1) {
        for (Pod& pod : load.pods) pod.priority = static_cast<std::int32_t>(pod.shape % extras.priorities);
    }
    if (extras.pattern == yunikorn) shape_as_yunikorn(load);
    if (extras.pattern == daemonset) shape_as_daemonset(load);
    if (extras.pattern == each_node || extras.pattern == each_field)
        shape_as_daemonsets(load, extras.pattern == each_field);
    if (extras.pattern == unschedulable) add_unschedulable(load, 100);
    if (extras.filled > 0) fill(load, extras.filled);
    if (extras.churn_stay > 0) {
        load.churn_step = 1'024;
        load.churn_stay = extras.churn_stay;
    }
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
    add_extras(named, load);
    return load;
}

}  // namespace bayplan::workload
