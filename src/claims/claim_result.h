// From the devices taken to a result: an allocation for each claim, its nodes, and the score.
//
// Thread: any, pure functions. Source: Kubernetes 1.35; the rules are in engine/rules/claims.md.
#pragma once

#include <cstddef>
#include <span>

#include "claims/claim_search.h"

namespace bayplan {

// A device, by where its slice has it.
struct DevicePlace {
    const KeptSlice* slice = nullptr;
    std::size_t device = 0;

    const SliceDevice& get() const { return slice->slice.devices[device]; }
    DeviceName name() const { return {slice->pool(), get().name}; }
};

// A device that the search has taken, and for which demand of the plan.
struct TakenDevice {
    DevicePlace place;
    std::size_t claim = 0;
    std::size_t request = 0;
    std::size_t demand = 0;
    bool admin = false;
};

// Devices are in the order in which they were taken, the devices of a claim together.
void tell_result(const ClaimPlan&, std::span<const TakenDevice>, const KnownTexts&, const TextTable&, ClaimOutcome&);

}  // namespace bayplan
