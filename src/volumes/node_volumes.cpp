// Storage that the pods of one node use. See node_volumes.h.

#include "volumes/node_volumes.h"

#include <algorithm>

#include "base/check.h"

namespace bayplan {

void NodeVolumes::add_pod(const PodSpec& spec) {
    for (const PodVolume& volume : spec.volumes) {
        if (is_claim(volume)) {
            const ClaimName claim{spec.name_space, volume.name};
            const auto at = std::ranges::lower_bound(claims_, claim, {}, &UsedClaim::claim);
            if (at != claims_.end() && at->claim == claim) {
                ++at->count;
            } else {
                claims_.insert(at, {.claim = claim, .count = 1});
            }
        } else if (const auto at = std::ranges::find(volumes_, volume, &UsedVolume::volume); at != volumes_.end()) {
            ++at->count;
        } else {
            volumes_.push_back({.volume = volume, .count = 1});
        }
    }
}

void NodeVolumes::remove_pod(const PodSpec& spec) {
    for (const PodVolume& volume : spec.volumes) {
        if (is_claim(volume)) {
            const ClaimName claim{spec.name_space, volume.name};
            const auto at = std::ranges::lower_bound(claims_, claim, {}, &UsedClaim::claim);
            BP_CHECK(at != claims_.end() && at->claim == claim);
            if (--at->count == 0) {
                claims_.erase(at);
            }
        } else {
            const auto at = std::ranges::find(volumes_, volume, &UsedVolume::volume);
            BP_CHECK(at != volumes_.end());
            if (--at->count == 0) {
                volumes_.erase(at);
            }
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
