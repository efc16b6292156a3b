// Storage that the pods of one node use: disks they name directly and claims. Counted, so that pods may come and go in
// any order.
//
// Thread: its owner's (the engine's; readers while nobody changes it).
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "base/few_or_many.h"
#include "base/field_hash.h"
#include "bayplan/pod_spec.h"
#include "volumes/volume_objects.h"

namespace bayplan {

class NodeVolumes {
public:
    // A pod of the spec is on the node from now on; terminating pods count until they are removed.
    void add_pod(const PodSpec&);
    // Must have been added.
    void remove_pod(const PodSpec&);

    struct UsedVolume {
        PodVolume volume;  // any kind that is no claim
        std::uint32_t count = 0;
    };
    // Volumes of the same kind and name as this one, in use by pods; empty: none.
    std::span<const UsedVolume> of_disk(const PodVolume& volume) const {
        const std::vector<UsedVolume>* const found = disks_.find(disk_of(volume));
        return found == nullptr ? std::span<const UsedVolume>() : std::span(*found);
    }
    // Calls each(used volume), or each(claim, count) with claims of kinds claim and ephemeral. In any order.
    template <typename Each>
    void for_each_volume(Each&& each) const {
        disks_.for_each([&](const Disk&, const std::vector<UsedVolume>& used) { std::ranges::for_each(used, each); });
    }
    template <typename Each>
    void for_each_claim(Each&& each) const {
        claims_.for_each(each);
    }
    bool empty() const { return disks_.empty() && claims_.empty(); }

private:
    struct Disk {
        VolumeKind kind = VolumeKind::claim;
        Text name = 0;
        bool operator==(const Disk&) const = default;
    };
    static Disk disk_of(const PodVolume& volume) { return {volume.kind, volume.name}; }

    FewOrMany<Disk, std::vector<UsedVolume>, FieldHash> disks_;
    FewOrMany<ClaimName, std::uint32_t, FieldHash> claims_;  // uses
};

// The claims that a pod names directly, as VolumeObjects::add_pod_claims takes them.
std::vector<ClaimName> direct_claims(const PodSpec&);

// May both be mounted on one node? (GCE disk, iSCSI and RBD: not unless both read only; AWS disk: never.)
bool disks_conflict(const PodVolume&, const PodVolume&);

}  // namespace bayplan
