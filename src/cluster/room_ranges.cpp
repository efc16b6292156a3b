// Ranges of free amounts; see room_ranges.h.
#include "cluster/room_ranges.h"

#include <algorithm>

#include "base/bits.h"

namespace bayplan {

RoomRanges::Range RoomRanges::find(const NodeBlock& block, ResourceId resource) {
    Range range;
    const ResourceColumns* const owned = block.columns(resource);
    const ResourceColumns& columns = owned == nullptr ? kNoColumns : *owned;
    for_each_bit(block.present, [&](std::uint32_t lane) {
        const std::int64_t capacity = columns.capacity[lane];
        const std::int64_t free = capacity - columns.used[lane] - columns.foreign[lane];
        range.most = std::max(range.most, free);
        range.least_beside_holds = std::min(range.least_beside_holds, free - columns.held[lane]);
        range.least_capacity = std::min(range.least_capacity, capacity);
    });
    return range;
}

}  // namespace bayplan
