// Storage that the pods of one node use. See node_volumes.h.

#include "volumes/node_volumes.h"

#include <algorithm>

#include "base/check.h"

namespace bayplan {

void NodeVolumes::add_pod(const PodSpec& spec) {
    for (const PodVolume& volume : spec.volumes) {
        if (is_claim(volume)) {
            ++claims_[{spec.name_space, volume.name}];
            continue;
        }
        std::vector<UsedVolume>& used = disks_[disk_of(volume)];
        const auto at = std::ranges::find(used, volume, &UsedVolume::volume);
        if (at != used.end()) {
            ++at->count;
        } else {
            used.push_back({.volume = volume, .count = 1});
        }
    }
}

void NodeVolumes::remove_pod(const PodSpec& spec) {
    for (const PodVolume& volume : spec.volumes) {
        if (is_claim(volume)) {
            const ClaimName claim{spec.name_space, volume.name};
            std::uint32_t* const uses = claims_.find(claim);
            BP_CHECK(uses != nullptr);
            if (--*uses == 0) {
                claims_.erase(claim);
            }
            continue;
        }
        std::vector<UsedVolume>* const used = disks_.find(disk_of(volume));
        BP_CHECK(used != nullptr);
        const auto at = std::ranges::find(*used, volume, &UsedVolume::volume);
        BP_CHECK(at != used->end());
        if (--at->count == 0) {
            used->erase(at);
        }
        if (used->empty()) {
            disks_.erase(disk_of(volume));
        }
    }
}

std::vector<ClaimName> direct_claims(const PodSpec& spec) {
    std::vector<ClaimName> claims;
    for (const PodVolume& volume : spec.volumes) {
        if (volume.kind == VolumeKind::claim) {
            claims.push_back({spec.name_space, volume.name});
        }
    }
    return claims;
}

bool disks_conflict(const PodVolume& a, const PodVolume& b) {
    if (a.kind != b.kind || a.name != b.name) {
        return false;
    }
    const bool both_read_only = a.read_only && b.read_only;
    switch (a.kind) {
        case VolumeKind::aws_disk: return true;
        case VolumeKind::gce_disk:
        case VolumeKind::iscsi: return !both_read_only;
        case VolumeKind::rbd:
            return !both_read_only && a.pool == b.pool && std::ranges::any_of(a.monitors, [&](Text monitor) {
                return std::ranges::find(b.monitors, monitor) != b.monitors.end();
            });
        default: return false;
    }
}

}  // namespace bayplan
