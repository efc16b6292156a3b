// Devices as shims state them and decisions tell them: `KIND=0+3,KIND=1` (rules/devices.md).
//
// Thread: any; no state.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace bayplan {

// A text of devices, `KIND=0+3,KIND=1`: well-formed, or not.
bool is_device_text(std::string_view);
// The devices of one resource in `text`; empty if none.
std::vector<std::uint32_t> devices_in(std::string_view text, std::string_view resource);
// True if a resource of this name may be devices.
bool can_be_devices(std::string_view name);
// True if devices of a class may stand for the kind: an extended resource, whose name has a slash.
inline bool can_be_of_class(std::string_view kind) { return kind.find('/') != std::string_view::npos; }

}  // namespace bayplan
