#include "cluster/shard.h"

#include <sched.h>

#include <algorithm>
#include <bit>
#include <utility>

#include "cluster/kinds.h"

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

// Of what every placement adds to and no capacity has: not to be made in the middle of scheduling.
void make_columns(NodeBlock& block) {
    columns_for_write(block, kScoredCpu, 1);
    columns_for_write(block, kScoredMemory, 1);
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
        case Field::held: set_amount(block, delta); break;
        case Field::reach:
            set_reach(block, delta);
            side.bounds.set_use(block, delta.block, delta.lane, delta.kind);
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
        case Field::holds: set_holds(block, delta.lane, hold_lists_[static_cast<std::size_t>(delta.value)]); break;
        case Field::version: side.versions[delta.block] = static_cast<std::uint64_t>(delta.value); break;
        case Field::grow: break;
    }
}

void Shard::write(const NodeDelta& delta) {
    apply(sides_[back_index()], delta);
    deltas_.push_back(delta);
}

Shard::ChangedUse& Shard::changed_use(std::uint32_t block) {
    uses_.resize(std::max<std::size_t>(uses_.size(), block + 1));
    if ((uses_[block].used | uses_[block].foreign) == 0) {
        uses_blocks_.push_back(block);
    }
    return uses_[block];
}

// Once here and copied at publish: found by additions and divisions on one side only.
void Shard::add(Amounts amounts, std::uint32_t block, std::uint32_t lane, std::span<const KindAmount> changes, int sign,
                std::uint64_t version) {
    ShardSide& side = sides_[back_index()];
    for (const KindAmount& change : changes) {
        if (KindColumns* const columns = columns_for_write(side.blocks[block], change.kind, change.value)) {
            (columns->*amounts)[lane] += sign * change.value;
            side.bounds.set_use(side.blocks[block], block, lane, change.kind);
        }
    }
    side.versions[block] = version;
}

void Shard::add_used(std::uint32_t block, std::uint32_t lane, std::span<const KindAmount> changes, int sign,
                     std::uint64_t version) {
    changed_use(block).used |= std::uint64_t{1} << lane;
    add(&KindColumns::used, block, lane, changes, sign, version);
}

void Shard::add_foreign(std::uint32_t block, std::uint32_t lane, std::span<const KindAmount> changes, int sign,
                        std::uint64_t version) {
    changed_use(block).foreign |= std::uint64_t{1} << lane;
    add(&KindColumns::foreign, block, lane, changes, sign, version);
}

void Shard::copy(Amounts amounts, const ShardSide& from, ShardSide& to, std::uint32_t block, std::uint64_t lanes) {
    const NodeBlock& source = from.blocks[block];
    for (std::uint64_t left = lanes; left != 0; left &= left - 1) {
        const auto lane = static_cast<std::uint32_t>(std::countr_zero(left));
        for (std::uint32_t kind = 0; kind < source.kinds.size(); ++kind) {
            if (!source.kinds[kind]) {
                continue;
            }
            const std::int64_t value = (source.kinds[kind].get()->*amounts)[lane];
            if (KindColumns* const columns = columns_for_write(to.blocks[block], static_cast<KindId>(kind), value)) {
                (columns->*amounts)[lane] = value;
            }
        }
        to.bounds.copy_use(from.bounds, block, lane);
    }
}

// After the deltas: these copy what is so now, whatever else happened to the lanes in between.
void Shard::copy_uses(const ShardSide& from, ShardSide& to) {
    for (const std::uint32_t block : uses_blocks_) {
        copy(&KindColumns::used, from, to, block, uses_[block].used);
        copy(&KindColumns::foreign, from, to, block, uses_[block].foreign);
        to.versions[block] = from.versions[block];
        uses_[block] = {};
    }
    uses_blocks_.clear();
}

void Shard::write_holds(std::uint32_t block, std::uint32_t lane, std::shared_ptr<const HoldList> list) {
    hold_lists_.push_back(std::move(list));
    write({.field = NodeDelta::Field::holds,
           .block = block,
           .lane = lane,
           .value = static_cast<std::int64_t>(hold_lists_.size() - 1)});
}

void Shard::publish() {
    if (!has_unpublished()) {
        return;
    }
    const std::uint32_t fresh = back_index();
    const std::uint32_t old = 1 - fresh;
    active_.store(fresh, std::memory_order_seq_cst);
    wait_for_readers(old);
    for (const NodeDelta& delta : deltas_) {
        apply(sides_[old], delta);
    }
    copy_uses(sides_[fresh], sides_[old]);
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
