// A claim by namespace and name. Thread: plain data.
#pragma once

#include <compare>

#include "bayplan/pod_spec.h"

namespace bayplan {

struct ClaimName {
    Text name_space = 0;
    Text name = 0;
    bool operator==(const ClaimName&) const = default;
    auto operator<=>(const ClaimName&) const = default;
};

// Of the kinds that name a claim, or make one.
inline bool is_claim(const PodVolume& volume) {
    return volume.kind == VolumeKind::claim || volume.kind == VolumeKind::ephemeral;
}

}  // namespace bayplan
