// The search site by site, best bound first; see site_search.h.
#include "placement/site_search.h"

#include <algorithm>
#include <bit>
#include <utility>

#include <boost/unordered/unordered_flat_map.hpp>

namespace bayplan {

namespace {

// Making the index costs as much as some five searches without, so in a larger cluster it must be asked for twice: many a
// class has one ask.
constexpr std::uint32_t kBlocksOfSmall = 64;

template <typename Each>
void for_each_bit(std::uint64_t bits, Each&& each) {
    for (; bits != 0; bits &= bits - 1) {
        each(static_cast<std::uint32_t>(std::countr_zero(bits)));
    }
}

// The topology keys that the plan's terms and constraints have, each once.
std::vector<KeyId> keys_of(const SpecPlan& plan) {
    std::vector<KeyId> keys;
    const auto add = [&](const auto& all) {
        for (const auto& one : all) {
            if (std::find(keys.begin(), keys.end(), one.key) == keys.end()) {
                keys.push_back(one.key);
            }
        }
    };
    add(plan.hard_spread);
    add(plan.soft_spread);
    add(plan.affinity);
    add(plan.anti_affinity);
    add(plan.repelled_by);
    add(plan.own_preferences);
    add(plan.others_preferences);
    return keys;
}

}  // namespace

bool SiteSearch::find(const Subject& subject, ClassCache& cache, const ExcludedNodes& excluded, NodeKey& best) {
    if (scores_.size() > kPartsMax) {
        return false;
    }
    SiteIndex& index = cache.sites();
    const bool first_time = std::exchange(index.asked_for, subject.plan.number) != subject.plan.number;
    if (!same_layout(subject, index) || index.block_count() != cache.block_count()) {
        if (first_time && cache.block_count() > kBlocksOfSmall) {
            return false;
        }
        arrange(subject, cache.block_count(), index);
    }
    if (!index.made.usable || !suits(subject)) {
        return false;
    }
    bring_up_to_date(subject, cache);
    if (!excluded.empty()) {
        take_out(excluded, cache);
    }
    admit(subject, index);
    best = 0;
    if (!admitted_.empty()) {
        find_extremes(subject, index);
        find_shared(subject, index);
        best = best_of_sites(subject, cache, index);
    }
    return true;
}

// --- what is asked of the search

bool SiteSearch::suits(const Subject& subject) {
    coupled_.clear();
    predicates_.coupled(subject, coupled_);
    if (std::any_of(coupled_.begin(), coupled_.end(),
                    [&](const Predicate* each) { return !each->splits_sites(subject); })) {
        return false;
    }
    for (std::size_t at = 0; at < scores_.size(); ++at) {
        const ClusterScore& score = *scores_[at].score;
        Part& part = parts_[at];
        part.by_site = score.by_site(subject);
        part.telling = score.distinguishes_nodes(subject);
        if (part.telling && !part.by_site) {
            return false;
        }
        part.numbers.clear();
        if (part.by_site) {
            score.numbers_of_nodes(subject, part.numbers);
        }
    }
    return true;
}

// --- bringing the index up to date

bool SiteSearch::same_layout(const Subject& subject, const SiteIndex& index) const {
    const TopologyKeys& keys = subject.cluster.topology.keys();
    return index.made.plan == subject.plan.number &&
           std::all_of(index.made.keys.begin(), index.made.keys.end(), [&](const SiteIndex::Made::Key& known) {
               return keys.layout(static_cast<KeyId>(known.key)) == known.layout;
           });
}

void SiteSearch::arrange(const Subject& subject, std::uint32_t blocks, SiteIndex& index) {
    const TopologyKeys& keys = subject.cluster.topology.keys();
    index.made = {.plan = subject.plan.number, .keys = {}, .usable = true, .numbers = {}, .pod_position = 0};
    site_of_.assign(blocks, 0);
    std::uint32_t sites = 1;
    boost::unordered_flat_map<std::uint64_t, std::uint32_t> numbers;
    for (const KeyId key : keys_of(subject.plan)) {
        index.made.keys.push_back({raw(key), keys.layout(key)});
        index.made.usable = index.made.usable && (keys.whole_blocks(key) || keys.one_node_each(key));
        if (!keys.whole_blocks(key)) {
            continue;
        }
        numbers.clear();
        for (std::uint32_t block = 0; block < blocks; ++block) {
            const std::uint64_t both = std::uint64_t{site_of_[block]} << 32 | keys.block_domain(key, block);
            site_of_[block] = numbers.emplace(both, static_cast<std::uint32_t>(numbers.size())).first->second;
        }
        sites = static_cast<std::uint32_t>(numbers.size());
    }
    index.arrange(site_of_, sites, scores_.size());
    index.made.pod_position = UINT64_MAX;  // all blocks must be judged
}

void SiteSearch::bring_up_to_date(const Subject& subject, ClassCache& cache) {
    SiteIndex& index = cache.sites();
    numbers_.clear();
    for (const Predicate* predicate : coupled_) {
        predicate->begin(subject);
        predicate->shared_numbers(subject, numbers_);
    }
    for (std::size_t at = 0; at < scores_.size(); ++at) {
        if (parts_[at].telling) {
            scores_[at].score->shared_numbers(subject, numbers_);
        }
    }
    const ChangeLog& log = subject.cluster.topology.pod_log();
    const std::uint64_t known = index.made.pod_position;
    if (known > log.head() || !log.reaches_back_to(known) || numbers_ != index.made.numbers) {
        index.made.numbers = numbers_;
        cache.touch_all();
    } else {
        for (std::uint64_t position = known + 1; position <= log.head(); ++position) {
            cache.touch(log.block_at(position));
        }
    }
    index.made.pod_position = log.head();
    cache.take_touched([&](std::uint32_t block) { judge_block(subject, cache, index, block); });
    index.find_best(kernels_);
}

void SiteSearch::judge_block(const Subject& subject, const ClassCache& cache, SiteIndex& index,
                             std::uint32_t block) const {
    std::uint64_t lanes = cache.feasible_in(block);
    for (std::size_t at = 0; at < coupled_.size() && lanes != 0; ++at) {
        lanes = coupled_[at]->filter_nodes(subject, block, lanes);
    }
    put_block(cache, index, block, lanes);
}

void SiteSearch::put_block(const ClassCache& cache, SiteIndex& index, std::uint32_t block, std::uint64_t nodes) const {
    const NodeKey best = nodes == cache.feasible_in(block) && cache.exact(block)
                             ? cache.best_in(block)
                             : kernels_.best_short_key(nodes, cache.locals(block), raw(slot_at(block, 0)));
    index.set(block, nodes, best);
    for (std::size_t at = 0; at < parts_.size(); ++at) {
        if (nodes != 0 && !parts_[at].numbers.empty()) {
            alignas(64) std::int64_t sums[kLanes];
            add_up(parts_[at], block, sums);
            index.set_range(at, block, kernels_.range(nodes, sums));
        }
    }
}

// For this search alone: the next one judges these blocks anew.
void SiteSearch::take_out(const ExcludedNodes& excluded, ClassCache& cache) const {
    SiteIndex& index = cache.sites();
    excluded.for_each_block([&](std::uint32_t block, std::uint64_t lanes) {
        const std::uint64_t nodes = index.nodes_at(index.position_of(block));
        if ((nodes & lanes) != 0) {
            put_block(cache, index, block, nodes & ~lanes);
            cache.touch(block);
        }
    });
    index.find_best(kernels_);
}

void SiteSearch::add_up(const Part& part, std::uint32_t block, std::int64_t* sums) const {
    std::fill_n(sums, kLanes, 0);
    const std::size_t first = std::size_t{block} * kLanes;
    for (const NodeNumbers& numbers : part.numbers) {
        if (first + kLanes <= numbers.slots) {
            kernels_.add_numbers(numbers.by_slot + first, numbers.weight, sums);
        }
    }
}

// --- sites

void SiteSearch::admit(const Subject& subject, const SiteIndex& index) {
    admitted_.clear();
    feasible_.clear();
    for (std::uint32_t number = 0; number < index.sites().size(); ++number) {
        const SiteIndex::Site& site = index.sites()[number];
        if (site.nodes > 0 && std::all_of(coupled_.begin(), coupled_.end(), [&](const Predicate* predicate) {
                return predicate->may_admit(subject, site.block);
            })) {
            admitted_.push_back({number, 0, 0});
            feasible_.push_back({site.block, site.nodes});
        }
    }
}

LaneRange SiteSearch::range_of(const SiteIndex& index, std::size_t part, const SiteIndex::Site& site) const {
    if (!index.has_ranges(part)) {
        return {0, 0};
    }
    LaneRange range{INT64_MAX, INT64_MIN};
    for (std::uint32_t group = site.first_group; group < site.end_group; ++group) {
        const LaneRange one = index.range_of_group(part, group);
        range = {std::min(range.min, one.min), std::max(range.max, one.max)};
    }
    return range;
}

void SiteSearch::find_extremes(const Subject& subject, const SiteIndex& index) {
    for (std::size_t at = 0; at < parts_.size(); ++at) {
        Part& part = parts_[at];
        if (!part.telling) {
            continue;
        }
        const ClusterScore& score = *scores_[at].score;
        score.weigh(subject, feasible_, weights_);
        part.extremes = {};
        for (const Admitted& admitted : admitted_) {
            const SiteIndex::Site& site = index.sites()[admitted.site];
            if (score.leaves_out(subject, site.block)) {
                continue;
            }
            const LaneRange own = range_of(index, at, site);
            part.extremes.add(score.raw_at(subject, weights_, site.block, own.min));
            if (own.max != own.min) {
                part.extremes.add(score.raw_at(subject, weights_, site.block, own.max));
            }
        }
    }
}

void SiteSearch::find_shared(const Subject& subject, const SiteIndex& index) {
    for (std::size_t at = 0; at < parts_.size(); ++at) {
        if (!parts_[at].telling) {
            continue;
        }
        for (Admitted& admitted : admitted_) {
            const SiteIndex::Site& site = index.sites()[admitted.site];
            if (scores_[at].score->leaves_out(subject, site.block)) {
                continue;
            }
            const LaneRange own = range_of(index, at, site);
            if (own.min == own.max) {
                admitted.shared += points(subject, at, site.block, own.min);
            } else {
                admitted.apart |= 1u << at;
            }
        }
    }
}

std::int64_t SiteSearch::points(const Subject& subject, std::size_t part, std::uint32_t block, std::int64_t own) const {
    const ClusterScore& score = *scores_[part].score;
    const std::int64_t raw = score.raw_at(subject, weights_, block, own);
    return scores_[part].weight * score.normalise(raw, parts_[part].extremes);
}

// Points rise or fall with the raw score, and that rises with the numbers: one end is the best.
std::int64_t SiteSearch::points_max(const Subject& subject, std::size_t part, std::uint32_t block,
                                    LaneRange own) const {
    const std::int64_t least = points(subject, part, block, own.min);
    return own.min == own.max ? least : std::max(least, points(subject, part, block, own.max));
}

// --- the best node

// A bound is the key of the best by its columns, with the most points of all: where these come together it is exact, and
// if another node comes as far, its columns are as good, and so its slot is higher.
NodeKey SiteSearch::best_of_sites(const Subject& subject, const ClassCache& cache, const SiteIndex& index) {
    NodeKey best = 0;
    candidates_.clear();
    std::size_t first = 0;
    for (std::uint32_t number = 0; number < admitted_.size(); ++number) {
        const Admitted& admitted = admitted_[number];
        const SiteIndex::Site& site = index.sites()[admitted.site];
        for (std::uint32_t group = site.first_group; group < site.end_group; ++group) {
            if (index.group(group).best == 0) {
                continue;
            }
            NodeKey bound = add_score(index.group(group).best, admitted.shared);
            if (admitted.apart == 0) {
                best = std::max(best, bound);
                continue;
            }
            for_each_bit(admitted.apart, [&](std::uint32_t part) {
                bound = add_score(bound, points_max(subject, part, site.block, index.range_of_group(part, group)));
            });
            candidates_.push_back({bound, group, number});
            first = bound > candidates_[first].bound ? candidates_.size() - 1 : first;
        }
    }
    if (candidates_.empty()) {
        return best;
    }
    std::swap(candidates_.front(), candidates_[first]);
    for (const Candidate& candidate : candidates_) {
        if (candidate.bound > best) {
            look_into(subject, cache, index, candidate, best);
        }
    }
    return best;
}

void SiteSearch::look_into(const Subject& subject, const ClassCache& cache, const SiteIndex& index,
                           const Candidate& candidate, NodeKey& best) {
    const Admitted& admitted = admitted_[candidate.admitted];
    const NodeKey group_best = index.group(candidate.group).best;
    const auto more = static_cast<std::int64_t>((candidate.bound - group_best) >> 32);
    const std::uint32_t top = index.position_of(block_of(slot_of(group_best)));
    best = std::max(best, best_at(subject, cache, index, admitted, top));
    // The rest by their bounds, the most promising first.
    std::array<LastRange, kPartsMax> last;
    std::array<NodeKey, SiteIndex::kGroup> bounds{};
    std::uint64_t left = 0;
    std::uint32_t first = 0;
    for (std::uint32_t at = 0; at < SiteIndex::kGroup; ++at) {
        const std::uint32_t position = candidate.group * SiteIndex::kGroup + at;
        const NodeKey key = index.best_at(position);
        if (key == 0 || position == top || add_score(key, more) <= best) {
            continue;
        }
        bounds[at] = bound_at(subject, index, admitted, position, last);
        if (bounds[at] > best) {
            first = left == 0 || bounds[at] > bounds[first] ? at : first;
            left |= std::uint64_t{1} << at;
        }
    }
    if (left == 0) {
        return;
    }
    best = std::max(best, best_at(subject, cache, index, admitted, candidate.group * SiteIndex::kGroup + first));
    for_each_bit(left & ~(std::uint64_t{1} << first), [&](std::uint32_t at) {
        if (bounds[at] > best) {
            best = std::max(best, best_at(subject, cache, index, admitted, candidate.group * SiteIndex::kGroup + at));
        }
    });
}

NodeKey SiteSearch::bound_at(const Subject& subject, const SiteIndex& index, const Admitted& admitted,
                             std::uint32_t position, std::array<LastRange, kPartsMax>& last) const {
    NodeKey bound = add_score(index.best_at(position), admitted.shared);
    for_each_bit(admitted.apart, [&](std::uint32_t part) {
        const LaneRange range = index.range_at(part, position);
        if (range.min != last[part].range.min || range.max != last[part].range.max) {
            last[part] = {range, points_max(subject, part, index.block_at(position), range)};
        }
        bound = add_score(bound, last[part].points);
    });
    return bound;
}

NodeKey SiteSearch::best_at(const Subject& subject, const ClassCache& cache, const SiteIndex& index,
                            const Admitted& admitted, std::uint32_t position) {
    const std::uint32_t block = index.block_at(position);
    std::int64_t more = admitted.shared;
    std::uint32_t apart = 0;
    for_each_bit(admitted.apart, [&](std::uint32_t part) {
        const LaneRange range = index.range_at(part, position);
        if (range.min == range.max) {
            more += points(subject, part, block, range.min);
        } else {
            apart |= 1u << part;
            add_up(parts_[part], block, sums_[part]);
        }
    });
    return apart == 0 ? add_score(index.best_at(position), more)
                      : best_among(subject, cache, block, apart, index.nodes_at(position), more);
}

// Nodes of the block that have the same numbers together: there are few different ones.
NodeKey SiteSearch::best_among(const Subject& subject, const ClassCache& cache, std::uint32_t block,
                               std::uint32_t apart, std::uint64_t lanes, std::int64_t more) const {
    if (apart == 0) {
        return add_score(kernels_.best_short_key(lanes, cache.locals(block), raw(slot_at(block, 0))), more);
    }
    const auto part = static_cast<std::uint32_t>(std::countr_zero(apart));
    NodeKey best = 0;
    for (std::uint64_t left = lanes; left != 0;) {
        const std::int64_t own = sums_[part][std::countr_zero(left)];
        const std::uint64_t same = kernels_.equal(sums_[part], own) & left;
        best = std::max(best, best_among(subject, cache, block, apart & (apart - 1), same,
                                         more + points(subject, part, block, own)));
        left &= ~same;
    }
    return best;
}

}  // namespace bayplan
