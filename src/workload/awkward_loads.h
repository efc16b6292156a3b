// Clusters of awkward shapes, as real ones are: shapes that make a scheduler look at nodes, claims or volumes one by one.
// Pods run on every node, and all pods that are asked for find a place.
//
// Thread: plain data.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace bayplan::workload {

enum class AwkwardShape : std::uint8_t {
    plain,   // nothing awkward, to compare with: a few classes
    csi,     // each pod with a claim of its own, bound to a volume of one zone; nodes take a limited number of volumes
    local,   // each pod with a claim of its own that waits for its first consumer; volumes reach one node each
    images,  // nodes have some of the images that pods run
    fields,  // each pod wants one node, by matchFields, as a DaemonSet's
    labels,  // each node has a label of its own
};

struct AwkwardLoad {
    std::string name;
    AwkwardShape shape = AwkwardShape::plain;
    std::uint32_t nodes = 0;
    std::uint32_t running_each = 0;  // pods on each node
    std::uint32_t pods = 0;          // that are asked for
};

inline constexpr std::uint32_t kAwkwardZones = 3;         // node i lies in zone i mod 3
inline constexpr std::uint32_t kAwkwardSpareVolumes = 3;  // how many more volumes a node takes
inline constexpr std::uint32_t kAwkwardLocalVolumes = 2;  // on a node, of kAwkwardLocalGib and twice that
inline constexpr std::int64_t kAwkwardLocalGib = 10;
inline constexpr std::uint32_t kAwkwardImages = 7;  // node i has image i mod 7
inline constexpr std::int64_t kAwkwardImageMib = 600;

// Requests of pod number i, in thousandths and MiB.
std::int64_t awkward_cpu(std::uint32_t pod);
std::int64_t awkward_memory_mib(std::uint32_t pod);
// GiB of its claim.
std::int64_t awkward_claim_gib(std::uint32_t pod);

std::vector<AwkwardLoad> awkward_loads();

}  // namespace bayplan::workload
