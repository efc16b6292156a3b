#include "cluster/shard_bounds.h"

#include <algorithm>
#include <bit>

#include "cluster/kinds.h"

namespace bayplan {

namespace {

std::int64_t capacity_of(const NodeBlock& block, KindId kind, std::uint32_t lane) {
    const KindColumns* columns = block.columns(kind);
    return columns == nullptr ? 0 : columns->capacity[lane];
}

std::int64_t in_use(const NodeBlock& block, KindId kind, std::uint32_t lane) {
    const KindColumns* columns = block.columns(kind);
    return columns == nullptr ? 0 : columns->used[lane] + columns->foreign[lane];
}

// Of a capacity that is too large for a share, anything: its block is not bounded.
std::uint16_t share_in_use(const NodeBlock& block, KindId of_capacity, KindId of_use, std::uint32_t lane) {
    const std::int64_t capacity = capacity_of(block, of_capacity, lane);
    return capacity > kShareCapacityMax ? 0 : share_of(in_use(block, of_use, lane), capacity);
}

// False if a node has none, or more than a share can tell.
bool find_span(const NodeBlock& block, KindId kind, CapacitySpan& span) {
    span = {INT64_MAX, 0};
    for (std::uint64_t left = block.present; left != 0; left &= left - 1) {
        const std::int64_t capacity = capacity_of(block, kind, static_cast<std::uint32_t>(std::countr_zero(left)));
        span.min = std::min(span.min, capacity);
        span.max = std::max(span.max, capacity);
    }
    return span.min > 0 && span.max <= kShareCapacityMax;
}

}  // namespace

void ShardBounds::resize(std::size_t blocks) {
    blocks_.resize(blocks);
    for (std::vector<RoomLanes>& room : rooms_) {
        if (!room.empty()) {
            room.resize(blocks);
        }
    }
}

void ShardBounds::find_spans(const NodeBlock& block, BlockBounds& bounds) const {
    const bool cpu = find_span(block, kCpu, bounds.cpu);
    const bool memory = find_span(block, kMemory, bounds.memory);
    bounds.bounded = cpu && memory;
}

void ShardBounds::set_presence(const NodeBlock& block, std::uint32_t index) {
    BlockBounds& bounds = blocks_[index];
    const bool others = bounds.present != block.present;
    bounds.present = block.present;
    bounds.schedulable = block.schedulable;
    if (others) {
        find_spans(block, bounds);
    }
}

void ShardBounds::set_capacity(const NodeBlock& block, std::uint32_t index, std::uint32_t lane, KindId kind) {
    set_use(block, index, lane, kind);
    if (kind == kCpu) {
        set_use(block, index, lane, kScoredCpu);
    } else if (kind == kMemory) {
        set_use(block, index, lane, kScoredMemory);
    }
    if ((kind == kCpu || kind == kMemory) && (block.present >> lane & 1) != 0) {
        find_spans(block, blocks_[index]);
    }
}

void ShardBounds::set_use(const NodeBlock& block, std::uint32_t index, std::uint32_t lane, KindId kind) {
    if (raw(kind) <= raw(kScoredMemory)) {
        set_share(block, blocks_[index], lane, kind);
    } else if (raw(kind) < kBoundedKinds) {
        set_room(block, index, lane, kind);
    }
}

void ShardBounds::copy_use(const ShardBounds& from, std::uint32_t index, std::uint32_t lane) {
    const BlockBounds& source = from.blocks_[index];
    BlockBounds& bounds = blocks_[index];
    bounds.shares.cpu[lane] = source.shares.cpu[lane];
    bounds.shares.memory[lane] = source.shares.memory[lane];
    bounds.shares.scored_cpu[lane] = source.shares.scored_cpu[lane];
    bounds.shares.scored_memory[lane] = source.shares.scored_memory[lane];
    const std::uint64_t bit = std::uint64_t{1} << lane;
    bounds.apart = (bounds.apart & ~bit) | (source.apart & bit);
    for (std::uint32_t kind = 0; kind < from.rooms_.size(); ++kind) {
        if (!from.rooms_[kind].empty()) {
            room_of(static_cast<KindId>(kind))[index].code[lane] = from.rooms_[kind][index].code[lane];
        }
    }
}

void ShardBounds::set_share(const NodeBlock& block, BlockBounds& bounds, std::uint32_t lane, KindId kind) const {
    ShareLanes& shares = bounds.shares;
    switch (kind) {
        case kCpu: shares.cpu[lane] = share_in_use(block, kCpu, kCpu, lane); break;
        case kMemory: shares.memory[lane] = share_in_use(block, kMemory, kMemory, lane); break;
        case kScoredCpu: shares.scored_cpu[lane] = share_in_use(block, kCpu, kScoredCpu, lane); break;
        default: shares.scored_memory[lane] = share_in_use(block, kMemory, kScoredMemory, lane); break;
    }
    const bool alike = shares.cpu[lane] == shares.scored_cpu[lane] && shares.memory[lane] == shares.scored_memory[lane];
    bounds.apart = (bounds.apart & ~(std::uint64_t{1} << lane)) | std::uint64_t{!alike} << lane;
}

std::vector<RoomLanes>& ShardBounds::room_of(KindId kind) {
    if (raw(kind) >= rooms_.size()) {
        rooms_.resize(raw(kind) + 1);
    }
    std::vector<RoomLanes>& room = rooms_[raw(kind)];
    if (room.empty()) {
        room.resize(blocks_.size());
    }
    return room;
}

void ShardBounds::set_room(const NodeBlock& block, std::uint32_t index, std::uint32_t lane, KindId kind) {
    std::vector<RoomLanes>& room = room_of(kind);
    const std::int64_t amount = capacity_of(block, kind, lane) - in_use(block, kind, lane);
    const ReachLanes* const reach = block.reach(kind);
    room[index].code[lane] = room_code(reach == nullptr ? amount : std::min(amount, (*reach)[lane]));
}

}  // namespace bayplan
