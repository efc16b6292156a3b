// See crowd_texts.h.
#include "crowd_texts.h"

#include <array>

namespace bayplan::property {

namespace {

LabelSelector pods_of(DictId app) { return {{{kApp, LabelOperator::in, {app}}}}; }

PodTerm near_to(DictId app, DictId topology) {
    PodTerm term;
    term.selector = pods_of(app);
    term.topology_key = topology;
    return term;
}

PodSpec labelled(DictId app) {
    PodSpec spec;
    spec.name_space = kSpace;
    spec.labels = {{kApp, app}};
    return spec;
}

PodSpec spec_of(SpecNumber number) {
    PodSpec spec = labelled(number == kLabelB || number == kApartOnNode ? kAppB : kAppA);
    switch (number) {
        case kPortOfA: spec.ports = {{80, Protocol::tcp, 0}}; break;
        case kApartOnNode: spec.anti_affinity = {near_to(kAppA, kHostname)}; break;
        case kApartInZone:
            spec = labelled(kAppC);
            spec.anti_affinity = {near_to(kAppC, kZone)};
            break;
        case kNearC: spec.affinity = {near_to(kAppC, kHostname)}; break;
        case kSpreadC: {
            spec = labelled(kAppC);
            SpreadConstraint evenly;
            evenly.topology_key = kZone;
            evenly.selector = pods_of(kAppC);
            spec.spread = {evenly};
            break;
        }
        case kGated: spec.gates = {kGate}; break;
        default: break;
    }
    return spec;
}

}  // namespace

std::vector<std::pair<DictId, std::string>> crowd_dictionary() {
    std::vector<std::pair<DictId, std::string>> out = {
        {kCpu, "cpu"},
        {kMemory, "memory"},
        {kPods, "pods"},
        {kZone, "topology.kubernetes.io/zone"},
        {kHostname, "kubernetes.io/hostname"},
        {kEast, "east"},
        {kWest, "west"},
        {kSpace, "ns"},
        {kApp, "app"},
        {kAppA, "a"},
        {kAppB, "b"},
        {kAppC, "c"},
        {kGate, "example.com/gate"},
        {kTaint, "taint"},
        {kApplication, "application"},
    };
    for (DictId i = 0; i < 3; ++i) {
        out.emplace_back(kBudget + i, "budget-" + std::to_string(i));
    }
    for (DictId i = 0; i < 3; ++i) {
        out.emplace_back(kGroup + i, "group" + std::to_string(i));
    }
    for (DictId i = 0; i < kNodeNames; ++i) {
        out.emplace_back(kNode + i, "n" + std::to_string(i));
    }
    static constexpr std::array<const char*, kQueueNames> queues = {"root.a.x", "root.a.y", "root.b", "root.c"};
    for (DictId i = 0; i < kQueueNames; ++i) {
        out.emplace_back(kOtherApplication + i, "application-" + std::to_string(i));
        out.emplace_back(kQueueName + i, queues[i]);
    }
    out.emplace_back(kUserName, "ann");
    return out;
}

std::vector<SpecItem> crowd_specs() {
    std::vector<SpecItem> out;
    for (SpecNumber number = kNoSpec + 1; number < kCrowdSpecs; ++number) {
        out.push_back({number, spec_of(number)});
    }
    return out;
}

}  // namespace bayplan::property
