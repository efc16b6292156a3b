// device.attributes and device.capacity as maps: domain -> map of ids -> value. A bare name is in the driver's domain.
//
// Thread: any, pure functions.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cel/functions.h"
#include "cel/value.h"

namespace bayplan::cel {

// Sorted: domains, or the ids of one domain.
std::vector<std::string> keys_of(const DeviceMap&);
bool has_key(const DeviceMap&, std::string_view key);
// A domain that nobody knows is an empty map; an id that nobody knows is an error.
Result look_up(const DeviceMap&, std::string_view key);

}  // namespace bayplan::cel
