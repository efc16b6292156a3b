#include "placement/cluster_search.h"

#include <algorithm>
#include <array>
#include <bit>

namespace bayplan {

bool ClusterSearch::filters_couple(const Subject& subject) const {
    const auto& predicates = predicates_.predicates();
    return std::any_of(predicates.begin(), predicates.end(),
                       [&](const auto& predicate) { return predicate->couples(subject); }) ||
           predicates_.refuse_all(subject).refusal.verdict != Verdict::feasible;
}

bool ClusterSearch::couples(const Subject& subject) const {
    return (!subject.plan.plain && filters_couple(subject)) ||
           std::any_of(scores_.begin(), scores_.end(), [&](const WeightedClusterScore& weighted) {
               return weighted.score->tells_apart(subject);
           });
}

bool ClusterSearch::filter(const Subject& subject, const ClassCache& cache, const NodeMask* left_out) {
    feasible_.assign(cache.block_count(), 0);
    if (predicates_.refuse_all(subject).refusal.verdict != Verdict::feasible) {
        return false;
    }
    coupled_.clear();
    predicates_.coupled(subject, coupled_);
    for (const Predicate* predicate : coupled_) {
        predicate->begin(subject);
    }
    std::uint64_t any = 0;
    for (std::uint32_t block = 0; block < cache.block_count(); ++block) {
        std::uint64_t lanes = cache.feasible_in(block);
        if (left_out != nullptr) {
            lanes &= ~(*left_out)[block];
        }
        for (std::size_t index = 0; index < coupled_.size() && lanes != 0; ++index) {
            lanes = coupled_[index]->filter_cluster(subject, block, lanes);
        }
        feasible_[block] = lanes;
        any |= lanes;
    }
    return any != 0;
}

void ClusterSearch::collect(const Subject& subject) {
    raws_.resize(scores_.size());
    active_.assign(scores_.size(), false);
    telling_.clear();
    for (std::size_t index = 0; index < scores_.size(); ++index) {
        const ClusterScore& score = *scores_[index].score;
        if (!score.tells_apart(subject)) {
            continue;
        }
        active_[index] = true;
        telling_.push_back(index);
        raws_[index].reset(static_cast<std::uint32_t>(feasible_.size()));
        score.collect(subject, feasible_, raws_[index]);
        raws_[index].find_extremes(feasible_);
    }
}

// What the block's best may come to at most: its best own score with the best of every other. Normalised
// scores rise or fall with the raw ones, so one end of the block's range is the best.
std::int64_t ClusterSearch::bound_of(const ClassCache& cache, std::uint32_t block) const {
    std::int64_t bound = score_of(cache.best_in(block));
    for (const std::size_t index : telling_) {
        const RawRange range = raws_[index].range(block);
        if (!range.any()) {
            continue;  // every feasible node here is left out of this score
        }
        bound += range.min == range.max ? weighted(index, range.min)
                                        : std::max(weighted(index, range.min), weighted(index, range.max));
    }
    return bound;
}

// Normalising costs a division: where few raw scores are possible, each is normalised once.
void ClusterSearch::fill_tables() {
    tables_.resize(scores_.size());
    for (const std::size_t index : telling_) {
        const RawRange& extremes = raws_[index].extremes();
        tables_[index].clear();
        if (!extremes.any() || extremes.max - extremes.min >= kTableMax) {
            continue;
        }
        for (std::int64_t raw = extremes.min; raw <= extremes.max; ++raw) {
            tables_[index].push_back(scores_[index].weight * scores_[index].score->normalise(raw, extremes));
        }
    }
}

NodeKey ClusterSearch::best_in(const ClassCache& cache, std::uint32_t block) const {
    std::int64_t shared = 0;
    std::array<std::size_t, 8> apart{};
    std::size_t count = 0;
    for (const std::size_t index : telling_) {
        const RawScores& raws = raws_[index];
        if (raws.uniform(block) && (raws.left_out(block) & feasible_[block]) == 0) {
            shared += weighted(index, raws.shared(block));
        } else {
            apart[count++] = index;
        }
    }
    // The block's own best stands if nothing tells its nodes apart and none of them fell out since.
    if (count == 0 && feasible_[block] == cache.feasible_in(block)) {
        return add_score(cache.best_in(block), shared);
    }
    NodeKey best = 0;
    for (std::uint64_t left = feasible_[block]; left != 0; left &= left - 1) {
        const auto lane = static_cast<std::uint32_t>(std::countr_zero(left));
        std::int64_t score = cache.local(block, lane) + shared;
        for (std::size_t at = 0; at < count; ++at) {
            const RawScores& raws = raws_[apart[at]];
            const bool out = (raws.left_out(block) >> lane & 1) != 0;
            score += out ? 0 : weighted(apart[at], raws.at(block, lane));
        }
        best = std::max(best, make_key(score, slot_at(block, lane)));
    }
    return best;
}

NodeKey ClusterSearch::find(const Subject& subject, ClassCache& cache, const NodeMask* left_out) {
    // Of the whole pod nothing but volumes and its node's name can be refused.
    const bool refusable = !subject.spec.volumes.empty() || subject.plan.names.kind == NodeNameSet::Kind::conflict;
    if (left_out == nullptr && !refusable) {
        NodeKey key = 0;
        if (by_place_.find(subject, cache, key)) {
            return key;
        }
    }
    return best(subject, cache, left_out);
}

NodeKey ClusterSearch::best(const Subject& subject, const ClassCache& cache, const NodeMask* left_out) {
    active_.assign(scores_.size(), false);
    telling_.clear();
    if (!filter(subject, cache, left_out)) {
        return 0;
    }
    collect(subject);
    fill_tables();
    // The most promising block first, so that most others need no look at their nodes.
    bounds_.assign(feasible_.size(), -1);
    std::uint32_t first = 0;
    for (std::uint32_t block = 0; block < feasible_.size(); ++block) {
        if (feasible_[block] != 0) {
            bounds_[block] = bound_of(cache, block);
            first = bounds_[block] > bounds_[first] ? block : first;
        }
    }
    NodeKey best = best_in(cache, first);
    for (std::uint32_t block = 0; block < feasible_.size(); ++block) {
        // Of equal scores the lowest slot wins: the block's first at its bound must beat the best so far.
        if (feasible_[block] != 0 && block != first && make_key(bounds_[block], slot_at(block, 0)) > best) {
            best = std::max(best, best_in(cache, block));
        }
    }
    return best;
}

}  // namespace bayplan
