// The state of all nodes that placements are decided on: sharded, lock-free for readers, one writer.
//
// Block b lies in shard (b / kRun) % shards. Every change goes to the back side of its shard and into
// the change log; publish() makes all of it visible to readers, and is called before there are any.
//
// Thread: all but `shard()` reads: the engine's. Owner: Engine.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "base/ids.h"
#include "cluster/change_log.h"
#include "cluster/shard.h"

namespace bayplan {

class NodeState {
public:
    static constexpr std::uint32_t kRun = 16;  // consecutive blocks in one shard

    // `readers`: how many threads may read at the same time; each has a slot of its own.
    NodeState(std::uint32_t shards, std::uint32_t readers);

    // --- layout
    std::uint32_t block_count() const { return block_count_; }
    std::uint32_t shard_count() const { return static_cast<std::uint32_t>(shards_.size()); }
    const Shard& shard(std::uint32_t index) const { return *shards_[index]; }
    ReaderSlot& reader(std::uint32_t index) { return readers_[index]; }
    std::uint32_t shard_of(std::uint32_t block) const {
        return block / kRun - runs_before(block) * static_cast<std::uint32_t>(shards_.size());
    }
    std::uint32_t index_in_shard(std::uint32_t block) const { return runs_before(block) * kRun + block % kRun; }
    // The inverse of the two above.
    std::uint32_t block_at(std::uint32_t shard, std::uint32_t index) const {
        return (index / kRun * shard_count() + shard) * kRun + index % kRun;
    }

    // --- the writer's own view: its newest state
    const NodeBlock& block(std::uint32_t block) const {
        return shards_[shard_of(block)]->back().blocks[index_in_shard(block)];
    }
    const ShardSide& side_of(std::uint32_t block) const { return shards_[shard_of(block)]->back(); }
    std::uint64_t version(std::uint32_t block) const {
        return shards_[shard_of(block)]->back().versions[index_in_shard(block)];
    }

    // --- changes; each logs its block once
    void add_block();
    void put_node(Slot, NameId, std::span<const ResourceAmount> capacity, bool schedulable);
    void remove_node(Slot);  // its used, foreign and held amounts must be zero
    void set_capacity(Slot, std::span<const ResourceAmount> capacity);
    void set_schedulable(Slot, bool);
    // A node without any of these has kBoundless of them (R-CLAIM-39). Counts from its next capacity on.
    void set_boundless(std::vector<ResourceId> kinds) { boundless_ = std::move(kinds); }
    void add_used(Slot, std::span<const ResourceAmount>, int sign);
    void add_foreign(Slot, std::span<const ResourceAmount>, int sign);
    // Null: none. Else not empty, and what is kept from the most asks comes first.
    void set_holds(Slot, std::shared_ptr<const HoldList>);
    // How far devices reach (kNoDevices: there are none). Nothing is logged if they did before.
    void set_reach(Slot, ResourceId, std::int64_t reach);

    const ChangeLog& log() const { return log_; }
    // The blocks that changed after this position of the log, each once, in order; after 0 all there are.
    void changed_since(std::uint64_t position, std::vector<std::uint32_t>& blocks) const;
    // Log position that readers are sure to see.
    std::uint64_t published() const { return published_; }
    // Before somebody reads; as long as nobody does it need not be. Costs what changed since, each lane once.
    void publish();

private:
    static constexpr std::uint32_t kShardsMax = 1'024;

    // Of the block's own shard: the block's run divided by the number of shards. A multiplication in place of a division,
    // several of which each placement would wait for; exact, as runs are below 2^22.
    std::uint32_t runs_before(std::uint32_t block) const {
        return static_cast<std::uint32_t>(block / kRun * shards_reciprocal_ >> 32);
    }
    void write(Slot, NodeDelta::Field, std::int64_t value, ResourceId resource = kNone<ResourceId>);
    void touch(Slot);
    void touch_block(std::uint32_t block);
    void set_version(std::uint32_t block, std::uint64_t position);
    void write_capacity(Slot, std::span<const ResourceAmount>);
    void write_boundless(Slot);

    ReaderSlots readers_;
    std::vector<std::unique_ptr<Shard>> shards_;
    const std::uint64_t shards_reciprocal_;  // 2^32 / shards, rounded up
    std::uint32_t block_count_ = 0;
    std::vector<ResourceId> boundless_;
    ChangeLog log_;
    std::uint64_t published_ = 0;
};

}  // namespace bayplan
