// Routing of changes to shards, and what grows with the number of blocks; see node_state.h.
#include "cluster/node_state.h"

#include <algorithm>
#include <numeric>

#include "base/check.h"

namespace bayplan {

using Field = NodeDelta::Field;

NodeState::NodeState(std::uint32_t shards, std::uint32_t readers)
    : readers_(readers), shards_reciprocal_(((std::uint64_t{1} << 32) + shards - 1) / std::max(shards, 1u)) {
    BP_CHECK_OP(shards, >, 0u);
    BP_CHECK_OP(shards, <=, kShardsMax);
    for (std::uint32_t number = 0; number < shards; ++number) {
        shards_.push_back(std::make_unique<Shard>(number, readers_));
    }
}

void NodeState::write(Slot slot, Field field, std::int64_t value, ResourceId resource) {
    const std::uint32_t block = block_of(slot);
    shards_[shard_of(block)]->write(
        {.field = field, .block = index_in_shard(block), .lane = lane_of(slot), .resource = resource, .value = value});
}

void NodeState::touch(Slot slot) { set_version(block_of(slot), log_.append(slot)); }

void NodeState::touch_block(std::uint32_t block) { set_version(block, log_.append_block(block)); }

void NodeState::set_version(std::uint32_t block, std::uint64_t position) {
    shards_[shard_of(block)]->set_version(index_in_shard(block), position);
}

void NodeState::add_block() {
    const std::uint32_t block = block_count_++;
    Shard& shard = *shards_[shard_of(block)];
    BP_CHECK_OP(shard.back().blocks.size(), ==, index_in_shard(block));
    shard.write({.field = Field::grow, .value = static_cast<std::int64_t>(index_in_shard(block)) + 1});
    touch_block(block);
}

void NodeState::write_capacity(Slot slot, std::span<const ResourceAmount> capacity) {
    const NodeBlock& now = block(block_of(slot));
    for (std::uint32_t resource = 0; resource < now.resources.size(); ++resource) {
        if (now.resources[resource] && now.resources[resource]->capacity[lane_of(slot)] != 0) {
            write(slot, Field::capacity, 0, static_cast<ResourceId>(resource));
        }
    }
    for (const ResourceAmount& amount : capacity) {
        write(slot, Field::capacity, amount.value, amount.resource);
    }
}

// After its capacity.
void NodeState::write_boundless(Slot slot) {
    for (const ResourceId kind : boundless_) {
        const ResourceColumns* const now = block(block_of(slot)).columns(kind);
        if (now == nullptr || now->capacity[lane_of(slot)] == 0) {
            write(slot, Field::capacity, kBoundless, kind);
        }
    }
}

void NodeState::put_node(Slot slot, NameId name, std::span<const ResourceAmount> capacity, bool schedulable) {
    write(slot, Field::name, static_cast<std::int64_t>(raw(name)));
    write_capacity(slot, capacity);
    write_boundless(slot);
    write(slot, Field::schedulable, schedulable);
    write(slot, Field::present, 1);
    touch(slot);
}

void NodeState::remove_node(Slot slot) {
    for (const auto& columns : block(block_of(slot)).resources) {
        if (columns) {
            BP_CHECK_OP(columns->used[lane_of(slot)], ==, 0);
            BP_CHECK_OP(columns->foreign[lane_of(slot)], ==, 0);
            BP_CHECK_OP(columns->held[lane_of(slot)], ==, 0);
        }
    }
    write_capacity(slot, {});
    write(slot, Field::schedulable, 0);
    write(slot, Field::present, 0);
    touch(slot);
}

void NodeState::set_capacity(Slot slot, std::span<const ResourceAmount> capacity) {
    write_capacity(slot, capacity);
    write_boundless(slot);
    touch(slot);
}

void NodeState::set_schedulable(Slot slot, bool schedulable) {
    write(slot, Field::schedulable, schedulable);
    touch(slot);
}

void NodeState::add_used(Slot slot, std::span<const ResourceAmount> amounts, int sign) {
    const std::uint32_t block = block_of(slot);
    shards_[shard_of(block)]->add_used(index_in_shard(block), lane_of(slot), amounts, sign, log_.append(slot));
}

void NodeState::add_foreign(Slot slot, std::span<const ResourceAmount> amounts, int sign) {
    const std::uint32_t block = block_of(slot);
    shards_[shard_of(block)]->add_foreign(index_in_shard(block), lane_of(slot), amounts, sign, log_.append(slot));
}

void NodeState::set_holds(Slot slot, std::shared_ptr<const HoldList> list) {
    std::vector<ResourceAmount> held;  // of few resources, by however many holds
    const auto of = [&](ResourceId resource) -> std::int64_t& {
        const auto at = std::ranges::find(held, resource, &ResourceAmount::resource);
        return at != held.end() ? at->value : held.emplace_back(ResourceAmount{resource, 0}).value;
    };
    if (const HoldList* before = block(block_of(slot)).holds_of(lane_of(slot))) {
        for (const HeldAmount& hold : *before) of(hold.resource) = 0;
    }
    if (list) {
        for (const HeldAmount& hold : *list) of(hold.resource) += hold.amount;
    }
    for (const auto& [resource, amount] : held) {
        write(slot, Field::held, amount, resource);
    }
    const std::uint32_t block = block_of(slot);
    shards_[shard_of(block)]->write_holds(index_in_shard(block), lane_of(slot), std::move(list));
    touch(slot);
}

void NodeState::changed_since(std::uint64_t position, std::vector<std::uint32_t>& blocks) const {
    blocks.resize(block_count_);
    if (position == 0) {
        std::iota(blocks.begin(), blocks.end(), 0u);  // nothing was seen yet
        return;
    }
    blocks.resize(log_.list_blocks_after(position, blocks));
    std::sort(blocks.begin(), blocks.end());
}

void NodeState::set_reach(Slot slot, ResourceId resource, std::int64_t reach) {
    const ReachLanes* const now = block(block_of(slot)).reach(resource);
    if ((now == nullptr ? kNoDevices : (*now)[lane_of(slot)]) != reach) {
        write(slot, Field::reach, reach, resource);
        touch(slot);
    }
}

void NodeState::publish() {
    if (published_ == log_.head()) {
        return;
    }
    for (const auto& shard : shards_) {
        shard->publish();
    }
    published_ = log_.head();
}

}  // namespace bayplan
