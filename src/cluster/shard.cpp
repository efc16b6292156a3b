#include "cluster/shard.h"

#include <sched.h>

#include <algorithm>
#include <utility>

namespace bayplan {

namespace {

void set_bit(std::uint64_t& word, std::uint32_t lane, bool value) {
    word = (word & ~(std::uint64_t{1} << lane)) | (std::uint64_t{value} << lane);
}

KindColumns* columns_for_write(NodeBlock& block, KindId kind, std::int64_t value) {
    if (raw(kind) < block.kinds.size() && block.kinds[raw(kind)]) {
        return block.kinds[raw(kind)].get();
    }
    if (value == 0) {
        return nullptr;  // a missing column reads as zero
    }
    if (raw(kind) >= block.kinds.size()) {
        block.kinds.resize(raw(kind) + 1);
    }
    block.kinds[raw(kind)] = std::make_unique<KindColumns>();
    return block.kinds[raw(kind)].get();
}

void set_amount(NodeBlock& block, const NodeDelta& delta) {
    KindColumns* columns = columns_for_write(block, delta.kind, delta.value);
    if (columns == nullptr) {
        return;
    }
    switch (delta.field) {
        case NodeDelta::Field::capacity: columns->capacity[delta.lane] = delta.value; break;
        default: columns->held[delta.lane] = delta.value; break;
    }
}

void set_reach(NodeBlock& block, const NodeDelta& delta) {
    if (block.reach(delta.kind) == nullptr) {
        if (delta.value == kNoDevices) {
            return;
        }
        if (raw(delta.kind) >= block.reaches.size()) {
            block.reaches.resize(raw(delta.kind) + 1);
        }
        block.reaches[raw(delta.kind)] = std::make_unique<ReachLanes>();
    }
    (*block.reaches[raw(delta.kind)])[delta.lane] = delta.value;
}

void set_holds(NodeBlock& block, std::uint32_t lane, std::shared_ptr<const HoldList> list) {
    std::erase_if(block.holds, [&](const auto& entry) { return entry.first == lane; });
    set_bit(block.holding, lane, list != nullptr);
    if (list) {
        block.holds.emplace_back(lane, std::move(list));
    }
    block.hold_floor = INT64_MAX;
    for (const auto& [at, holds] : block.holds) {
        for (const HeldAmount& hold : *holds) {
            block.hold_floor = std::min(block.hold_floor, hold.kept_from_below);
        }
    }
}

}  // namespace

void Shard::apply(ShardSide& side, const NodeDelta& delta) const {
    using Field = NodeDelta::Field;
    if (delta.field == Field::grow) {
        side.blocks.resize(static_cast<std::size_t>(delta.value));
        side.versions.resize(whole_runs(static_cast<std::size_t>(delta.value)), 0);
        side.bounds.resize(static_cast<std::size_t>(delta.value));
        return;
    }
    NodeBlock& block = side.blocks[delta.block];
    switch (delta.field) {
        case Field::capacity:
            set_amount(block, delta);
            side.bounds.set_capacity(block, delta.block, delta.lane, delta.kind);
            break;
        case Field::all_used: copy(&KindColumns::used, other(side), side, delta); break;
        case Field::all_foreign: copy(&KindColumns::foreign, other(side), side, delta); break;
        case Field::held: set_amount(block, delta); break;
        case Field::reach:
            set_reach(block, delta);
            side.bounds.set_use(block, delta.block, delta.lane, delta.kind);
            break;
        case Field::present:
            set_bit(block.present, delta.lane, delta.value != 0);
            side.bounds.set_presence(block, delta.block);
            break;
        case Field::schedulable:
            set_bit(block.schedulable, delta.lane, delta.value != 0);
            side.bounds.set_presence(block, delta.block);
            break;
        case Field::name: block.names[delta.lane] = static_cast<NameId>(delta.value); break;
        case Field::holds: set_holds(block, delta.lane, hold_lists_[static_cast<std::size_t>(delta.value)]); break;
        case Field::version: side.versions[delta.block] = static_cast<std::uint64_t>(delta.value); break;
        case Field::grow: break;
    }
}

void Shard::write(const NodeDelta& delta) {
    apply(sides_[back_index()], delta);
    deltas_.push_back(delta);
}

// Once here and copied at publish: found by additions and divisions on one side only.
void Shard::add(Amounts amounts, NodeDelta::Field field, std::uint32_t block, std::uint32_t lane,
                std::span<const KindAmount> changes, int sign, std::uint64_t version) {
    ShardSide& side = sides_[back_index()];
    for (const KindAmount& change : changes) {
        if (KindColumns* const columns = columns_for_write(side.blocks[block], change.kind, change.value)) {
            (columns->*amounts)[lane] += sign * change.value;
            side.bounds.set_use(side.blocks[block], block, lane, change.kind);
        }
    }
    side.versions[block] = version;
    deltas_.push_back({.field = field, .block = block, .lane = lane});
}

void Shard::add_used(std::uint32_t block, std::uint32_t lane, std::span<const KindAmount> changes, int sign,
                     std::uint64_t version) {
    add(&KindColumns::used, NodeDelta::Field::all_used, block, lane, changes, sign, version);
}

void Shard::add_foreign(std::uint32_t block, std::uint32_t lane, std::span<const KindAmount> changes, int sign,
                        std::uint64_t version) {
    add(&KindColumns::foreign, NodeDelta::Field::all_foreign, block, lane, changes, sign, version);
}

// Brings later changes of the lane along, whose own deltas then change nothing.
void Shard::copy(Amounts amounts, const ShardSide& from, ShardSide& to, const NodeDelta& delta) const {
    const NodeBlock& source = from.blocks[delta.block];
    for (std::uint32_t kind = 0; kind < source.kinds.size(); ++kind) {
        if (source.kinds[kind]) {
            const std::int64_t value = (source.kinds[kind].get()->*amounts)[delta.lane];
            KindColumns* const columns = columns_for_write(to.blocks[delta.block], static_cast<KindId>(kind), value);
            if (columns != nullptr) {
                (columns->*amounts)[delta.lane] = value;
            }
        }
    }
    to.bounds.copy_use(from.bounds, delta.block, delta.lane);
    to.versions[delta.block] = from.versions[delta.block];
}

void Shard::write_holds(std::uint32_t block, std::uint32_t lane, std::shared_ptr<const HoldList> list) {
    hold_lists_.push_back(std::move(list));
    write({.field = NodeDelta::Field::holds,
           .block = block,
           .lane = lane,
           .value = static_cast<std::int64_t>(hold_lists_.size() - 1)});
}

void Shard::publish() {
    if (deltas_.empty()) {
        return;
    }
    const std::uint32_t fresh = back_index();
    const std::uint32_t old = 1 - fresh;
    active_.store(fresh, std::memory_order_seq_cst);
    wait_for_readers(old);
    for (const NodeDelta& delta : deltas_) {
        apply(sides_[old], delta);
    }
    deltas_.clear();
    hold_lists_.clear();
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
