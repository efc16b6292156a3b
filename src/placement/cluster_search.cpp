// Raw scores of all feasible nodes, normalised, and the best of them; see cluster_search.h.
#include "placement/cluster_search.h"

#include <algorithm>
#include <array>
#include <bit>
#include <functional>
#include <iterator>

#include "base/check.h"

namespace bayplan {

namespace {

// Of the whole pod nothing but volumes, claims and its node's name can be refused.
bool may_be_refused(const Subject& subject) {
    return !subject.spec.volumes.empty() || !subject.spec.resource_claims.claims.empty() ||
           subject.plan.names.kind == NodeNameSet::Kind::conflict;
}

}  // namespace

bool ClusterSearch::filters_couple(const Subject& subject) const {
    return predicates_.depends_on_pods(subject) ||
           (may_be_refused(subject) && predicates_.refuse_all(subject).refusal.verdict != Verdict::feasible);
}

bool ClusterSearch::anybody_couples(const Subject& subject) const {
    return (!subject.plan.plain && filters_couple(subject)) || scores_couple(subject);
}

bool ClusterSearch::scores_couple(const Subject& subject) const {
    return std::any_of(scores_.begin(), scores_.end(), [&](const WeightedClusterScore& weighted) {
        return weighted.score->distinguishes_nodes(subject);
    });
}

bool ClusterSearch::narrows(const Subject& subject) const {
    const auto& predicates = predicates_.predicates();
    const bool may = !subject.spec.volumes.empty() || subject.plan.claims != nullptr;
    return may && filters_couple(subject) &&
           std::all_of(predicates.begin(), predicates.end(),
                       [&](const auto& each) { return !each->depends_on_pods(subject) || each->narrows(subject); }) &&
           !scores_couple(subject);
}

bool ClusterSearch::narrow(const Subject& subject, NodeMask& mask) {
    coupled_.clear();
    if (predicates_.refuse_all(subject).refusal.verdict != Verdict::feasible) {
        std::fill(mask.begin(), mask.end(), 0);
        return true;
    }
    predicates_.coupled(subject, coupled_);
    for (const Predicate* predicate : coupled_) {
        predicate->begin(subject);
    }
    std::erase_if(coupled_, [&](const Predicate* predicate) { return predicate->narrow(subject, mask); });
    return coupled_.empty();
}

bool ClusterSearch::filter(const Subject& subject, const ClassCache& cache, const ExcludedNodes& excluded) {
    feasible_.assign(cache.block_count(), ~std::uint64_t{0});
    narrow(subject, feasible_);
    excluded.for_each_block([&](std::uint32_t block, std::uint64_t lanes) {
        BP_CHECK_OP(block, <, feasible_.size());
        feasible_[block] &= ~lanes;
    });
    std::uint64_t any = 0;
    for (std::uint32_t block = 0; block < cache.block_count(); ++block) {
        std::uint64_t lanes = cache.feasible_in(block) & feasible_[block];
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
        if (!score.distinguishes_nodes(subject)) {
            continue;
        }
        active_[index] = true;
        telling_.push_back(index);
        raws_[index].reset(static_cast<std::uint32_t>(feasible_.size()));
        score.collect(subject, feasible_, raws_[index]);
        raws_[index].find_extremes(feasible_);
    }
}

// Bound of the block's best: its best own score with the best of every cluster-wide score. Normalised scores rise or
// fall with the raw ones, so one end of the block's range is the best.
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
        if (raws.uniform(block) && (raws.excluded(block) & feasible_[block]) == 0) {
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
            const bool out = (raws.excluded(block) >> lane & 1) != 0;
            score += out ? 0 : weighted(apart[at], raws.at(block, lane));
        }
        best = std::max(best, make_key(score, slot_at(block, lane)));
    }
    return best;
}

NodeKey ClusterSearch::find(const Subject& subject, ClassCache& cache, const ExcludedNodes& excluded) {
    subject.cluster.topology.counts().forget_columns();  // nobody has one in hand
    if (!may_be_refused(subject)) {
        NodeKey key = 0;
        if (by_site_.find(subject, cache, excluded, key)) {
            return key;
        }
    }
    return best(subject, cache, excluded);
}

NodeKey ClusterSearch::best(const Subject& subject, const ClassCache& cache, const ExcludedNodes& excluded) {
    active_.assign(scores_.size(), false);
    telling_.clear();
    if (!filter(subject, cache, excluded)) {
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

NodeKey ClusterSearch::key_in(const ClassCache& cache, std::uint32_t block, std::uint32_t lane) const {
    std::int64_t score = cache.local(block, lane);
    for (const std::size_t index : telling_) {
        const bool out = (raws_[index].excluded(block) >> lane & 1) != 0;
        score += out ? 0 : weighted(index, raws_[index].at(block, lane));
    }
    return make_key(score, slot_at(block, lane));
}

void ClusterSearch::best_few(const Subject& subject, const ClassCache& cache, const ExcludedNodes& excluded,
                             const ExcludedNodes& skipped, std::size_t most, std::vector<NodeKey>& nodes) {
    if (best(subject, cache, excluded) == 0) {
        return;
    }
    std::vector<NodeKey> keys;
    for (std::uint32_t block = 0; block < feasible_.size(); ++block) {
        for (std::uint64_t left = feasible_[block] & ~skipped.in_block(block); left != 0; left &= left - 1) {
            keys.push_back(key_in(cache, block, static_cast<std::uint32_t>(std::countr_zero(left))));
        }
    }
    const std::size_t count = std::min(most, keys.size());
    std::ranges::partial_sort(keys, keys.begin() + static_cast<std::ptrdiff_t>(count), std::greater<>());
    nodes.insert(nodes.end(), keys.begin(), keys.begin() + static_cast<std::ptrdiff_t>(count));
}

bool ClusterSearch::refused(const Subject& subject, NodeKey key) const {
    const Slot slot = slot_of(key);
    const std::uint64_t lane = std::uint64_t{1} << lane_of(slot);
    return std::any_of(coupled_.begin(), coupled_.end(), [&](const Predicate* predicate) {
        return predicate->filter_cluster(subject, block_of(slot), lane) == 0;
    });
}

NodeKey ClusterSearch::best_among(const Subject& subject, std::uint32_t blocks, std::vector<NodeKey>& nodes) {
    if (predicates_.refuse_all(subject).refusal.verdict != Verdict::feasible) {
        return 0;
    }
    coupled_.clear();
    predicates_.coupled(subject, coupled_);
    for (const Predicate* predicate : coupled_) {
        predicate->begin(subject);
    }
    std::erase_if(nodes, [&](NodeKey key) { return refused(subject, key); });
    if (nodes.size() <= 1) {  // there is nothing to choose
        return nodes.empty() ? 0 : nodes.front();
    }
    feasible_.assign(blocks, 0);
    for (const NodeKey key : nodes) {
        feasible_[block_of(slot_of(key))] |= std::uint64_t{1} << lane_of(slot_of(key));
    }
    collect(subject);
    fill_tables();
    NodeKey best = 0;
    for (const NodeKey key : nodes) {
        const std::uint32_t block = block_of(slot_of(key));
        const std::uint32_t lane = lane_of(slot_of(key));
        std::int64_t more = 0;
        for (const std::size_t index : telling_) {
            const bool out = (raws_[index].excluded(block) >> lane & 1) != 0;
            more += out ? 0 : weighted(index, raws_[index].at(block, lane));
        }
        best = std::max(best, add_score(key, more));
    }
    return best;
}

}  // namespace bayplan
