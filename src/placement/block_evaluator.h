// Predicates and scores together: the best feasible node of a block for a class.
//
// Thread: any; const. Hot.
#pragma once

#include <bit>
#include <memory>
#include <utility>

#include "placement/class_cache.h"
#include "predicates/predicate_set.h"
#include "scoring/score.h"

namespace bayplan {

class BlockEvaluator {
public:
    BlockEvaluator(std::unique_ptr<PredicateSet> predicates, ScoreSet scores)
        : predicates_(std::move(predicates)), scores_(std::move(scores)) {}

    NodeKey best(const AskClass& ask_class, const NodeBlock& block, std::uint32_t number) const noexcept {
        const std::uint64_t lanes = predicates_->filter(ask_class, block);
        if (lanes == 0) {
            return 0;
        }
        LaneScores scores{};
        for (const WeightedScore& weighted : scores_) {
            weighted.score->add(ask_class, block, lanes, weighted.weight, scores);
        }
        NodeKey best = 0;
        for (std::uint64_t left = lanes; left != 0; left &= left - 1) {
            const auto lane = static_cast<std::uint32_t>(std::countr_zero(left));
            best = std::max(best, make_key(scores[lane], slot_at(number, lane)));
        }
        return best;
    }

    const PredicateSet& predicates() const { return *predicates_; }

private:
    std::unique_ptr<PredicateSet> predicates_;
    ScoreSet scores_;
};

}  // namespace bayplan
