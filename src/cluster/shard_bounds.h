// Upper bounds of the room and the scores of a shard's blocks (lanes/lane_bounds.h): a tenth of the exact
// columns, and dense, for searches that look at every block.
//
//   blocks[b]         lanes with a node, the span of capacities: a cache line
//   shares[b]         of cpu and memory, in use; scored[b]: what resource scores count of them
//   ranges            the least and the most of the shares of a block: columns over blocks
//   cpu_beside_holds[b]   free cpu less what holds keep, of blocks with holds alone
//   rooms[resource][b]    free amounts of the other resources, for the first kBoundedResources ids; empty: no node has any
//
// Thread: part of a side of a shard, and follows its rule (shard.h). A change of a column is told here.
#pragma once

#include <cstdint>
#include <vector>

#include "cluster/node_block.h"
#include "cluster/resources.h"
#include "lanes/lane_bounds.h"

namespace bayplan {

// Smallest and largest capacity among a block's nodes.
struct CapacitySpan {
    std::int64_t min = 0;
    std::int64_t max = 0;
    bool operator==(const CapacitySpan&) const = default;
};

struct alignas(64) BlockBounds {
    CapacitySpan cpu;
    CapacitySpan memory;
    std::uint64_t present = 0;  // as in NodeBlock
    std::uint64_t schedulable = 0;
    std::uint64_t apart = 0;  // lanes whose scored shares are not their real ones
    bool bounded = false;     // false: the shares say nothing (a node without cpu or memory, or with absurdly much)
    // Asks below this priority respect every hold here, which cpu_beside_holds() tells of; kNoHolds: there are none.
    static constexpr std::int32_t kNoHolds = INT32_MIN;
    std::int32_t respected_below = kNoHolds;
    bool operator==(const BlockBounds&) const = default;
};

// Of the nodes of a block, by block.
struct ShareColumn {
    std::vector<std::uint16_t> least;
    std::vector<std::uint16_t> most;
    std::vector<std::uint8_t> at_least;  // how many nodes are at the least
    bool operator==(const ShareColumn&) const = default;
};

// Of one resource, by block.
struct ResourceRooms {
    std::vector<RoomLanes> lanes;
    std::vector<std::uint16_t> least;  // no node of the block has a smaller code
    bool operator==(const ResourceRooms&) const = default;
};

class ShardBounds {
public:
    // Resources with larger ids take no part: their columns are looked at where all else seems to fit.
    static constexpr std::uint32_t kBoundedResources = 16;

    // Cpu and memory, and what scores count of them.
    static constexpr bool in_shares(ResourceId resource) { return raw(resource) <= raw(kScoredMemory); }

    void resize(std::size_t blocks);

    // Take over a change in `block`, which is number `index` of the shard.
    void set_use(const NodeBlock& block, std::uint32_t index, std::uint32_t lane, ResourceId);  // used or foreign
    void set_shares(const NodeBlock& block, std::uint32_t index, std::uint32_t lane);  // of every in_shares() resource
    void set_capacity(const NodeBlock& block, std::uint32_t index, std::uint32_t lane, ResourceId);
    void set_presence(const NodeBlock& block, std::uint32_t index);                   // present, schedulable
    void set_holds(const NodeBlock& block, std::uint32_t index, std::uint32_t lane);  // their list, or what they hold
    // Copy a block's bounds from the other side: copy_use() if only its use has changed, else copy_block().
    void copy_use(const ShardBounds& from, std::uint32_t index);
    void copy_block(const ShardBounds& from, std::uint32_t index);
    bool operator==(const ShardBounds&) const = default;

    const BlockBounds& block(std::uint32_t index) const { return blocks_[index]; }
    const ShareLanes& shares(std::uint32_t index) const { return shares_[index]; }
    const ShareLanes& scored_shares(std::uint32_t index) const { return scored_[index]; }
    const RoomLanes& cpu_beside_holds(std::uint32_t index) const { return cpu_beside_holds_[index]; }
    // With the versions that the shard keeps.
    ShareRanges ranges(const std::uint64_t* versions) const;
    // Codes of a bounded resource; null: nobody in the shard has any.
    const ResourceRooms* rooms(ResourceId resource) const {
        return raw(resource) < rooms_.size() && !rooms_[raw(resource)].lanes.empty() ? &rooms_[raw(resource)] : nullptr;
    }

private:
    void find_spans(const NodeBlock&, std::uint32_t index);
    void find_range(ShareColumn&, const std::uint16_t* shares, std::uint32_t index);
    void keep_range(ShareColumn&, const std::uint16_t* shares, std::uint32_t index, std::uint16_t before,
                    std::uint16_t now);
    void put_share(ShareColumn&, std::uint16_t* shares, std::uint32_t index, std::uint32_t lane, std::uint16_t now);
    void put_code(ResourceRooms&, std::uint32_t index, std::uint32_t lane, std::uint16_t code);
    ResourceRooms& rooms_of(ResourceId resource) {
        return raw(resource) < rooms_.size() && !rooms_[raw(resource)].lanes.empty() ? rooms_[raw(resource)]
                                                                                     : make_rooms(resource);
    }
    ResourceRooms& make_rooms(ResourceId);
    void set_room(const NodeBlock&, std::uint32_t index, std::uint32_t lane, ResourceId);
    void set_cpu_beside_holds(const NodeBlock&, std::uint32_t index, std::uint32_t lane);
    static void find_least(ResourceRooms&, std::uint64_t present, std::uint32_t index);

    std::vector<BlockBounds> blocks_;
    std::vector<ShareLanes> shares_;
    std::vector<ShareLanes> scored_;
    ShareColumn cpu_;
    ShareColumn memory_;
    ShareColumn scored_cpu_;
    ShareColumn scored_memory_;
    // Shares that an amount of 1 is, of the largest and of the smallest capacity.
    std::vector<float> cpu_unit_least_;
    std::vector<float> cpu_unit_most_;
    std::vector<float> memory_unit_least_;
    std::vector<float> memory_unit_most_;
    std::vector<ResourceRooms> rooms_;
    std::vector<RoomLanes> cpu_beside_holds_;  // by block; empty: there has been no hold in the shard
};

}  // namespace bayplan
