// Grouping slices into pools. See node_pools.h.
#include "claims/node_pools.h"

#include <algorithm>
#include <span>
#include <tuple>

#include "labels/node_terms.h"

namespace bayplan {

namespace {

std::vector<const KeptSlice*> visible(const NodeFacts& node, const ClaimObjects& objects, const KnownTexts& known) {
    std::vector<const KeptSlice*> found;
    for (const ClaimObjects::Slices* const list : {&objects.on_node(node.name), &objects.on_all_nodes()}) {
        for (const ClaimObjects::Slice& slice : *list) {
            found.push_back(slice.get());
        }
    }
    const bool one_list =
        objects.on_selected_nodes().empty() && (objects.on_all_nodes().empty() || objects.on_node(node.name).empty());
    for (const ClaimObjects::Slice& slice : objects.on_selected_nodes()) {
        if (any_term_matches(std::span(&slice->slice.nodes, 1), node.labels, node.name, known, objects.texts())) {
            found.push_back(slice.get());
        }
    }
    if (!one_list) {
        const auto key = [&](const KeptSlice* one) {
            const TextTable& texts = objects.texts();
            return std::tuple(texts.text(one->slice.driver), texts.text(one->slice.pool), texts.text(one->slice.name));
        };
        std::ranges::sort(found, {}, key);
    }
    return found;
}

bool any_name_twice(const std::vector<const KeptSlice*>& slices) {
    if (slices.size() == 1) {
        return slices.front()->names_repeat;
    }
    std::vector<Text> names;
    for (const KeptSlice* const slice : slices) {
        for (const SliceDevice& device : slice->slice.devices) {
            names.push_back(device.name);
        }
    }
    std::ranges::sort(names);
    return std::ranges::adjacent_find(names) != names.end();
}

// False: some other node sees a newer generation, and this node sees part of an old one.
bool complete_in_full(NodePool& pool, const ClaimObjects& objects) {
    const std::int64_t generation = pool.slices.front()->slice.generation;
    std::int64_t slices = 0;
    for (const ClaimObjects::Slice& slice : objects.pool(pool.name)) {
        if (slice->slice.generation > generation) {
            return false;
        }
        slices += slice->slice.generation == generation ? 1 : 0;
    }
    pool.complete = slices == pool.slices.front()->slice.pool_slices;
    return true;
}

}  // namespace

std::vector<NodePool> pools_of(const NodeFacts& node, const ClaimObjects& objects, const KnownTexts& known) {
    std::vector<NodePool> pools;
    for (const KeptSlice* const slice : visible(node, objects, known)) {
        if (pools.empty() || !(pools.back().name == slice->pool())) {
            pools.push_back({.name = slice->pool(), .slices = {}});
        }
        std::vector<const KeptSlice*>& slices = pools.back().slices;
        if (!slices.empty() && slices.front()->slice.generation < slice->slice.generation) {
            slices.clear();
        }
        if (slices.empty() || slices.front()->slice.generation == slice->slice.generation) {
            slices.push_back(slice);
        }
    }
    std::erase_if(pools, [&](NodePool& pool) {
        const auto seen = static_cast<std::int64_t>(pool.slices.size());
        const bool drop = seen != pool.slices.front()->slice.pool_slices && !complete_in_full(pool, objects);
        pool.valid = drop || !any_name_twice(pool.slices);
        return drop;
    });
    return pools;
}

}  // namespace bayplan
