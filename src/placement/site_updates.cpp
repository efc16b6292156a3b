// Of the search site by site what brings a class's index up to date: how its blocks are arranged in sites, and which of them
// changed; see site_search.h.
//
// Thread: the engine's.
#include <algorithm>
#include <bit>

#include <boost/unordered/unordered_flat_map.hpp>

#include "base/bits.h"
#include "placement/site_search.h"

namespace bayplan {

namespace {

// After so many changes for each block all blocks are looked at: most of them changed.
constexpr std::uint64_t kChangesOfBlock = 4;

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

bool SiteSearch::same_layout(const Subject& subject, const SiteIndex& index) const {
    const TopologyKeys& keys = subject.cluster.topology.keys();
    return index.made.plan == subject.plan.number &&
           std::all_of(index.made.keys.begin(), index.made.keys.end(), [&](const SiteIndex::Made::Key& known) {
               return keys.layout(static_cast<KeyId>(known.key)) == known.layout;
           });
}

// Parts of sites, split by one key more: parts whose nodes lie in different domains come apart.
void SiteSearch::refine(const TopologyKeys& keys, KeyId key, std::uint32_t& sites) {
    boost::unordered_flat_map<std::uint64_t, std::uint32_t> numbers;
    refined_.clear();
    for (const SiteIndex::Part& part : arranged_) {
        const auto add = [&](Domain domain, std::uint64_t lanes) {
            const std::uint64_t both = std::uint64_t{part.site} << 32 | domain;
            const auto site = numbers.emplace(both, static_cast<std::uint32_t>(numbers.size())).first->second;
            refined_.push_back({part.block, site, lanes});
        };
        const Domain shared = keys.block_domain(key, part.block);
        if (shared != kMixed) {
            add(shared, part.lanes);
            continue;
        }
        const Domain* const domains = keys.lanes(key, part.block);
        for (std::uint64_t left = part.lanes; left != 0;) {
            const Domain domain = domains[std::countr_zero(left)];
            std::uint64_t same = 0;
            for_each_bit(left, [&](std::uint32_t lane) { same |= std::uint64_t{domains[lane] == domain} << lane; });
            add(domain, same);
            left &= ~same;
        }
    }
    arranged_.swap(refined_);
    sites = static_cast<std::uint32_t>(numbers.size());
}

void SiteSearch::arrange(const Subject& subject, std::uint32_t blocks, SiteIndex& index) {
    const TopologyKeys& keys = subject.cluster.topology.keys();
    index.made = {
        .plan = subject.plan.number, .keys = {}, .usable = true, .numbers = {}, .pod_position = 0, .shared = {}};
    arranged_.clear();
    for (std::uint32_t block = 0; block < blocks; ++block) {
        arranged_.push_back({block, 0, ~std::uint64_t{0}});
    }
    std::uint32_t sites = 1;
    for (const KeyId key : keys_of(subject.plan)) {
        index.made.keys.push_back({raw(key), keys.layout(key)});
        index.made.usable = index.made.usable && (keys.by_site(key) || keys.by_node(key));
        if (keys.by_site(key)) {
            refine(keys, key, sites);
        } else if (keys.shared_by_nodes(key)) {
            index.made.shared.push_back(raw(key));
        }
    }
    index.arrange(arranged_, blocks, sites, scores_.size());
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
    if (known > log.head() || log.head() - known > kChangesOfBlock * cache.block_count() ||
        !log.reaches_back_to(known) || numbers_ != index.made.numbers) {
        index.made.numbers = numbers_;
        cache.touch_all();
    } else {
        touch_changed(subject, index, cache);
    }
    index.made.pod_position = log.head();
    cache.take_touched([&](std::uint32_t block) { judge_block(subject, cache, index, block); });
    index.find_best(kernels_);
}

// Blocks of nodes whose pods changed since the last search, and of others that share a domain with these and are looked at one
// by one.
void SiteSearch::touch_changed(const Subject& subject, const SiteIndex& index, ClassCache& cache) const {
    const ChangeLog& log = subject.cluster.topology.pod_log();
    const TopologyKeys& keys = subject.cluster.topology.keys();
    for (std::uint64_t position = index.made.pod_position + 1; position <= log.head(); ++position) {
        const std::uint32_t block = log.block_at(position);
        cache.touch(block);
        for (const std::uint32_t key : index.made.shared) {
            for_each_bit(log.lanes_at(position), [&](std::uint32_t lane) {
                const Domain domain = keys.domain(static_cast<KeyId>(key), slot_at(block, lane));
                if (domain != kNoDomain) {
                    for (const std::uint32_t other : keys.blocks_of(static_cast<KeyId>(key), domain)) {
                        cache.touch(other);
                    }
                }
            });
        }
    }
}

void SiteSearch::judge_block(const Subject& subject, const ClassCache& cache, SiteIndex& index,
                             std::uint32_t block) const {
    std::uint64_t lanes = cache.feasible_in(block);
    for (std::size_t at = 0; at < coupled_.size() && lanes != 0; ++at) {
        lanes = coupled_[at]->filter_nodes(subject, block, lanes);
    }
    index.for_each_part(block, [&](std::uint32_t position, std::uint64_t part) {
        put_part(subject, cache, index, block, position, lanes & part);
    });
}

void SiteSearch::put_part(const Subject& subject, const ClassCache& cache, SiteIndex& index, std::uint32_t block,
                          std::uint32_t position, std::uint64_t nodes) const {
    const NodeKey best = nodes == cache.feasible_in(block) && cache.exact(block)
                             ? cache.best_in(block)
                             : kernels_.best_short_key(nodes, cache.locals(block), raw(slot_at(block, 0)));
    if (counted_ != kNone<KeyId>) {
        index.count_domains(subject.cluster.topology.keys().lanes(counted_, block), index.nodes_at(position), nodes);
    }
    index.set(position, nodes, best);
    for (std::size_t at = 0; at < parts_.size(); ++at) {
        if (nodes != 0 && !parts_[at].numbers.empty()) {
            alignas(64) std::int64_t sums[kLanes];
            add_up(parts_[at], block, sums);
            index.set_range(at, position, kernels_.range(nodes, sums));
        }
    }
}

// For this search alone: the next one judges these blocks anew.
void SiteSearch::take_out(const Subject& subject, const ExcludedNodes& excluded, ClassCache& cache) const {
    SiteIndex& index = cache.sites();
    excluded.for_each_block([&](std::uint32_t block, std::uint64_t lanes) {
        index.for_each_part(block, [&](std::uint32_t position, std::uint64_t) {
            const std::uint64_t nodes = index.nodes_at(position);
            if ((nodes & lanes) != 0) {
                put_part(subject, cache, index, block, position, nodes & ~lanes);
                cache.touch(block);
            }
        });
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

}  // namespace bayplan
