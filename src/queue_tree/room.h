// Amounts left, or needed, of the few resources that maxima of queues name. They decide most often whether an ask has room,
// and are small enough for a tree of needs to keep the least of each part of it.
//
// Thread: any. A resource that is not needed is 0, one without a maximum kUnlimited; what is left is never below 0.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>

namespace bayplan::queue_tree {

struct Room {
    static constexpr std::size_t kWidth = 8;  // a cache line; further resources are looked at one ask at a time

    std::array<std::int64_t, kWidth> amounts{};

    bool covers(const Room& need) const {
        bool enough = true;
        for (std::size_t at = 0; at < kWidth; ++at) enough &= need.amounts[at] <= amounts[at];
        return enough;
    }
    void lower_to(const Room& other) {
        for (std::size_t at = 0; at < kWidth; ++at) amounts[at] = std::min(amounts[at], other.amounts[at]);
    }
    bool operator==(const Room&) const = default;
};

// Needed by nobody.
inline constexpr Room kNoRoomEver = [] {
    Room room;
    room.amounts.fill(std::numeric_limits<std::int64_t>::max());
    return room;
}();

}  // namespace bayplan::queue_tree
