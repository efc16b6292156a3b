// The best node of every block for one class, and the best of all: what makes the next ask of a class
// cost a few changed blocks instead of all nodes.
//
//   best_[block]      key of the block's best feasible node, 0 = none; or a key that is no smaller
//   exact_            1 bit per block: best_ is not only a bound
//   rough_            1 bit per block: best_ is a bound that knows only ranges over the block's nodes
//   group_[g]         maximum of best_ over 64 blocks, found when it is asked for
//   feasible_[block]  only with columns: which of its nodes are feasible as far as their own columns tell,
//   local_[slot]      and the scores that these decide (for searches that add to them)
//   touched_, sites_ only with columns: what searches keep, and a bit per block that changed since the last of them
//   last_             the block that was judged last, node by node: mostly the next ask's, with one node changed
//
// Thread: one owner at a time: ClassCaches (engine thread), or the proposal it was handed to.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "base/ids.h"
#include "lanes/lane_kernels.h"
#include "placement/node_key.h"
#include "placement/site_index.h"

namespace bayplan {

class ClassCache {
public:
    static constexpr std::uint64_t kNever = 0;
    static constexpr std::uint32_t kNoBlock = UINT32_MAX;

    // Everything logged up to here is in the keys; kNever before the first filling.
    std::uint64_t position() const { return position_; }
    void set_position(std::uint64_t position) { position_ = position; }

    std::uint32_t block_count() const { return block_count_; }

    void clear() {
        block_count_ = 0;
        best_.clear();
        exact_.clear();
        rough_.clear();
        group_.clear();
        changed_.clear();
        feasible_.clear();
        local_.clear();
        touched_.clear();
        sites_.forget();
        columns_ = false;
        last_.block = kNoBlock;
        position_ = kNever;
    }

    // With columns or without; a change forgets what was cached.
    bool columns() const { return columns_; }
    void want_columns(bool wanted) {
        if (wanted != columns_) {
            clear();
            columns_ = wanted;
        }
    }

    // Kept, with the object itself; what is cleared keeps its room.
    std::size_t bytes() const {
        return sizeof *this + sites_.bytes() + changed_.capacity() + local_.capacity() * sizeof(std::int32_t) +
               (best_.capacity() + exact_.capacity() + rough_.capacity() + group_.capacity() + feasible_.capacity() +
                touched_.capacity()) *
                   sizeof(std::uint64_t);
    }

    void resize(std::uint32_t blocks) {
        if (blocks == block_count_) {
            return;
        }
        block_count_ = blocks;
        best_.resize(whole_runs(blocks), 0);
        const std::size_t groups = (blocks + kGroup - 1) / kGroup;
        exact_.resize(groups, 0);
        rough_.resize(groups, 0);
        group_.resize(groups, 0);
        changed_.resize(groups, 0);
        if (columns_) {
            feasible_.resize(blocks, 0);
            local_.resize(std::size_t{blocks} * kLanes, 0);
            touched_.resize(groups, 0);
        }
    }

    // Of a class whose columns say the same.
    void copy_columns(const ClassCache& other) {
        columns_ = true;
        block_count_ = other.block_count_;
        best_ = other.best_;
        exact_ = other.exact_;
        rough_ = other.rough_;
        group_ = other.group_;
        changed_ = other.changed_;
        feasible_ = other.feasible_;
        local_ = other.local_;
        touched_.assign(other.touched_.size(), 0);
        sites_.forget();
        last_.block = kNoBlock;
        position_ = other.position_;
    }

    // With columns: the block's nodes one by one (64 scores; only the scores of `lanes` count).
    void set_lanes(std::uint32_t block, std::uint64_t lanes, const std::int64_t* scores) {
        feasible_[block] = lanes;
        std::copy_n(scores, kLanes, &local_[std::size_t{block} * kLanes]);
        touch(block);
    }
    std::uint64_t feasible_in(std::uint32_t block) const { return feasible_[block]; }
    std::int64_t local(std::uint32_t block, std::uint32_t lane) const {
        return local_[std::size_t{block} * kLanes + lane];
    }

    const std::int32_t* locals(std::uint32_t block) const { return &local_[std::size_t{block} * kLanes]; }

    // For searches: blocks whose nodes, or whose pods, changed since they asked last.
    SiteIndex& sites() { return sites_; }
    void touch(std::uint32_t block) {
        if (block < block_count_) {
            touched_[block / kGroup] |= bit(block);
        }
    }
    void touch_all() {
        for (std::uint32_t block = 0; block < block_count_; ++block) {
            touch(block);
        }
    }
    template <typename Each>
    void take_touched(Each&& each) {
        for (std::uint32_t group = 0; group < touched_.size(); ++group) {
            for (std::uint64_t left = std::exchange(touched_[group], 0); left != 0; left &= left - 1) {
                each(group * kGroup + static_cast<std::uint32_t>(std::countr_zero(left)));
            }
        }
    }

