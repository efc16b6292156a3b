// Which devices are given, and in which order; see device_use.h.
#include "cluster/device_use.h"

#include <algorithm>
#include <numeric>

namespace bayplan {

std::int64_t DeviceUse::reach() const {
    std::int64_t empty = 0;
    std::int64_t rest = 0;
    for (std::uint32_t device = 0; device < count; ++device) {
        empty += used[device] == 0 ? 1 : 0;
        rest = std::max(rest, used[device] == 0 ? 0 : left(device));
    }
    return empty * kDevice + rest;
}

std::vector<std::uint32_t> DeviceUse::choose(std::int64_t amount, DeviceChoice choice) const {
    std::vector<std::uint32_t> devices(count);
    std::iota(devices.begin(), devices.end(), 0u);
    // Most left first, of equals the lowest number.
    std::stable_sort(devices.begin(), devices.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return left(a) > left(b); });
    const std::int64_t share = amount % kDevice;
    const auto whole = static_cast<std::size_t>(std::min<std::int64_t>(amount / kDevice, count));
    if (share == 0 || whole == count) {
        devices.resize(whole);
        return devices;
    }
    devices[whole] = device_for(share, std::span(devices).subspan(whole), choice);
    devices.resize(whole + 1);
    return devices;
}

// `among`: at least one, those with the most left first.
std::uint32_t DeviceUse::device_for(std::int64_t share, std::span<const std::uint32_t> among,
                                    DeviceChoice choice) const {
    std::uint32_t chosen = among.front();
    for (const std::uint32_t device : among) {
        if (choice == DeviceChoice::fullest && left(device) >= share && left(device) < left(chosen)) {
            chosen = device;
        }
    }
    return chosen;
}

void DeviceUse::add(std::span<const std::uint32_t> devices, std::int64_t amount, int sign) {
    std::int64_t rest = amount;
    for (std::size_t at = 0; at < devices.size(); ++at) {
        const std::int64_t part = at + 1 < devices.size() ? kDevice : rest;
        used[devices[at]] += sign * part;
        rest -= part;
    }
}

void find_reaches(std::vector<DeviceUse> devices, DeviceChoice choice, HoldList& holds) {
    for (HeldAmount& hold : holds) {
        hold.reach = kNoDevices;
        for (DeviceUse& use : devices) {
            if (use.resource == hold.resource && hold.amount > 0) {
                use.add(use.choose(hold.amount, choice), hold.amount, +1);
                hold.reach = use.reach();
            }
        }
    }
}

}  // namespace bayplan
