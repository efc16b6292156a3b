// The devices of one resource that a node has: how much of each is in use, which of them an ask would get, and how
// far they reach. Rules: rules/devices.md.
//
// Thread: plain data. Owned by Devices; trials own copies.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/ids.h"
#include "cluster/node_block.h"
#include "options/engine_options.h"

namespace bayplan {

inline constexpr std::int64_t kDevice = 1000;          // the amount of one device
inline constexpr std::uint32_t kDevicesMax = 128;      // of one resource, on one node
inline constexpr std::size_t kDeviceResourcesMax = 4;  // on one node
inline constexpr std::size_t kDeviceNameBytesMax = 320;

// How many devices an amount takes: whole ones, and one more for a share.
constexpr std::int64_t devices_for(std::int64_t amount) { return (amount + kDevice - 1) / kDevice; }

struct DeviceUse {
    ResourceId resource = kNone<ResourceId>;
    std::uint32_t count = 0;         // devices that there are
    std::vector<std::int64_t> used;  // at least `count`: those beyond are gone and still in use

    // The largest amount that an ask could get: all devices that are empty, and the largest rest of another.
    std::int64_t reach() const;
    // The devices for an amount > 0, in the order in which they are filled. If it does not fit, those with the
    // most left, as far as there are any.
    std::vector<std::uint32_t> choose(std::int64_t amount, DeviceChoice) const;
    // Counts an amount in (sign +1) or out (-1).
    void add(std::span<const std::uint32_t> devices, std::int64_t amount, int sign);

private:
    std::uint32_t device_for(std::int64_t share, std::span<const std::uint32_t> among, DeviceChoice) const;
    std::int64_t left(std::uint32_t device) const { return kDevice - used[device]; }
};

// Puts what holds keep on the devices, one after the other, and notes in each how far the devices reach then.
void find_reaches(std::vector<DeviceUse> devices, DeviceChoice, HoldList&);

}  // namespace bayplan
