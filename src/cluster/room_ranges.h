// How much is free on the nodes of a block, the least and the most, by resource: mostly two comparisons tell of 64 nodes
// whether an amount fits.
//
// Found anew when it is asked for and the block has changed since. The reach of devices is left out.
// Memory: 32 bytes for each block and resource that was asked for: 150 KB at 100,000 nodes and three resources, 51 MB with the
// 1,024 that a partition may name.
// Thread: the engine's. Owner: World.
#pragma once

#include <cstdint>
#include <vector>

#include "cluster/node_state.h"

namespace bayplan {

class RoomRanges {
public:
    explicit RoomRanges(const NodeState& state) : state_(state) {}

    // Of the nodes that are there; without any, no amount lies in a range.
    struct Range {
        std::int64_t most = INT64_MIN;                // of capacity - used - foreign
        std::int64_t least_beside_holds = INT64_MAX;  // of the same, less all that is held
        std::int64_t least_capacity = INT64_MAX;      // of capacity
    };
    // Valid until the next call.
    const Range& of(std::uint32_t block, ResourceId resource) {
        if (raw(resource) >= entries_.size()) {
            entries_.resize(raw(resource) + 1);
        }
        std::vector<Entry>& entries = entries_[raw(resource)];
        if (block >= entries.size()) {
            entries.resize(state_.block_count());
        }
        Entry& entry = entries[block];
        if (const std::uint64_t version = state_.version(block); entry.version != version) {
            entry = {version, find(state_.block(block), resource)};
        }
        return entry.range;
    }

private:
    struct Entry {
        std::uint64_t version = UINT64_MAX;  // of the block
        Range range;
    };
    static Range find(const NodeBlock&, ResourceId);

    const NodeState& state_;
    std::vector<std::vector<Entry>> entries_;  // by resource, then by block
};

}  // namespace bayplan
