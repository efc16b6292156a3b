// See shard.h.
#include "cluster/shard.h"

#include <sched.h>

#include <algorithm>
#include <bit>
#include <utility>

#include "base/check.h"
#include "cluster/resources.h"

namespace bayplan {

namespace {

void set_bit(std::uint64_t& word, std::uint32_t lane, bool value) {
    word = (word & ~(std::uint64_t{1} << lane)) | (std::uint64_t{value} << lane);
}

ResourceColumns* columns_for_write(NodeBlock& block, ResourceId resource, std::int64_t value) {
    if (raw(resource) < block.resources.size() && block.resources[raw(resource)]) {
        return block.resources[raw(resource)].get();
    }
    if (value == 0) {
        return nullptr;  // a missing column reads as zero
    }
    if (raw(resource) >= block.resources.size()) {
        block.resources.resize(raw(resource) + 1);
    }
    block.resources[raw(resource)] = std::make_unique<ResourceColumns>();
    return block.resources[raw(resource)].get();
}

// Of what every placement adds to and no capacity has: not to be made in the middle of scheduling.
void make_columns(NodeBlock& block) {
    columns_for_write(block, kScoredCpu, 1);
    columns_for_write(block, kScoredMemory, 1);
}

void set_amount(NodeBlock& block, const NodeDelta& delta) {
    ResourceColumns* columns = columns_for_write(block, delta.resource, delta.value);
    if (columns == nullptr) {
        return;
    }
    switch (delta.field) {
        case NodeDelta::Field::capacity: columns->capacity[delta.lane] = delta.value; break;
        default: columns->held[delta.lane] = delta.value; break;
    }
}

void set_reach(NodeBlock& block, const NodeDelta& delta) {
    if (block.reach(delta.resource) == nullptr) {
        if (delta.value == kNoDevices) {
            return;
        }
        if (raw(delta.resource) >= block.reaches.size()) {
            block.reaches.resize(raw(delta.resource) + 1);
        }
        block.reaches[raw(delta.resource)] = std::make_unique<ReachLanes>();
    }
    (*block.reaches[raw(delta.resource)])[delta.lane] = delta.value;
}

void set_holds(NodeBlock& block, std::uint32_t lane, std::shared_ptr<const HoldList> list) {
    std::erase_if(block.holds, [&](const auto& entry) { return entry.first == lane; });
    set_bit(block.holding, lane, list != nullptr);
    if (list) {
        BP_CHECK(!list->empty());
        block.holds.emplace_back(lane, std::move(list));
    }
    block.hold_floor = INT64_MAX;
    for (const auto& [at, holds] : block.holds) {
        // The last of a list is kept from the fewest asks.
        block.hold_floor = std::min(block.hold_floor, holds->back().kept_from_below);
    }
}

// --- copying what differs between the sides

// The other lanes are equal, so many are copied with them.
template <typename Lanes>
void copy_lanes(const Lanes& from, Lanes& to, std::uint64_t lanes) {
    constexpr int kOneByOne = 8;
    if (std::popcount(lanes) > kOneByOne) {
        to = from;
        return;
    }
    for (; lanes != 0; lanes &= lanes - 1) {
        to[static_cast<std::size_t>(std::countr_zero(lanes))] = from[static_cast<std::size_t>(std::countr_zero(lanes))];
    }
}

void copy_columns(const NodeBlock& from, NodeBlock& to, std::uint64_t used, std::uint64_t other) {
    to.resources.resize(from.resources.size());
    for (std::size_t resource = 0; resource < from.resources.size(); ++resource) {
        if (!from.resources[resource]) {
            continue;
        }
        const ResourceColumns& source = *from.resources[resource];
        if (!to.resources[resource]) {
            to.resources[resource] = std::make_unique<ResourceColumns>(source);
            continue;
        }
        ResourceColumns& target = *to.resources[resource];
        copy_lanes(source.used, target.used, used);
        if (other != 0) {
            copy_lanes(source.capacity, target.capacity, other);
            copy_lanes(source.foreign, target.foreign, other);
            copy_lanes(source.held, target.held, other);
        }
    }
}

void copy_all_but_amounts(const NodeBlock& from, NodeBlock& to, std::uint64_t lanes) {
    to.present = from.present;
    to.schedulable = from.schedulable;
    to.holding = from.holding;
    to.hold_floor = from.hold_floor;
    copy_lanes(from.names, to.names, lanes);
    to.reaches.resize(from.reaches.size());
    for (std::size_t resource = 0; resource < from.reaches.size(); ++resource) {
        if (from.reaches[resource] && !to.reaches[resource]) {
            to.reaches[resource] = std::make_unique<ReachLanes>(*from.reaches[resource]);
        } else if (from.reaches[resource]) {
            copy_lanes(*from.reaches[resource], *to.reaches[resource], lanes);
        }
    }
    if (to.holds != from.holds) {
        to.holds = from.holds;
    }
}

void resize(ShardSide& side, std::size_t blocks) {
    side.blocks.resize(blocks);
    side.versions.resize(whole_runs(blocks), 0);
    side.bounds.resize(blocks);
}

}  // namespace

Shard::ChangedLanes& Shard::changed(std::uint32_t block) {
    ChangedLanes& lanes = changed_[block];
    if (!lanes.listed) {
        lanes.listed = true;
        changed_blocks_.push_back(block);
    }
    return lanes;
}

void Shard::grow(std::uint32_t blocks) {
    resize(sides_[back_index()], blocks);
    for (auto fresh = static_cast<std::uint32_t>(changed_.size()); fresh < blocks; ++fresh) {
        changed_.emplace_back();
        changed(fresh);
    }
}

void Shard::write(const NodeDelta& delta) {
    using Field = NodeDelta::Field;
    if (delta.field == Field::grow) {
        grow(static_cast<std::uint32_t>(delta.value));
        return;
    }
    ShardSide& side = sides_[back_index()];
    NodeBlock& block = side.blocks[delta.block];
    switch (delta.field) {
        case Field::capacity:
            set_amount(block, delta);
            side.bounds.set_capacity(block, delta.block, delta.lane, delta.resource);
            break;
        case Field::held:
            set_amount(block, delta);
            side.bounds.set_holds(block, delta.block, delta.lane);
            break;
        case Field::reach:
            set_reach(block, delta);
            side.bounds.set_use(block, delta.block, delta.lane, delta.resource);
            break;
        case Field::present:
            set_bit(block.present, delta.lane, delta.value != 0);
            if (delta.value != 0) {
                make_columns(block);
            }
            side.bounds.set_presence(block, delta.block);
            break;
        case Field::schedulable:
            set_bit(block.schedulable, delta.lane, delta.value != 0);
            side.bounds.set_presence(block, delta.block);
            break;
        case Field::name: block.names[delta.lane] = static_cast<NameId>(delta.value); break;
        case Field::grow: break;
    }
    note_other(delta.block, delta.lane);
}

void Shard::set_version(std::uint32_t block, std::uint64_t version) {
    sides_[back_index()].versions[block] = version;
    changed(block);
}

void Shard::write_holds(std::uint32_t block, std::uint32_t lane, std::shared_ptr<const HoldList> list) {
    ShardSide& side = sides_[back_index()];
    set_holds(side.blocks[block], lane, std::move(list));
    side.bounds.set_holds(side.blocks[block], block, lane);
    note_other(block, lane);
}

void Shard::add(Amounts amounts, std::uint32_t block, std::uint32_t lane, std::span<const ResourceAmount> changes,
                int sign, std::uint64_t version) {
    ShardSide& side = sides_[back_index()];
    const auto& there = side.blocks[block].resources;
    bool shares = false;  // bounds of cpu and memory belong together, and are found once
    for (const ResourceAmount& change : changes) {
        ResourceColumns* columns = raw(change.resource) < there.size() ? there[raw(change.resource)].get() : nullptr;
        if (columns == nullptr) {
            columns = columns_for_write(side.blocks[block], change.resource, change.value);
        }
        if (columns != nullptr) {
            (columns->*amounts)[lane] += sign * change.value;
            if (ShardBounds::in_shares(change.resource)) {
                shares = true;
            } else {
                side.bounds.set_use(side.blocks[block], block, lane, change.resource);
            }
        }
    }
    if (shares) {
        side.bounds.set_shares(side.blocks[block], block, lane);
    }
    side.versions[block] = version;
}

void Shard::add_used(std::uint32_t block, std::uint32_t lane, std::span<const ResourceAmount> changes, int sign,
                     std::uint64_t version) {
    changed(block).used |= std::uint64_t{1} << lane;
    add(&ResourceColumns::used, block, lane, changes, sign, version);
}

void Shard::add_foreign(std::uint32_t block, std::uint32_t lane, std::span<const ResourceAmount> changes, int sign,
                        std::uint64_t version) {
    note_other(block, lane);
    add(&ResourceColumns::foreign, block, lane, changes, sign, version);
}

void Shard::copy_changes(const ShardSide& from, ShardSide& to) {
    if (to.blocks.size() != from.blocks.size()) {
        resize(to, from.blocks.size());
    }
    for (const std::uint32_t block : changed_blocks_) {
        const ChangedLanes lanes = std::exchange(changed_[block], {});
        copy_columns(from.blocks[block], to.blocks[block], lanes.used, lanes.other);
        if (lanes.other != 0) {
            copy_all_but_amounts(from.blocks[block], to.blocks[block], lanes.other);
            to.bounds.copy_block(from.bounds, block);
        } else if (lanes.used != 0) {
            to.bounds.copy_use(from.bounds, block);
        }
        to.versions[block] = from.versions[block];
    }
    changed_blocks_.clear();
}

void Shard::publish() {
    if (!has_unpublished()) {
        return;
    }
    const std::uint32_t fresh = back_index();
    const std::uint32_t old = 1 - fresh;
    active_.store(fresh, std::memory_order_seq_cst);
    wait_for_readers(old);
    copy_changes(sides_[fresh], sides_[old]);
}

void Shard::wait_for_readers(std::uint32_t side) const {
    for (const ReaderSlot& reader : readers_) {
        // A reader may have lost its CPU in mid-look: give it ours after a short spin.
        for (int turns = 0; reader.looks_at(number_, side); ++turns) {
            if (turns > 100) {
                sched_yield();
            }
        }
    }
}

}  // namespace bayplan
