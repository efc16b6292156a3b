// The list of awkward loads; see awkward_loads.h.
#include "workload/awkward_loads.h"

#include <fmt/format.h>

namespace bayplan::workload {

namespace {

struct Named {
    const char* name;
    AwkwardShape shape;
};
constexpr Named kShapes[] = {
    {"plain", AwkwardShape::plain},   {"csi", AwkwardShape::csi},       {"local", AwkwardShape::local},
    {"images", AwkwardShape::images}, {"fields", AwkwardShape::fields}, {"labels", AwkwardShape::labels},
};

struct Size {
    std::uint32_t nodes;
    std::uint32_t running_each;
    std::uint32_t pods;
};
constexpr Size kSizes[] = {{200, 5, 200}, {5'000, 20, 5'000}, {100'000, 10, 2'000}};

}  // namespace

std::int64_t awkward_cpu(std::uint32_t pod) { return 100 + 50 * (pod % 5); }
std::int64_t awkward_memory_mib(std::uint32_t pod) { return 256 * (1 + pod % 3); }
std::int64_t awkward_claim_gib(std::uint32_t pod) { return pod % 2 == 0 ? kAwkwardLocalGib : 2 * kAwkwardLocalGib; }

std::vector<AwkwardLoad> awkward_loads() {
    std::vector<AwkwardLoad> loads;
    for (const Size& size : kSizes) {
        for (const Named& one : kShapes) {
            loads.push_back({fmt::format("Awkward/{}_{}Nodes_{}Pods", one.name, size.nodes, size.pods), one.shape,
                             size.nodes, size.running_each, size.pods});
        }
    }
    return loads;
}

}  // namespace bayplan::workload
