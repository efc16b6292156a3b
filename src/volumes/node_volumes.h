// Storage that the pods of one node use: disks they name directly and claims. Counted, so that pods may come and go in
// any order.
//
// Thread: its owner's (the engine's; readers while nobody changes it).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

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
    struct UsedClaim {
        ClaimName claim;
        std::uint32_t count = 0;
    };
    const std::vector<UsedVolume>& volumes() const { return volumes_; }
    const std::vector<UsedClaim>& claims() const { return claims_; }  // of kinds claim and ephemeral, sorted
    bool empty() const { return volumes_.empty() && claims_.empty(); }

private:
    std::vector<UsedVolume> volumes_;
    std::vector<UsedClaim> claims_;
};

// The claims that a pod names directly, as VolumeObjects::add_pod_claims takes them.
std::vector<ClaimName> direct_claims(const PodSpec&);

// May both be mounted on one node? (GCE disk, iSCSI and RBD: not unless both read only; AWS disk: never.)
bool disks_conflict(const PodVolume&, const PodVolume&);

}  // namespace bayplan
