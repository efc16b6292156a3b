// A device with nothing but what a selector says that it reads: its answer must be the same.
//
// Thread: any, pure functions.
#pragma once

#include <algorithm>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "cel/selector.h"

namespace bayplan::cel {

// The attributes, or with `capacity` the capacities, that are read of a device of the driver.
template <typename Entry>
std::vector<Entry> only_read(const std::vector<Entry>& all, std::string_view driver, const DeviceReads& reads,
                             bool capacity) {
    std::vector<Entry> some;
    std::ranges::copy_if(all, std::back_inserter(some), [&](const Entry& entry) {
        return std::ranges::any_of(reads.names, [&](const DeviceReads::Name& name) {
            const std::string whole = name.domain + "/" + name.id;
            return name.capacity == capacity &&
                   (entry.name == whole || (entry.name == name.id && name.domain == driver));
        });
    });
    return some;
}

}  // namespace bayplan::cel
