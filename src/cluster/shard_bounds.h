// Upper bounds of the room and the scores of a shard's blocks (lanes/lane_bounds.h): a tenth of the exact
// columns, and dense, for searches that look at every block.
//
//   blocks[b]         shares of cpu and memory in use, the span of capacities, who is there
//   rooms[kind][b]    free amounts of the other kinds, for the first kBoundedKinds ids; empty: nobody has any
//
// Thread: part of a side of a shard, and follows its rule (shard.h). Whoever changes a column tells here.
#pragma once

#include <cstdint>
#include <vector>

#include "cluster/node_block.h"
#include "lanes/lane_bounds.h"

namespace bayplan {

// Smallest and largest capacity among a block's nodes.
struct CapacitySpan {
    std::int64_t min = 0;
    std::int64_t max = 0;
    bool operator==(const CapacitySpan&) const = default;
};

struct BlockBounds {
    ShareLanes shares;
    CapacitySpan cpu;
    CapacitySpan memory;
    std::uint64_t present = 0;  // as in NodeBlock
    std::uint64_t schedulable = 0;
    std::uint64_t apart = 0;    // lanes whose scored shares are not their real ones
    bool bounded = false;       // false: the shares say nothing (a node without cpu or memory, or with absurdly much)
};

class ShardBounds {
public:
    // Kinds with larger ids take no part: their columns are looked at where all else seems to fit.
    static constexpr std::uint32_t kBoundedKinds = 16;

    void resize(std::size_t blocks);

    // What changed in `block`, which is number `index` of the shard.
    void set_use(const NodeBlock& block, std::uint32_t index, std::uint32_t lane, KindId);       // used or foreign
    void set_capacity(const NodeBlock& block, std::uint32_t index, std::uint32_t lane, KindId);
    void set_presence(const NodeBlock& block, std::uint32_t index);                              // present, schedulable
    // What set_use() found on the other side.
    void copy_use(const ShardBounds& from, std::uint32_t index, std::uint32_t lane);

    const BlockBounds& block(std::uint32_t index) const { return blocks_[index]; }
    // Codes of a bounded kind; null: nobody in the shard has any.
    const RoomLanes* room(KindId kind, std::uint32_t index) const {
        return raw(kind) < rooms_.size() && !rooms_[raw(kind)].empty() ? &rooms_[raw(kind)][index] : nullptr;
    }

private:
    void find_spans(const NodeBlock&, BlockBounds&) const;
    void set_share(const NodeBlock&, BlockBounds&, std::uint32_t lane, KindId) const;
    std::vector<RoomLanes>& room_of(KindId);
    void set_room(const NodeBlock&, std::uint32_t index, std::uint32_t lane, KindId);

    std::vector<BlockBounds> blocks_;
    std::vector<std::vector<RoomLanes>> rooms_;
};

}  // namespace bayplan
