// Devices of a node, counted out one by one. rules/devices.md.
//
// Thread: pure functions. Errors: none.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "kube_model.h"

namespace bayplan::oracle {

// What a pod must leave alone, as if a pod of this amount ran there.
struct KubeKept {
    std::int64_t kept_from_below = 0;
    int whose = 0;  // 0: an operator's, 1: a nominated pod's, 2: a reservation
    std::uint64_t first =
        0;  // the hold's owner, the nominated pod's group number, or the reserving pod's sequence number
    std::uint64_t second = 0;  // the nominated pod's sequence number
    std::int64_t amount = 0;

    // Smaller is put on devices first.
    auto rank() const { return std::tuple(-kept_from_below, whose, first, second); }
};

using DevicesLeft = std::vector<std::int64_t>;  // by number of the device; may be below 0

// Of the `count` devices of a kind, beside these pods and all that is kept.
DevicesLeft devices_left(std::int64_t count, const std::string& kind, const std::vector<const KubePod*>& pods,
                         std::vector<KubeKept> kept, bool fullest);
bool devices_fit(const DevicesLeft&, std::int64_t amount);
std::vector<int> choose_devices(const DevicesLeft&, std::int64_t amount, bool fullest);
void take_devices(const std::vector<int>& devices, std::int64_t amount, DevicesLeft&);

// How many devices an amount takes.
std::int64_t number_of_devices(std::int64_t amount);
// `KIND=0+3,KIND=1`, in order of the kinds; and back, absent if it cannot be read.
std::string devices_text(const KubeDevices&);
std::optional<KubeDevices> read_devices(const std::string&);
// A kind of this name may be devices.
bool is_device_name(const std::string&);

}  // namespace bayplan::oracle
