// The search site by site, best bound first; see site_search.h.
#include "placement/site_search.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "base/bits.h"

namespace bayplan {

namespace {

// Making the index costs as much as some five searches without, so in a larger cluster it must be asked for twice: many a
// class has one ask.
constexpr std::uint32_t kBlocksOfSmall = 64;

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
        take_out(subject, excluded, cache);
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
    counted_ = kNone<KeyId>;
    coupled_.clear();
    predicates_.coupled(subject, coupled_);
    if (std::any_of(coupled_.begin(), coupled_.end(),
                    [&](const Predicate* each) { return !each->splits_sites(subject); })) {
        return false;
    }
    for (std::size_t at = 0; at < scores_.size(); ++at) {
        const ClusterScore& score = *scores_[at].score;
        Part& part = parts_[at];
        part.telling = score.distinguishes_nodes(subject);
        part.numbers.clear();
        if (!part.telling) {
            continue;
        }
        if (!score.by_site(subject)) {
            return false;
        }
        score.numbers_of_nodes(subject, part.numbers);
        if (const KeyId key = score.counted_key(subject); key != kNone<KeyId>) {
            counted_ = key;
        }
    }
    return true;
}

// --- sites

void SiteSearch::admit(const Subject& subject, const SiteIndex& index) {
    admitted_.clear();
    feasible_.clear();
    for (std::uint32_t number = 0; number < index.sites().size(); ++number) {
        const SiteIndex::Site& site = index.sites()[number];
        if (site.nodes > 0 && std::all_of(coupled_.begin(), coupled_.end(), [&](const Predicate* predicate) {
                return predicate->may_admit(subject, site.slot);
            })) {
            admitted_.push_back({number, site.slot, 0, 0});
            feasible_.push_back({site.slot, site.nodes});
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
        if (score.counted_key(subject) != kNone<KeyId>) {
            weights_.counted = counted_domains(subject, score, index);
        }
        score.weigh(subject, feasible_, weights_);
        part.extremes = {};
        for (const Admitted& admitted : admitted_) {
            if (score.leaves_out(subject, admitted.slot)) {
                continue;
            }
            const LaneRange own = range_of(index, at, index.sites()[admitted.site]);
            part.extremes.add(score.raw_at(subject, weights_, admitted.slot, own.min));
            if (own.max != own.min) {
                part.extremes.add(score.raw_at(subject, weights_, admitted.slot, own.max));
            }
        }
    }
}

// The index knows it of all feasible nodes; only where some sites do not count must the others' nodes be looked at.
std::int64_t SiteSearch::counted_domains(const Subject& subject, const ClusterScore& score, const SiteIndex& index) {
    std::uint64_t nodes = 0;
    std::uint64_t counted = 0;
    for (const SiteIndex::Site& site : index.sites()) {
        nodes += site.nodes;
    }
    for (const Admitted& admitted : admitted_) {
        counted += score.leaves_out(subject, admitted.slot) ? 0 : index.sites()[admitted.site].nodes;
    }
    if (counted == nodes) {
        return index.domains();
    }
    const TopologyKeys& keys = subject.cluster.topology.keys();
    weights_.seen.assign(keys.domain_bound(counted_), false);
    std::int64_t domains = 0;
    for (const Admitted& admitted : admitted_) {
        const SiteIndex::Site& site = index.sites()[admitted.site];
        const std::uint32_t end = score.leaves_out(subject, admitted.slot) ? site.first_group : site.end_group;
        for (std::uint32_t at = site.first_group * SiteIndex::kGroup; at < end * SiteIndex::kGroup; ++at) {
            for_each_bit(index.nodes_at(at), [&](std::uint32_t lane) {
                const Domain domain = keys.lanes(counted_, index.block_at(at))[lane];
                domains += weights_.seen[domain] ? 0 : 1;
                weights_.seen[domain] = true;
            });
        }
    }
    return domains;
}

void SiteSearch::find_shared(const Subject& subject, const SiteIndex& index) {
    for (std::size_t at = 0; at < parts_.size(); ++at) {
        if (!parts_[at].telling) {
            continue;
        }
        for (Admitted& admitted : admitted_) {
            if (scores_[at].score->leaves_out(subject, admitted.slot)) {
                continue;
            }
            const LaneRange own = range_of(index, at, index.sites()[admitted.site]);
            if (own.min == own.max) {
                admitted.shared += points(subject, at, admitted.slot, own.min);
            } else {
                admitted.apart |= 1u << at;
            }
        }
    }
}

std::int64_t SiteSearch::points(const Subject& subject, std::size_t part, Slot slot, std::int64_t own) const {
    const ClusterScore& score = *scores_[part].score;
    const std::int64_t raw = score.raw_at(subject, weights_, slot, own);
    return scores_[part].weight * score.normalise(raw, parts_[part].extremes);
}

// Points rise or fall with the raw score, and that rises with the numbers: one end is the best.
std::int64_t SiteSearch::points_max(const Subject& subject, std::size_t part, Slot slot, LaneRange own) const {
    const std::int64_t least = points(subject, part, slot, own.min);
    return own.min == own.max ? least : std::max(least, points(subject, part, slot, own.max));
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
                bound = add_score(bound, points_max(subject, part, site.slot, index.range_of_group(part, group)));
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
    const SiteIndex::Group& group = index.group(candidate.group);
    const auto more = static_cast<std::int64_t>((candidate.bound - group.best) >> 32);
    const std::uint32_t top = index.position_of(slot_of(group.best));
    best = std::max(best, best_at(subject, cache, index, admitted, top));
    // The rest by their bounds, the most promising first.
    std::array<NodeKey, SiteIndex::kGroup> bounds;
    std::uint64_t left = 0;
    for (std::uint32_t at = 0; at < group.parts; ++at) {
        const std::uint32_t position = candidate.group * SiteIndex::kGroup + at;
        const NodeKey key = index.best_at(position);
        const bool may = key != 0 && position != top && add_score(key, more) > best;
        bounds[at] = add_score(key, admitted.shared);
        left |= std::uint64_t{may} << at;
    }
    add_points_max(subject, index, admitted, candidate.group, left, bounds);
    std::uint32_t first = 0;
    NodeKey most = best;
    for_each_bit(std::exchange(left, 0), [&](std::uint32_t at) {
        left |= std::uint64_t{bounds[at] > best} << at;
        first = bounds[at] > most ? at : first;
        most = std::max(most, bounds[at]);
    });
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

// Neighbours mostly have the same range.
void SiteSearch::add_points_max(const Subject& subject, const SiteIndex& index, const Admitted& admitted,
                                std::uint32_t group, std::uint64_t blocks,
                                std::array<NodeKey, SiteIndex::kGroup>& bounds) const {
    for_each_bit(admitted.apart, [&](std::uint32_t part) {
        LaneRange last{INT64_MAX, INT64_MIN};
        std::int64_t points = 0;
        for_each_bit(blocks, [&](std::uint32_t at) {
            const LaneRange range = index.range_at(part, group * SiteIndex::kGroup + at);
            if (range.min != last.min || range.max != last.max) {
                last = range;
                points = points_max(subject, part, admitted.slot, range);
            }
            bounds[at] = add_score(bounds[at], points);
        });
    });
}

NodeKey SiteSearch::best_at(const Subject& subject, const ClassCache& cache, const SiteIndex& index,
                            const Admitted& admitted, std::uint32_t position) {
    const std::uint32_t block = index.block_at(position);
    std::int64_t more = admitted.shared;
    std::uint32_t apart = 0;
    for_each_bit(admitted.apart, [&](std::uint32_t part) {
        const LaneRange range = index.range_at(part, position);
        if (range.min == range.max) {
            more += points(subject, part, admitted.slot, range.min);
        } else {
            apart |= 1u << part;
            add_up(parts_[part], block, sums_[part]);
        }
    });
    return apart == 0 ? add_score(index.best_at(position), more)
                      : best_among(subject, cache, admitted, block, apart, index.nodes_at(position), more);
}

// Nodes of the block that have the same numbers together: there are few different ones.
NodeKey SiteSearch::best_among(const Subject& subject, const ClassCache& cache, const Admitted& admitted,
                               std::uint32_t block, std::uint32_t apart, std::uint64_t lanes, std::int64_t more) const {
    if (apart == 0) {
        return add_score(kernels_.best_short_key(lanes, cache.locals(block), raw(slot_at(block, 0))), more);
    }
    const auto part = static_cast<std::uint32_t>(std::countr_zero(apart));
    NodeKey best = 0;
    for (std::uint64_t left = lanes; left != 0;) {
        const std::int64_t own = sums_[part][std::countr_zero(left)];
        const std::uint64_t same = kernels_.equal(sums_[part], own) & left;
        best = std::max(best, best_among(subject, cache, admitted, block, apart & (apart - 1), same,
                                         more + points(subject, part, admitted.slot, own)));
        left &= ~same;
    }
    return best;
}

}  // namespace bayplan
