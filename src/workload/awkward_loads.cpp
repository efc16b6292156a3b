// The list of awkward loads; see awkward_loads.h.
#include "workload/awkward_loads.h"

#include <algorithm>

#include <fmt/format.h>

namespace bayplan::workload {

namespace {

struct Named {
    const char* name;
    AwkwardShape shape;
};
constexpr Named kShapes[] = {
    {"plain", AwkwardShape::plain},       {"csi", AwkwardShape::csi},         {"local", AwkwardShape::local},
    {"images", AwkwardShape::images},     {"fields", AwkwardShape::fields},   {"labels", AwkwardShape::labels},
    {"services", AwkwardShape::services}, {"racks", AwkwardShape::racks},     {"hosts", AwkwardShape::hosts},
    {"zones", AwkwardShape::zones},       {"coupled", AwkwardShape::coupled},
};

struct Size {
    std::uint32_t nodes;
    std::uint32_t running_each;
    std::uint32_t pods;
};
constexpr Size kSizes[] = {{200, 5, 200}, {5'000, 20, 5'000}, {100'000, 10, 2'000}};

constexpr std::uint32_t kCoupledPods = 20'000;  // two of each application
constexpr std::uint32_t kCoupledApplications = 10'000;
constexpr std::uint32_t kFewApplications = 10;

}  // namespace

std::uint32_t awkward_applications(const AwkwardLoad& load) {
    switch (load.shape) {
        case AwkwardShape::services:
        case AwkwardShape::racks:
        case AwkwardShape::hosts:
        case AwkwardShape::zones: return kFewApplications;
        case AwkwardShape::coupled: return std::min(kCoupledApplications, load.pods / 2);
        default: return 0;
    }
}

bool awkward_spreads_hard(const AwkwardLoad& load, std::uint32_t application) {
    return load.shape == AwkwardShape::coupled || application % 2 == 0;
}

bool awkward_has_service(const AwkwardLoad& load, std::uint32_t application) {
    return load.shape == AwkwardShape::services ||
           (load.shape == AwkwardShape::zones && !awkward_spreads_hard(load, application));
}

bool awkward_runs_applications(const AwkwardLoad& load) { return load.shape == AwkwardShape::services; }

std::uint32_t awkward_zone(const AwkwardLoad& load, std::uint32_t node) {
    return load.shape == AwkwardShape::zones ? node : node % kAwkwardZones;
}

std::uint32_t awkward_rack(std::uint32_t node) {
    return node / kAwkwardZones / kAwkwardRack * kAwkwardZones + node % kAwkwardZones;
}

std::uint32_t awkward_hostname(const AwkwardLoad& load, std::uint32_t node) {
    return load.shape == AwkwardShape::hosts && node == kAwkwardHostPair ? node - 1 : node;
}

std::uint32_t awkward_size(const AwkwardLoad& load, std::uint32_t pod) {
    return load.shape == AwkwardShape::coupled ? pod % awkward_applications(load) : pod;
}

std::int64_t awkward_cpu(std::uint32_t pod) { return 100 + 50 * (pod % 5); }
std::int64_t awkward_memory_mib(std::uint32_t pod) { return 256 * (1 + pod % 3); }
std::int64_t awkward_claim_gib(std::uint32_t pod) { return pod % 2 == 0 ? kAwkwardLocalGib : 2 * kAwkwardLocalGib; }

std::vector<AwkwardLoad> awkward_loads() {
    std::vector<AwkwardLoad> loads;
    for (const Size& size : kSizes) {
        for (const Named& one : kShapes) {
            const bool many = one.shape == AwkwardShape::coupled && size.nodes >= 5'000;
            const std::uint32_t pods = many ? kCoupledPods : size.pods;
            loads.push_back({fmt::format("Awkward/{}_{}Nodes_{}Pods", one.name, size.nodes, pods), one.shape,
                             size.nodes, size.running_each, pods});
        }
    }
    return loads;
}

}  // namespace bayplan::workload
