// The pod templates and the list of loads. Each template stands for the file of scheduler_perf that
// its name says. See kube_loads.h.
#include "workload/kube_loads.h"

#include <algorithm>
#include <string>
#include <utility>

namespace bayplan::workload {

namespace {

constexpr std::string_view kHostname = "kubernetes.io/hostname";
constexpr std::string_view kZone = "topology.kubernetes.io/zone";
constexpr std::string_view kFirst = "sched-0";
constexpr std::string_view kSecond = "sched-1";
constexpr std::uint32_t kItemsPerMessage = 64;

LabelSelector colored(const TextNumber& text, std::string_view color) {
    return {{{.key = text("color"), .op = LabelOperator::in, .values = {text(color)}}}};
}

PodTerm near(const TextNumber& text, std::string_view color, std::string_view key) {
    PodTerm term;
    term.selector = colored(text, color);
    term.namespaces = {text(kSecond), text(kFirst)};
    term.topology_key = text(key);
    return term;
}

PodSpec plain(const TextNumber& text, std::string_view name_space) {
    PodSpec spec;
    spec.name_space = text(name_space);
    spec.images = {text("registry.k8s.io/pause:3.10")};
    return spec;
}

PodSpec colored_pod(const TextNumber& text, std::string_view name_space, std::string_view color) {
    PodSpec spec = plain(text, name_space);
    spec.labels = {{text("color"), text(color)}};
    return spec;
}

PodSpec anti_affinity(const TextNumber& text, std::string_view name_space) {
    PodSpec spec = colored_pod(text, name_space, "green");
    spec.labels.push_back({text("name"), text("test")});
    spec.anti_affinity = {near(text, "green", kHostname)};
    return spec;
}

PodSpec affinity(const TextNumber& text, std::string_view name_space) {
    PodSpec spec = colored_pod(text, name_space, "blue");
    spec.affinity = {near(text, "blue", kZone)};
    return spec;
}

PodSpec preferred_affinity(const TextNumber& text, std::string_view name_space) {
    PodSpec spec = colored_pod(text, name_space, "red");
    spec.preferred_affinity = {{1, near(text, "red", kHostname)}};
    return spec;
}

PodSpec preferred_anti_affinity(const TextNumber& text, std::string_view name_space) {
    PodSpec spec = colored_pod(text, name_space, "yellow");
    spec.preferred_anti_affinity = {{1, near(text, "yellow", kHostname)}};
    return spec;
}

PodSpec node_affinity(const TextNumber& text, std::string_view name_space) {
    PodSpec spec = plain(text, name_space);
    NodeTerm term;
    term.labels = {{text(kZone), LabelOperator::in, {text("zone1"), text("zone2")}}};
    spec.required_nodes = std::vector<NodeTerm>{std::move(term)};
    return spec;
}

PodSpec spread(const TextNumber& text, std::string_view name_space, bool hard) {
    PodSpec spec = colored_pod(text, name_space, "blue");
    SpreadConstraint constraint;
    constraint.max_skew = 5;
    constraint.topology_key = text(kZone);
    constraint.hard = hard;
    constraint.selector = colored(text, "blue");
    spec.spread = {std::move(constraint)};
    return spec;
}

PodSpec hard_spread(const TextNumber& text, std::string_view name_space) { return spread(text, name_space, true); }

PodSpec soft_spread(const TextNumber& text, std::string_view name_space) { return spread(text, name_space, false); }

// Every kind of term at once, in the measured pods as in those before: nothing of scheduler_perf's, but what a cluster
// with many charts looks like.
KubeLoad affinity_mix(std::uint32_t nodes, std::uint32_t init_pods, std::uint32_t pods) {
    KubeLoad load{"AffinityMix", nodes, 3, {}, {}};
    for (const MakeSpec make :
         {plain, affinity, anti_affinity, preferred_affinity, preferred_anti_affinity, hard_spread, soft_spread}) {
        load.init.push_back({make, kFirst, init_pods});
        load.measured.push_back({make, kSecond, pods});
    }
    return load;
}

std::vector<KubeLoad> full_loads() {
    std::vector<KubeLoad> loads;
    // The pods of the first stage stand in one namespace, the measured ones in another.
    const auto add = [&](std::string_view name, MakeSpec init, std::uint32_t init_pods, MakeSpec measured,
                         std::uint32_t pods, std::uint32_t zones = 3) {
        loads.push_back({name, 5'000, zones, {{init, kFirst, init_pods}}, {{measured, kSecond, pods}}});
    };
    add("SchedulingPodAntiAffinity", anti_affinity, 1'000, anti_affinity, 2'000);
    add("SchedulingPodAffinity", affinity, 5'000, affinity, 5'000);
    // scheduler_perf puts all nodes of this one into a single zone.
    add("SchedulingPodAffinity/1zone", affinity, 5'000, affinity, 5'000, 1);
    add("TopologySpreading", plain, 5'000, hard_spread, 5'000);
    add("PreferredTopologySpreading", plain, 5'000, soft_spread, 5'000);
    add("SchedulingPreferredPodAffinity", preferred_affinity, 5'000, preferred_affinity, 5'000);
    add("SchedulingPreferredPodAntiAffinity", preferred_anti_affinity, 5'000, preferred_anti_affinity, 5'000);
    add("SchedulingNodeAffinity", plain, 5'000, node_affinity, 10'000);
    KubeLoad mixed{"MixedSchedulingBasePod", 5'000, 3, {}, {{plain, kFirst, 5'000}}};
    for (const MakeSpec make : {plain, affinity, anti_affinity, preferred_affinity, preferred_anti_affinity}) {
        mixed.init.push_back({make, kFirst, 2'000});
    }
    loads.push_back(std::move(mixed));
    loads.push_back(affinity_mix(5'000, 2'000, 2'000));
    return loads;
}

}  // namespace

std::vector<KubeLoad> kube_loads(KubeScale scale) {
    if (scale == KubeScale::large) return {affinity_mix(100'000, 400, 400)};
    std::vector<KubeLoad> loads = full_loads();
    if (scale == KubeScale::full) return loads;
    for (KubeLoad& load : loads) {
        load.nodes /= 10;
        for (PodStage& stage : load.init) stage.pods /= 10;
        for (PodStage& stage : load.measured) stage.pods /= 10;
    }
    return loads;
}

std::uint32_t KubeLoad::measured_pods() const {
    std::uint32_t sum = 0;
    for (const PodStage& stage : measured) sum += stage.pods;
    return sum;
}

std::vector<PodMessage> messages_of(const std::vector<PodStage>& stages) {
    std::vector<PodMessage> messages;
    std::vector<std::uint32_t> left;
    for (const PodStage& stage : stages) left.push_back(stage.pods);
    for (bool more = true; more;) {
        more = false;
        for (std::size_t stage = 0; stage < left.size(); ++stage) {
            const std::uint32_t pods = std::min(left[stage], kItemsPerMessage);
            if (pods == 0) continue;
            messages.push_back({stage, pods});
            left[stage] -= pods;
            more = true;
        }
    }
    return messages;
}

}  // namespace bayplan::workload
