// Listing free volumes and finding one; see free_volumes.h.
#include "volumes/free_volumes.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "base/field_hash.h"

namespace bayplan {

std::size_t hash_of(const ReachTerms& terms) { return field_hash(terms.nodes); }

// Labels of which a node must have one to be reached; false: there are no such labels.
template <typename Each>
void FreeVolumes::for_each_anchor(const ReachTerms& terms, Each&& each) const {
    for (const NodeTerm& term : *terms.nodes) {
        const auto in = std::ranges::find(term.labels, LabelOperator::in, &LabelRequirement::op);
        for (const Text value : in->values) {
            each(number_of(in->key, value));
        }
    }
}

namespace {

// Each term demands one of some labels.
bool is_anchored(const std::optional<std::vector<NodeTerm>>& nodes) {
    return nodes && std::ranges::all_of(*nodes, [](const NodeTerm& term) {
               return std::ranges::find(term.labels, LabelOperator::in, &LabelRequirement::op) != term.labels.end();
           });
}

}  // namespace

void FreeVolumes::list(Pool& pool, ReachId id) {
    const ReachTerms& terms = pool.reaches[id].key;
    if (!is_anchored(terms.nodes)) {
        pool.anywhere.push_back(id);
    } else {
        for_each_anchor(terms, [&](std::uint64_t label) { pool.by_label[label].push_back(id); });
    }
}

void FreeVolumes::unlist(Pool& pool, ReachId id) {
    const ReachTerms& terms = pool.reaches[id].key;
    if (!is_anchored(terms.nodes)) {
        std::erase(pool.anywhere, id);
    } else {
        for_each_anchor(terms, [&](std::uint64_t label) {
            const auto at = pool.by_label.find(label);
            if (at != pool.by_label.end() && std::erase(at->second, id) > 0 && at->second.empty()) {
                pool.by_label.erase(at);
            }
        });
    }
}

// Of one pool the reaches that have the node; now and then one twice.
template <typename Each>
void FreeVolumes::for_each_reach(const Pool& pool, const NodeFacts& node, Each&& each) const {
    const auto look_at = [&](ReachId id) {
        const Reach& reach = pool.reaches[id];
        if (!reach.key.nodes || any_term_matches(*reach.key.nodes, node.labels, 0, known_, texts_)) {
            each(reach);
        }
    };
    std::ranges::for_each(pool.anywhere, look_at);
    for (const Label& label : node.labels) {
        if (const auto at = pool.by_label.find(number_of(label.key, label.value)); at != pool.by_label.end()) {
            std::ranges::for_each(at->second, look_at);
        }
    }
}

template <typename Each>
void FreeVolumes::for_each_node(const Reach& reach, Each&& each) const {
    if (!reach.key.nodes) {
        for_each_slot(nodes_.present(), each);
        return;
    }
    const std::vector<NodeTerm>& terms = *reach.key.nodes;
    const bool one_label = terms.size() == 1 && terms[0].labels.size() == 1 && terms[0].fields.empty() &&
                           terms[0].labels[0].op == LabelOperator::in && terms[0].labels[0].values.size() == 1;
    if (one_label) {  // as local volumes have it: no pass over all blocks
        const LabelRequirement& only = terms[0].labels[0];
        if (const NodeSet* nodes = parses(terms[0], texts_) ? nodes_.with(only.key, only.values[0]) : nullptr) {
            nodes->for_each(each);
        }
        return;
    }
    NodeMask mask(nodes_.block_count());
    nodes_.matching(terms, mask);
    for_each_slot(mask, each);
}

FreeVolumes::Pool& FreeVolumes::pool_of(const Volume& volume) {
    Pools& pools = classes_[volume.storage_class];
    const auto at = std::ranges::find_if(pools, [&](const Pool& pool) {
        return pool.block_mode == volume.block_mode && pool.access_modes == volume.access_modes;
    });
    if (at != pools.end()) {
        return *at;
    }
    Pool& fresh = pools.emplace_back();
    fresh.block_mode = volume.block_mode;
    fresh.access_modes = volume.access_modes;
    return fresh;
}

void FreeVolumes::add(Shared volume) {
    Pool& pool = pool_of(*volume);
    const auto [id, fresh] = pool.reaches.acquire({volume->nodes});
    Reach& reach = pool.reaches[id];
    if (fresh) {
        reach.volumes = std::set<Listed, Smaller>(Smaller{&texts_});
        list(pool, id);
    }
    const std::int64_t bytes = volume->bytes;
    const bool larger = reach.volumes.empty() || reach.volumes.rbegin()->bytes < bytes;
    const bool added = reach.volumes.insert({bytes, std::move(volume)}).second;
    BP_CHECK(added);
    if (larger) {
        for_each_node(reach, [&](Slot slot) {
            pool.largest.resize(std::max<std::size_t>(pool.largest.size(), nodes_.block_count() * kLanes), kNoVolume);
            pool.largest[raw(slot)] = std::max(pool.largest[raw(slot)], bytes);
        });
    }
}

void FreeVolumes::remove(const Volume& volume) {
    Pool& pool = pool_of(volume);
    const auto [id, fresh] = pool.reaches.acquire({volume.nodes});
    BP_CHECK(!fresh);
    Reach& reach = pool.reaches[id];
    const auto at = reach.volumes.find(volume);
    BP_CHECK(at != reach.volumes.end());
    reach.volumes.erase(at);
    const std::int64_t largest = reach.volumes.empty() ? kNoVolume : reach.volumes.rbegin()->bytes;
    if (largest < volume.bytes) {
        for_each_node(reach, [&](Slot slot) {
            if (pool.largest[raw(slot)] == volume.bytes) {
                find_largest(pool, slot);
            }
        });
    }
    pool.reaches.release(id);
    if (pool.reaches.release(id)) {
        unlist(pool, id);
        pool.reaches.forget(id);
    }
    if (pool.reaches.size() == 0) {
        Pools& pools = classes_[volume.storage_class];
        std::erase_if(pools, [](const Pool& each) { return each.reaches.size() == 0; });
        if (pools.empty()) {
            classes_.erase(volume.storage_class);
        }
    }
}

void FreeVolumes::find_largest(Pool& pool, Slot slot) const {
    std::int64_t largest = kNoVolume;
    if (const NodeFacts* node = nodes_.facts(slot)) {
        for_each_reach(pool, *node, [&](const Reach& reach) {
            largest = std::max(largest, reach.volumes.empty() ? kNoVolume : reach.volumes.rbegin()->bytes);
        });
    }
    pool.largest[raw(slot)] = largest;
}

void FreeVolumes::node_changed(Slot slot) {
    for (auto& [storage_class, pools] : classes_) {
        for (Pool& pool : pools) {
            pool.largest.resize(std::max<std::size_t>(pool.largest.size(), nodes_.block_count() * kLanes), kNoVolume);
            find_largest(pool, slot);
        }
    }
}

const Volume* FreeVolumes::smallest(const VolumeClaim& claim, const NodeFacts& node,
                                    std::span<const Text> taken) const {
    const auto of_class = classes_.find(claim.storage_class);
    if (of_class == classes_.end()) {
        return nullptr;
    }
    const Listed* best = nullptr;
    const Smaller smaller{&texts_};
    for (const Pool& pool : of_class->second) {
        if (!suits(pool, claim)) {
            continue;
        }
        for_each_reach(pool, node, [&](const Reach& reach) {
            for (auto at = reach.volumes.lower_bound(claim.bytes); at != reach.volumes.end(); ++at) {
                if (best != nullptr && !smaller(*at, *best)) {
                    return;
                }
                const bool is_taken = std::ranges::find(taken, at->volume->name) != taken.end();
                if (!is_taken && (!claim.selector || matches(*claim.selector, at->volume->labels, texts_))) {
                    best = &*at;
                    return;
                }
            }
        });
    }
    return best == nullptr ? nullptr : best->volume.get();
}

void FreeVolumes::add_nodes(const VolumeClaim& claim, NodeMask& mask) const {
    const auto of_class = classes_.find(claim.storage_class);
    if (of_class == classes_.end()) {
        return;
    }
    for (const Pool& pool : of_class->second) {
        if (!suits(pool, claim)) {
            continue;
        }
        for (std::size_t block = 0; block < mask.size() && (block + 1) * kLanes <= pool.largest.size(); ++block) {
            const std::int64_t* largest = &pool.largest[block * kLanes];
            std::uint64_t large = 0;
            for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
                large |= std::uint64_t{largest[lane] >= claim.bytes && largest[lane] != kNoVolume ? 1u : 0u} << lane;
            }
            mask[block] |= large;
        }
    }
}

}  // namespace bayplan
