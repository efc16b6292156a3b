// A run of node blocks, kept twice, so that readers never wait and never see a half-made change
// (the left-right technique).
//
//              active_ ---> side 0   <- readers announce (shard, side), look at active_ again, read
//                           side 1   <- the writer writes here: nobody reads it
//   publish():  active_ = 1; wait until nobody has announced side 0; copy to side 0 the lanes that differ
//
// The writer always works on, and reads, the side that is not active: its own newest state. It notes which
// lanes it changed, a bit each, and nothing else: a lane that changes a thousand times before somebody
// reads is copied once, and never if nobody does.
//
// A reader that announced the old side after the flip sees active_ changed at its second look and tries
// again, so after the wait nobody is or comes into the old side. Announcing, both looks, the flip and the
// writer's look at the announcements are sequentially consistent: the reader's announcement and the
// writer's flip form the store/load pattern of Dekker, which weaker orders do not give. No bare fences
// (ThreadSanitizer does not see them).
//
// Thread: write, back and publish: the engine's; read: any thread that owns a ReaderSlot.
// Owner: NodeState. Blocks: publish waits for one reader's look at this shard at most.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/ids.h"
#include "cluster/node_block.h"
#include "cluster/shard_bounds.h"

namespace bayplan {

// Where a reader says which side of which shard it looks at. One per reading thread, on its own line.
class alignas(64) ReaderSlot {
public:
    void announce(std::uint32_t shard, std::uint32_t side) {
        looking_at_.store(code(shard, side), std::memory_order_seq_cst);
    }
    // Pairs with the load in Shard::wait_for_readers: what was read before this store stays before it.
    void leave() { looking_at_.store(0, std::memory_order_release); }
    bool looks_at(std::uint32_t shard, std::uint32_t side) const {
        return looking_at_.load(std::memory_order_seq_cst) == code(shard, side);
    }

private:
    static constexpr std::uint64_t code(std::uint32_t shard, std::uint32_t side) {
        return (std::uint64_t{shard} << 1 | side) + 1;  // 0 = nowhere
    }
    std::atomic<std::uint64_t> looking_at_{0};
};

using ReaderSlots = std::vector<ReaderSlot>;  // fixed in size before the first reader starts

struct ResourceAmount {
    ResourceId resource = kNone<ResourceId>;
    std::int64_t value = 0;
    bool operator==(const ResourceAmount&) const = default;
};

// One change of one lane, to an absolute value.
struct NodeDelta {
    enum class Field : std::uint8_t { capacity, held, reach, present, schedulable, name, grow };
    Field field = Field::capacity;
    std::uint32_t block = 0;  // within the shard
    std::uint32_t lane = 0;
    ResourceId resource = kNone<ResourceId>;
    std::int64_t value = 0;  // `grow`: how many blocks there are from now on
};

// One side of a shard, as a reader sees it.
struct ShardSide {
    std::vector<NodeBlock> blocks;
    std::vector<std::uint64_t> versions;  // change-log position of each block's last change; 0 up to whole runs
    ShardBounds bounds;
};

class Shard {
public:
    Shard(std::uint32_t number, const ReaderSlots& readers) : number_(number), readers_(readers) {}

    // --- the engine thread
    const ShardSide& back() const { return sides_[back_index()]; }
    void write(const NodeDelta&);
    // To what is used (or foreign) on a lane; `version`: the block's, from now on.
    void add_used(std::uint32_t block, std::uint32_t lane, std::span<const ResourceAmount>, int sign,
                  std::uint64_t version);
    void add_foreign(std::uint32_t block, std::uint32_t lane, std::span<const ResourceAmount>, int sign,
                     std::uint64_t version);
    void write_holds(std::uint32_t block, std::uint32_t lane, std::shared_ptr<const HoldList>);
    void set_version(std::uint32_t block, std::uint64_t version);
    void publish();
    bool has_unpublished() const { return !changed_blocks_.empty(); }

    // --- readers: `look` gets a const ShardSide& and must not keep anything of it. (The slot's type is
    // open so that a test can stand between the two looks at active_.)
    template <typename Reader, typename Look>
    void read(Reader& me, Look&& look) const {
        for (;;) {
            const std::uint32_t side = active_.load(std::memory_order_seq_cst);
            me.announce(number_, side);
            if (active_.load(std::memory_order_seq_cst) == side) {
                look(sides_[side]);
                me.leave();
                return;
            }
        }
    }

private:
    std::uint32_t back_index() const { return 1 - active_.load(std::memory_order_relaxed); }
    using Amounts = std::array<std::int64_t, kLanes> ResourceColumns::*;
    // Changes of a block that the active side has not got yet, a bit per lane. Use, which changes most, is told apart.
    struct ChangedLanes {
        std::uint64_t used = 0;
        std::uint64_t other = 0;
        bool listed = false;
    };

    ChangedLanes& changed(std::uint32_t block);
    void note_other(std::uint32_t block, std::uint32_t lane) { changed(block).other |= std::uint64_t{1} << lane; }
    void grow(std::uint32_t blocks);
    void add(Amounts, std::uint32_t block, std::uint32_t lane, std::span<const ResourceAmount>, int sign,
             std::uint64_t version);
    void copy_changes(const ShardSide& from, ShardSide& to);
    void wait_for_readers(std::uint32_t side) const;

    const std::uint32_t number_;
    const ReaderSlots& readers_;
    alignas(64) std::atomic<std::uint32_t> active_{0};
    alignas(64) std::array<ShardSide, 2> sides_;
    std::vector<ChangedLanes> changed_;          // by block
    std::vector<std::uint32_t> changed_blocks_;  // the listed blocks
};

}  // namespace bayplan
