// How good can the best node of a block be for a class at most? From the shard's bounds alone, at a few ns a
// block, so that only blocks whose bound is the best there is are judged exactly.
//
// A bound may be too high, never too low. It knows the predicates NodeUnschedulable and NodeResourcesFit, the
// mask of labels and taints, and the scores of resources; holds and all else are left to the exact look.
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

// What of the settings bounds depend on.
struct BoundRules {
    bool known = false;  // false: scores are at work of which bounds know nothing
    bool resources = false;
    bool unschedulable = false;
    AllocatedScore allocated = AllocatedScore::none;
    std::uint16_t allocated_weight = 0;
    std::uint16_t balanced_weight = 0;
};
BoundRules bound_rules(const PredicateSet&, const ScoreSet&, ScorePolicy);

class BlockBound {
public:
    static constexpr NodeKey kUnknown = UINT64_MAX;

    BlockBound(const BoundRules&, const LaneKernels&, const AskClass&);

    // At least the key of the block's best node among `allowed`; 0: surely none; kUnknown: must be judged.
    NodeKey of(const ShardBounds& bounds, std::uint32_t index, std::uint32_t number, std::uint64_t allowed) {
        const BlockBounds& block = bounds.block(index);
        std::uint64_t lanes = block.present & allowed & (any_node_ ? ~std::uint64_t{0} : block.schedulable);
        for (std::uint32_t at = 0; at < kinds_ && lanes != 0; ++at) {
            const RoomLanes* room = bounds.room(needs_[at].kind, index);
            lanes &= room == nullptr ? 0 : kernels_.coded(room->code, needs_[at].code);
        }
        if (lanes == 0) {
            return 0;
        }
        if (!known_ || !block.bounded) {
            return kUnknown;
        }
        if (block.cpu != cpu_ || block.memory != memory_) {
            take_spans(block);
        }
        const std::int64_t score =
            impossible_ ? -1 : kernels_.score_bound(block.shares, block.apart == 0, terms_, lanes);
        return score < 0 ? 0 : make_key(score, slot_at(number, 0));
    }

private:
    struct Need {
        KindId kind;
        std::uint16_t code;
    };

    void take_spans(const BlockBounds&);

    const BoundRules& rules_;
    const LaneKernels& kernels_;
    const AskClass& ask_class_;
    const bool known_;
    const bool any_node_;  // drained ones too
    std::array<Need, ShardBounds::kBoundedKinds> needs_;
    std::uint32_t kinds_ = 0;
    // For blocks of these spans, which are mostly those of the block before:
    CapacitySpan cpu_;
    CapacitySpan memory_;
    ScoreTerms terms_;
    bool impossible_ = false;  // asks for more than any of their nodes has
};

}  // namespace bayplan
