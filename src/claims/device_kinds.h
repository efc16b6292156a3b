// Devices that one search cannot tell apart: every selector and every constraint of the plan says the same of them. Where
// one of a kind has failed, another of the kind fails too, however the devices are named or numbered.
//
// Thread: the engine's; lives for one search.
#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include <boost/unordered/unordered_flat_map.hpp>

#include "claims/claim_plan.h"

namespace bayplan {

class DeviceKinds {
public:
    // `each_its_own`: the search tells devices apart by more than what is said of them.
    DeviceKinds(const ClaimPlan& plan, const TextTable& texts, bool each_its_own)
        : plan_(plan), texts_(texts), each_its_own_(each_its_own) {}

    std::uint32_t of(const KeptSlice&, std::size_t device);

private:
    // Empty: a selector ends in an error, so the device is a kind of its own.
    std::string said_of(const KeptSlice&, std::size_t device) const;
    std::uint32_t own_kind(const KeptSlice&, std::size_t device);

    const ClaimPlan& plan_;
    const TextTable& texts_;
    const bool each_its_own_;
    std::uint32_t last_ = 0;
    boost::unordered_flat_map<std::uint32_t, std::uint32_t> by_contents_;  // by KeptSlice::kinds
    boost::unordered_flat_map<std::string, std::uint32_t> by_what_is_said_;
    boost::unordered_flat_map<std::pair<const KeptSlice*, std::size_t>, std::uint32_t> own_;
};

}  // namespace bayplan