    void set(std::uint32_t block, NodeKey key) {
        put(block, key);
        exact_[block / kGroup] |= bit(block);
        rough_[block / kGroup] &= ~bit(block);
    }
    // The block's best is no better than this.
    void set_bound(std::uint32_t block, NodeKey key) {
        put(block, key);
        exact_[block / kGroup] &= ~bit(block);
        rough_[block / kGroup] &= ~bit(block);
    }
    // While an attempt looks beside the best of all: its block gets the key of another of its nodes, and after the last
    // top() the own one back, which no key of its group exceeds.
    void set_aside(std::uint32_t block, NodeKey instead) { put(block, instead); }
    void come_back(std::uint32_t block, NodeKey key) {
        best_[block] = key;
        group_[block / kGroup] = std::max(group_[block / kGroup], key);
    }
    // Rough bounds of runs of kBlocksOfRun blocks, written into the keys themselves: then which of a run's blocks got one.
    NodeKey* keys() { return best_.data(); }
    void note_rough(std::uint32_t first_block, std::uint16_t which) {
        const std::size_t group = first_block / kGroup;
        const std::uint64_t bits = std::uint64_t{which} << first_block % kGroup;
        exact_[group] &= ~bits;
        rough_[group] |= bits;
        changed_[group] |= static_cast<std::uint8_t>(which != 0 ? 1 : 0);
    }

    // The block judged last. Lanes that changed since (`stale`) must be judged again; the others stand.
    struct LastLook {
        std::uint32_t block = kNoBlock;
        std::uint64_t feasible = 0;
        std::uint64_t stale = 0;
        LaneScores scores{};  // of the feasible ones
    };
    LastLook& last_look() { return last_; }
    // With columns: what is known of any block becomes the last look, but that these lanes changed.
    void recall(std::uint32_t block, std::uint64_t changed) {
        if (last_.block != block) {
            last_.block = block;
            last_.feasible = feasible_[block];
            last_.stale = 0;
            std::copy_n(locals(block), kLanes, last_.scores.begin());
        }
        last_.stale |= changed;
    }
    void note_changed(std::uint32_t block, std::uint64_t lanes) { last_.stale |= block == last_.block ? lanes : 0; }

    NodeKey best_in(std::uint32_t block) const { return best_[block]; }
    bool exact(std::uint32_t block) const { return (exact_[block / kGroup] & bit(block)) != 0; }

    bool rough(std::uint32_t block) const { return (rough_[block / kGroup] & bit(block)) != 0; }

    // Blocks with a rough bound above this, as many as there is room for, from the first on; after top(). Returns how many.
    std::size_t list_rough_above(NodeKey key, std::span<std::uint32_t> into) const {
        std::size_t count = 0;
        for (std::size_t group = 0; group < group_.size(); ++group) {
            for (std::uint64_t left = group_[group] > key ? rough_[group] : 0; left != 0; left &= left - 1) {
                const auto block =
                    static_cast<std::uint32_t>(group) * kGroup + static_cast<std::uint32_t>(std::countr_zero(left));
                if (best_[block] > key) {
                    into[count++] = block;
                    if (count == into.size()) {
                        return count;
                    }
                }
            }
        }
        return count;
    }

    // The largest key. If its block is exact, it is the best node of all: no bound reaches it.
    NodeKey top(const LaneKernels& kernels) {
        for (std::size_t group = 0; group < group_.size(); ++group) {
            if (changed_[group] != 0) {
                const std::size_t first = group * kGroup;
                group_[group] = kernels.largest(&best_[first], std::min<std::size_t>(kGroup, best_.size() - first));
                changed_[group] = 0;
            }
        }
        return kernels.largest(group_.data(), group_.size());
    }

private:
    static constexpr std::uint32_t kGroup = 64;

    static constexpr std::uint64_t bit(std::uint32_t block) { return std::uint64_t{1} << block % kGroup; }

    void put(std::uint32_t block, NodeKey key) {
        best_[block] = key;
        changed_[block / kGroup] = 1;
    }

    std::uint32_t block_count_ = 0;
    std::vector<NodeKey> best_;         // 0 up to whole runs
    std::vector<std::uint64_t> exact_;  // by group
    std::vector<std::uint64_t> rough_;
    std::vector<NodeKey> group_;
    std::vector<std::uint8_t> changed_;  // by group: group_ must be found anew
    bool columns_ = false;
    std::vector<std::uint64_t> feasible_;
    std::vector<std::int32_t> local_;
    std::vector<std::uint64_t> touched_;
    SiteIndex sites_;
    LastLook last_;
    std::uint64_t position_ = kNever;
};

}  // namespace bayplan
