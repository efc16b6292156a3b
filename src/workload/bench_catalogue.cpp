// See bench_catalogue.h. Plain loads come from named_workloads, those with affinity from kube_loads.
#include "workload/bench_catalogue.h"

#include <fnmatch.h>

#include <algorithm>

#include <fmt/format.h>

#include "workload/awkward_preemption.h"
#include "workload/preemption_workload.h"

namespace bayplan::workload {

namespace {

constexpr std::string_view kWire[] = {"SchedulingBasic/5000Nodes_50000Pods", "ManyClasses/5000Nodes_50000Pods_1000",
                                      "Unique/5000Nodes_50000Pods"};
// A plugin that takes 200 us for an answer: for all pods, and for one of a hundred, for what the others lose by it. Small
// ones are for tests.
constexpr std::string_view kPluginAnswersIn = "200us";
constexpr double kPluginMix = 0.01;
constexpr std::string_view kPluginWire[] = {"SchedulingBasic/500Nodes_1000Pods",
                                            "SchedulingBasic/5000Nodes_100000Pods"};
// Half of the 50,000 that are wanted at least.
constexpr std::uint64_t kPluginRate = 25'000;
constexpr std::string_view kRecordedWire = "SchedulingBasic/5000Nodes_50000Pods";
// A preemptor has three victims, and waits for the word that they are gone.
constexpr WireLoad kPreemptingWire{.workload = "PreemptionBasic/5000Nodes_5000Pods", .rate = 5'000};

void add_kube_loads(KubeScale scale, std::vector<BenchCase>& cases) {
    for (const KubeLoad& load : kube_loads(scale)) {
        std::uint32_t before = 0;
        for (const PodStage& stage : load.init) before += stage.pods;
        std::string name = fmt::format("{}/{}Nodes_{}Pods", load.name, load.nodes, load.measured_pods());
        cases.push_back({std::move(name), fmt::format("{} pods before, {} zones", before, load.zones), load.nodes,
                         load.measured_pods(), load});
    }
}

// The load without the plugin comes first, at the same rate.
void add_plugin_wire(std::vector<BenchCase>& cases) {
    for (const std::string_view name : kPluginWire) {
        const NamedWorkload& load = *find_workload(name);
        const auto add = [&](std::string_view row, std::string_view summary, const WireLoad& wire) {
            cases.push_back({fmt::format("{}/{}", row, name), std::string(summary), load.nodes, load.pods, wire});
        };
        const WireLoad none{.workload = name, .rate = kPluginRate};
        WireLoad all = none;
        all.plugin_answers_in = kPluginAnswersIn;
        WireLoad mix = all;
        mix.plugin_share = kPluginMix;
        add("WireToWire", "the same through daemon and shim, two processes", none);
        add("WireToWirePlugin", "the same, and the shim is asked about every pod: answers in 200 us", all);
        add("WireToWirePluginMix", "the same, and it is asked about one of a hundred; counts the others too", mix);
    }
}

}  // namespace

std::vector<BenchCase> bench_catalogue() {
    std::vector<BenchCase> cases;
    for (const NamedWorkload& load : named_workloads()) {
        cases.push_back({std::string(load.name), std::string(load.summary), load.nodes, load.pods, load});
    }
    for (const KubeScale scale : {KubeScale::small, KubeScale::full, KubeScale::large}) add_kube_loads(scale, cases);
    for (const std::uint32_t nodes : {500u, 5'000u, 100'000u}) {
        for (const PreemptionLoad& load : preemption_loads(nodes)) {
            cases.push_back(
                {name_of(load), "full of pods of lower priority; counts nominations", nodes, load.preemptors, load});
        }
    }
    for (const AwkwardLoad& load : awkward_loads()) {
        cases.push_back(
            {load.name, fmt::format("{} pods run on each node", load.running_each), load.nodes, load.pods, load});
    }
    for (const std::uint32_t nodes : {200u, 5'000u, 100'000u}) {
        for (const PreemptionLoad& load : awkward_preemption(nodes)) {
            cases.push_back({fmt::format("{}_{}Pods", load.name, load.preemptors),
                             load.nobody_below ? "nobody to preempt; counts attempts after one node's event"
                                               : "full of pods of lower priority; counts nominations",
                             nodes, load.preemptors, load});
        }
    }
    for (const std::string_view name : kWire) {
        const NamedWorkload& load = *find_workload(name);
        cases.push_back({fmt::format("WireToWire/{}", name), "the same through daemon and shim, two processes",
                         load.nodes, load.pods, WireLoad{name}});
    }
    const NamedWorkload& recorded = *find_workload(kRecordedWire);
    cases.push_back({fmt::format("WireToWireRecorded/{}", kRecordedWire), "the same, and the daemon records its run",
                     recorded.nodes, recorded.pods, WireLoad{kRecordedWire, true}});
    const PreemptionLoad preempting = *find_preemption(kPreemptingWire.workload);
    cases.push_back({fmt::format("WireToWire/{}", kPreemptingWire.workload),
                     "the same through daemon and shim: victims go, preemptors get their places", preempting.nodes,
                     preempting.preemptors, kPreemptingWire});
    add_plugin_wire(cases);
    return cases;
}

std::vector<BenchCase> choose_cases(const std::vector<std::string>& patterns, std::string& unknown) {
    std::vector<BenchCase> all = bench_catalogue();
    std::vector<bool> chosen(all.size(), false);
    for (const std::string& pattern : patterns) {
        bool found = false;
        for (std::size_t i = 0; i < all.size(); ++i) {
            if (fnmatch(pattern.c_str(), all[i].name.c_str(), 0) != 0) continue;
            chosen[i] = found = true;
        }
        if (!found) unknown = pattern;
    }
    std::vector<BenchCase> result;
    for (std::size_t i = 0; i < all.size(); ++i) {
        if (chosen[i]) result.push_back(std::move(all[i]));
    }
    return result;
}

}  // namespace bayplan::workload
