// Claims and volumes behind a verdict: which claim, what state it is in, which node or driver it would want.
//
// Thread: any. Explains and decides nothing.
#pragma once

#include <string>
#include <vector>

#include "kube/cluster_dump.h"
#include "sim/cluster_use.h"
#include "sim/volumes_in_use.h"

namespace bayplan::sim {

class VolumeCauses {
public:
    // The dump and what pods use outlive it.
    VolumeCauses(const kube::ClusterDump& dump, const ClusterUse& use, const PodSpec& spec)
        : dump_(dump), use_(use), spec_(spec) {}

    // Of the predicates VolumeBinding and VolumeZone: claims that are not bound, or bound to a volume of other nodes.
    std::vector<std::string> binding(const kube::ConvertedNode&) const;
    // Of NodeVolumeLimits: how many volumes the drivers of the node take and have, and what would come.
    std::vector<std::string> limits(const kube::ConvertedNode&, const VolumesInUse&) const;
    // Of VolumeRestrictions: pods that have a claim which one pod alone may have.
    std::vector<std::string> sharing() const;

private:
    std::string state_of(const PodVolume&, const kube::ConvertedNode&) const;
    std::string waiting(const VolumeClaim&) const;
    std::string where(const Volume&, const kube::ConvertedNode&) const;
    const VolumeClaim* claim_of(const PodVolume&) const;
    std::string_view name(Text id) const { return dump_.texts().text(id); }

    // The first object of the dump of this kind that it holds for.
    template <typename Object, typename Is>
    const Object* find(Is is) const {
        for (const ClusterObject& object : dump_.objects()) {
            const Object* const one = std::get_if<Object>(&object);
            if (one != nullptr && is(*one)) return one;
        }
        return nullptr;
    }

    const kube::ClusterDump& dump_;
    const ClusterUse& use_;
    const PodSpec& spec_;
};

}  // namespace bayplan::sim
