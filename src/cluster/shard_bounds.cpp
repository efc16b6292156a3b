// Keeping the bounds of a block right as amounts change; see shard_bounds.h.
#include "cluster/shard_bounds.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace bayplan {

namespace {

std::int64_t capacity_of(const NodeBlock& block, ResourceId resource, std::uint32_t lane) {
    const ResourceColumns* columns = block.columns(resource);
    return columns == nullptr ? 0 : columns->capacity[lane];
}

std::int64_t in_use(const NodeBlock& block, ResourceId resource, std::uint32_t lane) {
    const ResourceColumns* columns = block.columns(resource);
    return columns == nullptr ? 0 : columns->used[lane] + columns->foreign[lane];
}

struct TwoShares {
    std::uint16_t real;
    std::uint16_t scored;
};

// Of a capacity that is too large for a share, anything: its block is not bounded.
TwoShares shares_in_use(const NodeBlock& block, ResourceId resource, ResourceId scored_resource, std::uint32_t lane) {
    const std::int64_t capacity = capacity_of(block, resource, lane);
    if (capacity > kShareCapacityMax) {
        return {0, 0};
    }
    const std::int64_t real = in_use(block, resource, lane);
    const std::int64_t scored = in_use(block, scored_resource, lane);
    const std::uint16_t share = share_of(real, capacity);
    return {share, scored == real ? share : share_of(scored, capacity)};  // a division that is mostly spared
}

// More than any ask leaves room for.
constexpr std::uint16_t kNobody = UINT16_MAX;

float unit_of(std::int64_t capacity) { return static_cast<float>(kWhole) / static_cast<float>(capacity); }

struct Range {
    std::uint16_t least = kNobody;
    std::uint16_t most = 0;
    std::uint8_t at_least = 0;
};

Range range_of(const std::uint16_t* shares, std::uint64_t lanes) {
    Range range;
    for (std::uint64_t left = lanes; left != 0; left &= left - 1) {
        const std::uint16_t share = shares[std::countr_zero(left)];
        range.at_least =
            static_cast<std::uint8_t>(share < range.least ? 1 : range.at_least + (share == range.least ? 1 : 0));
        range.least = std::min(range.least, share);
        range.most = std::max(range.most, share);
    }
    return range;
}

// The same for a block that is full of nodes, as loops that compilers turn into vectors: most placements come here.
Range range_of_all(const std::uint16_t* shares) {
    Range range;
    for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
        range.least = std::min(range.least, shares[lane]);
        range.most = std::max(range.most, shares[lane]);
    }
    for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
        range.at_least = static_cast<std::uint8_t>(range.at_least + (shares[lane] == range.least ? 1 : 0));
    }
    return range;
}

void copy_range(const ShareColumn& from, ShareColumn& to, std::uint32_t index) {
    to.least[index] = from.least[index];
    to.most[index] = from.most[index];
    to.at_least[index] = from.at_least[index];
}

// False if a node has none, or more than a share can tell.
bool find_span(const NodeBlock& block, ResourceId resource, CapacitySpan& span) {
    span = {INT64_MAX, 0};
    for (std::uint64_t left = block.present; left != 0; left &= left - 1) {
        const std::int64_t capacity = capacity_of(block, resource, static_cast<std::uint32_t>(std::countr_zero(left)));
        span.min = std::min(span.min, capacity);
        span.max = std::max(span.max, capacity);
    }
    return span.min > 0 && span.max <= kShareCapacityMax;
}

}  // namespace

void ShardBounds::resize(std::size_t blocks) {
    blocks_.resize(blocks);
    shares_.resize(blocks);
    scored_.resize(blocks);
    for (ShareColumn* const column : {&cpu_, &memory_, &scored_cpu_, &scored_memory_}) {
        column->least.resize(whole_runs(blocks), kNobody);
        column->most.resize(whole_runs(blocks), 0);
        column->at_least.resize(whole_runs(blocks), 0);
    }
    for (auto* const units : {&cpu_unit_least_, &cpu_unit_most_, &memory_unit_least_, &memory_unit_most_}) {
        units->resize(whole_runs(blocks), 0);
    }
    for (ResourceRooms& rooms : rooms_) {
        if (!rooms.lanes.empty()) {
            rooms.lanes.resize(blocks);
            rooms.least.resize(blocks, 0);
        }
    }
    if (!cpu_beside_holds_.empty()) {
        cpu_beside_holds_.resize(blocks);
    }
}

