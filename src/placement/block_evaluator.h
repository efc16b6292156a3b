// Predicates and scores that a block's own columns decide, together: the best feasible node of a block for a
// class, and with columns the scores of all its nodes.
//
// Thread: any; const. Hot.
#pragma once

#include <algorithm>
#include <bit>
#include <memory>
#include <utility>

#include "placement/block_bound.h"
#include "placement/class_cache.h"
#include "predicates/predicate_set.h"
#include "scoring/score.h"

namespace bayplan {

class BlockEvaluator {
public:
    // The kernels must live as long as the evaluator; the policy is that of the scores.
    BlockEvaluator(std::unique_ptr<PredicateSet> predicates, ScoreSet scores, ScorePolicy policy,
                   const LaneKernels& kernels)
        : predicates_(std::move(predicates)),
          scores_(std::move(scores)),
          kernels_(kernels),
          bound_rules_(bound_rules(*predicates_, scores_, policy)) {}

    // A block's lanes in the mask of nodes that labels and taints let pass (null = all). For a block newer than the
    // mask all lanes: the block is judged again once the mask has it.
    static std::uint64_t allowed(std::uint32_t number, const NodeMask* mask) noexcept {
        return mask != nullptr && number < mask->size() ? (*mask)[number] : ~std::uint64_t{0};
    }

    void score(const AskClass& ask_class, const NodeBlock& block, std::uint64_t lanes,
               LaneScores& scores) const noexcept {
        for (const WeightedScore& weighted : scores_) {
            if (weighted.score->concerns(ask_class)) {
                weighted.score->add(ask_class, block, lanes, weighted.weight, scores);
            }
        }
    }

    // Looks at the block anew and puts what it finds into the cache.
    void look(const AskClass& ask_class, const NodeBlock& block, std::uint32_t number, const NodeMask* mask,
              ClassCache& cache) const noexcept {
        ClassCache::LastLook& last = cache.last_look();
        const std::uint64_t lanes = last.block == number ? whole_eights(last.stale) : ~std::uint64_t{0};
        judge(ask_class, block, lanes, allowed(number, mask), last);
        last.block = number;
        last.stale = 0;
        cache.set(number, best_of(last.feasible, last.scores, number));
        if (cache.columns()) {
            cache.set_lanes(number, last.feasible, last.scores.data());
        }
    }

    // The same of a block whose bound in the cache only `reaching` nodes may have: mostly the first of them has it, and no
    // other is looked at. If none has, though all are feasible, 16 bits were not enough, and the bound is lowered by one.
    void prove(const AskClass& ask_class, const NodeBlock& block, std::uint32_t number, const NodeMask* mask,
               std::uint64_t reaching, ClassCache& cache) const noexcept {
        if (reaching == 0) {  // the block has changed since it was bounded
            look(ask_class, block, number, mask, cache);
            return;
        }
        const std::int64_t bound = score_of(cache.best_in(number));
        ClassCache::LastLook& last = cache.last_look();
        if (last.block != number) {
            last.block = number;
            last.stale = ~std::uint64_t{0};
        }
        bool all_feasible = true;
        while (reaching != 0) {
            const std::uint64_t eight = whole_eights(reaching & -reaching);
            judge(ask_class, block, eight, allowed(number, mask), last);
            last.stale &= ~eight;
            for (std::uint64_t left = last.feasible & reaching & eight; left != 0; left &= left - 1) {
                const auto lane = static_cast<std::uint32_t>(std::countr_zero(left));
                if (last.scores[lane] == bound) {
                    cache.set(number, make_key(bound, slot_at(number, lane)));
                    return;
                }
            }
            all_feasible = all_feasible && (reaching & eight & ~last.feasible) == 0;
            reaching &= ~eight;
        }
        if (all_feasible && bound > 0) {
            cache.set_bound(number, make_key(bound - 1, slot_at(number, 0)));
        } else {
            look(ask_class, block, number, mask, cache);
        }
    }

    // The best of these nodes of a block.
    NodeKey best(const AskClass& ask_class, const NodeBlock& block, std::uint32_t number,
                 std::uint64_t among) const noexcept {
        LaneScores scores;
        const std::uint64_t lanes = judge_some(ask_class, block, whole_eights(among), among, scores);
        return best_of(lanes, scores, number);
    }

    // Judges all nodes of a block, in a mask or not: returns the lanes that fit, and their scores.
    std::uint64_t judge_all(const AskClass& ask_class, const NodeBlock& block, LaneScores& scores) const noexcept {
        return judge_some(ask_class, block, ~std::uint64_t{0}, ~std::uint64_t{0}, scores);
    }
    NodeKey best_of(std::uint64_t lanes, const LaneScores& scores, std::uint32_t number) const noexcept {
        return lanes == 0 ? 0 : kernels_.best_key(lanes, scores.data(), raw(slot_at(number, 0)));
    }

    const PredicateSet& predicates() const { return *predicates_; }
    const ScoreSet& scores() const { return scores_; }
    const LaneKernels& kernels() const { return kernels_; }
    // For a search on behalf of the class, which must outlive it.
    BlockBound bound_for(const AskClass& ask_class) const { return {bound_rules_, kernels_, ask_class}; }

private:
    // Brings those lanes (whole eights) of what is known of a block up to date.
    void judge(const AskClass& ask_class, const NodeBlock& block, std::uint64_t lanes, std::uint64_t allowed,
               ClassCache::LastLook& known) const noexcept {
        const std::uint64_t fit = judge_some(ask_class, block, lanes, lanes & allowed, known.scores);
        known.feasible = (known.feasible & ~lanes) | fit;
    }

    // Judges `lanes`, which lie in these eights: returns the lanes that fit, and their scores.
    std::uint64_t judge_some(const AskClass& ask_class, const NodeBlock& block, std::uint64_t eights,
                             std::uint64_t lanes, LaneScores& scores) const noexcept {
        kernels_.clear_eights(eights, scores.data());
        const std::uint64_t fit = predicates_->filter(ask_class, block, block.present & lanes);
        if (fit != 0) {
            // Of one eight all, which costs no more: so scores need not wait for what fits.
            score(ask_class, block, is_one_eight(eights) ? eights & block.present : fit, scores);
        }
        return fit;
    }

    std::unique_ptr<PredicateSet> predicates_;
    ScoreSet scores_;
    const LaneKernels& kernels_;
    const BoundRules bound_rules_;
};

}  // namespace bayplan
