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
    // Of these every pod belongs to one of a few applications, by turns:
    services,  // each application has a Service, and so the default spread; the pods that run belong to them, too
    racks,     // a hard or, by turns, a soft spread over racks, which cut through blocks of 64 nodes
    hosts,     // pods of an application keep apart by hostname, and two nodes have one hostname
    zones,     // each node is a zone of its own; a hard spread over zones, or, by turns, a Service
    coupled,   // very many applications: spread over zones, and each pod apart by hostname
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

inline constexpr std::uint32_t kAwkwardRack = 40;     // nodes of a rack, which lies in one zone
inline constexpr std::uint32_t kAwkwardHostPair = 1;  // this node has the hostname of the one before
inline constexpr std::int32_t kAwkwardRackSkew = 1;
inline constexpr std::int32_t kAwkwardZoneSkew = 5;

// How many applications there are; 0: pods have none.
std::uint32_t awkward_applications(const AwkwardLoad&);
// Of an application: its constraint is hard; else soft, or it has a Service.
bool awkward_spreads_hard(const AwkwardLoad&, std::uint32_t application);
bool awkward_has_service(const AwkwardLoad&, std::uint32_t application);
// The pods that run have applications.
bool awkward_runs_applications(const AwkwardLoad&);
std::uint32_t awkward_zone(const AwkwardLoad&, std::uint32_t node);
std::uint32_t awkward_rack(std::uint32_t node);
std::uint32_t awkward_hostname(const AwkwardLoad&, std::uint32_t node);
// Pods alike have the same number here, and so the same requests.
std::uint32_t awkward_size(const AwkwardLoad&, std::uint32_t pod);

// Requests of a pod of such a number, in thousandths and MiB.
std::int64_t awkward_cpu(std::uint32_t pod);
std::int64_t awkward_memory_mib(std::uint32_t pod);
// GiB of its claim.
std::int64_t awkward_claim_gib(std::uint32_t pod);

std::vector<AwkwardLoad> awkward_loads();

}  // namespace bayplan::workload