void ShardBounds::find_spans(const NodeBlock& block, std::uint32_t index) {
    BlockBounds& bounds = blocks_[index];
    const bool cpu = find_span(block, kCpu, bounds.cpu);
    const bool memory = find_span(block, kMemory, bounds.memory);
    bounds.bounded = cpu && memory;
    const bool known = bounds.bounded && bounds.present != 0;
    cpu_unit_least_[index] = known ? unit_of(bounds.cpu.max) : 0;
    cpu_unit_most_[index] = known ? unit_of(bounds.cpu.min) : 0;
    memory_unit_least_[index] = known ? unit_of(bounds.memory.max) : 0;
    memory_unit_most_[index] = known ? unit_of(bounds.memory.min) : 0;
    find_range(cpu_, shares_[index].cpu, index);
    find_range(memory_, shares_[index].memory, index);
    find_range(scored_cpu_, scored_[index].cpu, index);
    find_range(scored_memory_, scored_[index].memory, index);
}

// Where shares say nothing, anything is possible; where nobody is, nothing.
void ShardBounds::find_range(ShareColumn& column, const std::uint16_t* shares, std::uint32_t index) {
    const BlockBounds& bounds = blocks_[index];
    const Range range = bounds.present == ~std::uint64_t{0} ? range_of_all(shares) : range_of(shares, bounds.present);
    const bool anything = bounds.present != 0 && !bounds.bounded;
    column.least[index] = anything ? std::uint16_t{0} : range.least;
    column.most[index] = anything ? kWhole : range.most;
    column.at_least[index] = range.at_least;
}

// One node of the block went from one share to another.
void ShardBounds::keep_range(ShareColumn& column, const std::uint16_t* shares, std::uint32_t index,
                             std::uint16_t before, std::uint16_t now) {
    const std::uint16_t least = column.least[index];
    const std::uint16_t most = column.most[index];
    std::uint8_t& at_least = column.at_least[index];
    if ((before == least && now > least && at_least == 1) || (before == most && now < most)) {
        find_range(column, shares, index);
        return;
    }
    at_least =
        static_cast<std::uint8_t>(now < least ? 1 : at_least + (now == least ? 1 : 0) - (before == least ? 1 : 0));
    column.least[index] = std::min(least, now);
    column.most[index] = std::max(most, now);
}

ShareRanges ShardBounds::ranges(const std::uint64_t* versions) const {
    return {.cpu_least = cpu_.least.data(),
            .cpu_most = cpu_.most.data(),
            .memory_least = memory_.least.data(),
            .memory_most = memory_.most.data(),
            .scored_cpu_least = scored_cpu_.least.data(),
            .scored_memory_least = scored_memory_.least.data(),
            .cpu_unit_least = cpu_unit_least_.data(),
            .cpu_unit_most = cpu_unit_most_.data(),
            .memory_unit_least = memory_unit_least_.data(),
            .memory_unit_most = memory_unit_most_.data(),
            .versions = versions};
}

void ShardBounds::set_presence(const NodeBlock& block, std::uint32_t index) {
    BlockBounds& bounds = blocks_[index];
    const bool others = bounds.present != block.present;
    bounds.present = block.present;
    bounds.schedulable = block.schedulable;
    if (!others) {
        return;
    }
    find_spans(block, index);
    for (ResourceRooms& rooms : rooms_) {
        if (!rooms.lanes.empty()) {
            find_least(rooms, block.present, index);
        }
    }
}

void ShardBounds::set_capacity(const NodeBlock& block, std::uint32_t index, std::uint32_t lane, ResourceId resource) {
    set_use(block, index, lane, resource);
    if ((resource == kCpu || resource == kMemory) && (block.present >> lane & 1) != 0) {
        find_spans(block, index);
    }
}

void ShardBounds::set_use(const NodeBlock& block, std::uint32_t index, std::uint32_t lane, ResourceId resource) {
    if (in_shares(resource)) {
        set_shares(block, index, lane);
    } else if (raw(resource) < kBoundedResources) {
        set_room(block, index, lane, resource);
    }
}

// All lanes at once: that is a few vectors.
void ShardBounds::copy_use(const ShardBounds& from, std::uint32_t index) {
    shares_[index] = from.shares_[index];
    scored_[index] = from.scored_[index];
    copy_range(from.cpu_, cpu_, index);
    copy_range(from.memory_, memory_, index);
    copy_range(from.scored_cpu_, scored_cpu_, index);
    copy_range(from.scored_memory_, scored_memory_, index);
    blocks_[index] = from.blocks_[index];
    for (std::uint32_t resource = 0; resource < from.rooms_.size(); ++resource) {
        if (!from.rooms_[resource].lanes.empty()) {
            ResourceRooms& rooms = rooms_of(static_cast<ResourceId>(resource));
            rooms.lanes[index] = from.rooms_[resource].lanes[index];
            rooms.least[index] = from.rooms_[resource].least[index];
        }
    }
    if (!from.cpu_beside_holds_.empty()) {
        cpu_beside_holds_.resize(blocks_.size());
        cpu_beside_holds_[index] = from.cpu_beside_holds_[index];
    }
}

