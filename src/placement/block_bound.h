// How good can the best node of a block be for a class at most? From the shard's bounds alone, at a few ns a
// block, so that only blocks whose bound is the best there is are judged exactly.
//
// A bound may be too high, never too low. It knows the predicates NodeUnschedulable and NodeResourcesFit, of holds what they
// keep of cpu, if the ask respects all of a block's, the mask of labels and taints, and the scores of resources; all else is
// left to the exact look.
//
// Thread: BoundRules: any, constant. BlockBound: its owner's, for one search.
#pragma once

#include <array>
#include <cstdint>

#include "apps/ask_class.h"
#include "cluster/shard_bounds.h"
#include "placement/class_cache.h"
#include "predicates/predicate_set.h"
#include "scoring/score.h"

namespace bayplan {

// The settings that bounds depend on.
struct BoundRules {
    bool known = false;  // false: a score is in force that bounds do not cover
    bool resources = false;
    bool unschedulable = false;
    AllocatedScore allocated = AllocatedScore::none;
    std::uint16_t allocated_weight = 0;
    std::uint16_t balanced_weight = 0;
};
BoundRules bound_rules(const PredicateSet&, const ScoreSet&, ScorePolicy);

class BlockBound {
public:
    BlockBound(const BoundRules&, const LaneKernels&, const AskClass&);

    // Puts a bound into the cache, of the block's nodes among `allowed`: now, or by the time that finish() returns.
    // False: it must be judged. `bounds` must not change before finish().
    bool put(const ShardBounds& bounds, std::uint32_t index, std::uint32_t number, std::uint64_t allowed,
             ClassCache& cache) {
        if (&bounds != bounds_) {
            enter(bounds);
        }
        const BlockBounds& block = bounds.block(index);
        const std::uint64_t lanes = fitting(bounds, index) & allowed;
        if (lanes == 0) {
            cache.set_bound(number, 0);
            return true;
        }
        if (!known_ || !block.bounded) {
            return false;
        }
        if (block.cpu != cpu_ || block.memory != memory_) {
            flush(cache);
            take_spans(block);
        }
        const ShareLanes& shares = bounds.shares(index);
        __builtin_prefetch(shares.cpu);
        __builtin_prefetch(shares.cpu + kLanes / 2);
        __builtin_prefetch(shares.memory);
        __builtin_prefetch(shares.memory + kLanes / 2);
        numbers_[listed_] = number;
        blocks_[listed_] = {&shares, block.apart == 0 ? &shares : &bounds.scored_shares(index), lanes};
        if (++listed_ == kTogether) {
            flush(cache);
        }
        return true;
    }

    // May bounds be found from ranges? Else put_runs must not be called.
    bool by_ranges() const { return known_ && rules_.allocated != AllocatedScore::most; }
    // Puts a rough bound into the cache for each block of the runs, from the shard's first on, that changed after the
    // cache's position. Returns how many.
    std::uint32_t put_runs(const ShareRanges&, const BlockRuns&, ClassCache&) const;

    void finish(ClassCache& cache) {
        flush(cache);
        bounds_ = nullptr;
    }

    // Lanes of `allowed` whose nodes may be taken and may have this score or a better one; after finish(). Without
    // known bounds: every lane with room.
    std::uint64_t reaching(const ShardBounds&, std::uint32_t index, std::uint64_t allowed, std::int64_t score);

    // Blocks that put() has bounded.
    std::uint32_t bounded() const { return bounded_; }

private:
    // So many are bounded by one call: their shares still are in the L1 cache.
    static constexpr std::uint32_t kTogether = 64;

    struct Need {
        ResourceId resource;
        std::uint16_t code;
        const ResourceRooms* rooms;  // of the shard; null: nobody has any
    };

    // Lanes of the block whose nodes may be taken and have room for resources other than cpu and memory, and beside holds.
    std::uint64_t fitting(const ShardBounds& bounds, std::uint32_t index) const {
        const BlockBounds& block = bounds.block(index);
        std::uint64_t lanes = block.present & (any_node_ ? ~std::uint64_t{0} : block.schedulable);
        for (std::uint32_t at = 0; at < resources_; ++at) {
            const Need& need = needs_[at];
            if (need.rooms == nullptr) {
                return 0;
            }
            if (need.rooms->least[index] < need.code) {
                lanes &= kernels_.coded(need.rooms->lanes[index].code, need.code);
            }
        }
        if (respects_holds_ && ask_class_.priority < block.respected_below) {
            lanes &= kernels_.coded(bounds.cpu_beside_holds(index).code, cpu_code_);
        }
        return lanes;
    }

    RangeTerms range_terms(std::uint64_t version) const;
    void enter(const ShardBounds&);
    void take_spans(const BlockBounds&);
    void flush(ClassCache&);

    const BoundRules& rules_;
    const LaneKernels& kernels_;
    const AskClass& ask_class_;
    const bool known_;
    const bool any_node_;  // drained ones too
    const bool respects_holds_;
    const std::uint16_t cpu_code_;
    std::array<Need, ShardBounds::kBoundedResources> needs_;
    std::uint32_t resources_ = 0;
    const ShardBounds* bounds_ = nullptr;
    // For blocks with these spans, mostly the same spans as the block before:
    CapacitySpan cpu_;
    CapacitySpan memory_;
    ScoreTerms terms_;
    bool impossible_ = false;  // asks for more than any of their nodes has
    std::uint32_t bounded_ = 0;
    // Of these spans, and not bounded yet:
    std::uint32_t listed_ = 0;
    std::array<std::uint32_t, kTogether> numbers_;
    std::array<BoundedBlock, kTogether> blocks_;
};

}  // namespace bayplan