void ShardBounds::copy_block(const ShardBounds& from, std::uint32_t index) {
    copy_use(from, index);
    cpu_unit_least_[index] = from.cpu_unit_least_[index];
    cpu_unit_most_[index] = from.cpu_unit_most_[index];
    memory_unit_least_[index] = from.memory_unit_least_[index];
    memory_unit_most_[index] = from.memory_unit_most_[index];
}

void ShardBounds::put_share(ShareColumn& column, std::uint16_t* shares, std::uint32_t index, std::uint32_t lane,
                            std::uint16_t now) {
    const std::uint16_t before = std::exchange(shares[lane], now);
    if (before != now && blocks_[index].bounded && (blocks_[index].present >> lane & 1) != 0) {
        keep_range(column, shares, index, before, now);
    }
}

void ShardBounds::set_shares(const NodeBlock& block, std::uint32_t index, std::uint32_t lane) {
    const TwoShares cpu = shares_in_use(block, kCpu, kScoredCpu, lane);
    const TwoShares memory = shares_in_use(block, kMemory, kScoredMemory, lane);
    put_share(cpu_, shares_[index].cpu, index, lane, cpu.real);
    put_share(memory_, shares_[index].memory, index, lane, memory.real);
    put_share(scored_cpu_, scored_[index].cpu, index, lane, cpu.scored);
    put_share(scored_memory_, scored_[index].memory, index, lane, memory.scored);
    const bool apart = cpu.real != cpu.scored || memory.real != memory.scored;
    BlockBounds& bounds = blocks_[index];
    bounds.apart = (bounds.apart & ~(std::uint64_t{1} << lane)) | std::uint64_t{apart} << lane;
    if (bounds.respected_below != BlockBounds::kNoHolds) {
        set_cpu_beside_holds(block, index, lane);
    }
}

// Of a block without holds nothing is kept: its first makes all lanes.
void ShardBounds::set_holds(const NodeBlock& block, std::uint32_t index, std::uint32_t lane) {
    std::int32_t& respected_below = blocks_[index].respected_below;
    const bool first = respected_below == BlockBounds::kNoHolds;
    if (block.holding == 0) {
        respected_below = BlockBounds::kNoHolds;
        return;
    }
    respected_below = static_cast<std::int32_t>(std::clamp<std::int64_t>(block.hold_floor, INT32_MIN, INT32_MAX));
    cpu_beside_holds_.resize(blocks_.size());
    for (std::uint32_t each = first ? 0 : lane; each < (first ? kLanes : lane + 1); ++each) {
        set_cpu_beside_holds(block, index, each);
    }
}

void ShardBounds::set_cpu_beside_holds(const NodeBlock& block, std::uint32_t index, std::uint32_t lane) {
    const ResourceColumns* const columns = block.columns(kCpu);
    const std::int64_t held = columns == nullptr ? 0 : columns->held[lane];
    cpu_beside_holds_[index].code[lane] = room_code(capacity_of(block, kCpu, lane) - in_use(block, kCpu, lane) - held);
}

ResourceRooms& ShardBounds::make_rooms(ResourceId resource) {
    rooms_.resize(std::max<std::size_t>(rooms_.size(), raw(resource) + 1));
    ResourceRooms& rooms = rooms_[raw(resource)];
    rooms.lanes.resize(blocks_.size());
    rooms.least.resize(blocks_.size(), 0);
    return rooms;
}

void ShardBounds::set_room(const NodeBlock& block, std::uint32_t index, std::uint32_t lane, ResourceId resource) {
    const std::int64_t amount = capacity_of(block, resource, lane) - in_use(block, resource, lane);
    const ReachLanes* const reach = block.reach(resource);
    put_code(rooms_of(resource), index, lane, room_code(reach == nullptr ? amount : std::min(amount, (*reach)[lane])));
}

void ShardBounds::put_code(ResourceRooms& rooms, std::uint32_t index, std::uint32_t lane, std::uint16_t code) {
    const std::uint16_t before = std::exchange(rooms.lanes[index].code[lane], code);
    if (code < rooms.least[index]) {
        rooms.least[index] = code;
    } else if (code > before && before == rooms.least[index]) {
        find_least(rooms, blocks_[index].present, index);
    }
}

void ShardBounds::find_least(ResourceRooms& rooms, std::uint64_t present, std::uint32_t index) {
    std::uint16_t least = UINT16_MAX;
    for (std::uint64_t left = present; left != 0; left &= left - 1) {
        least = std::min(least, rooms.lanes[index].code[std::countr_zero(left)]);
    }
    rooms.least[index] = least;
}

}  // namespace bayplan
