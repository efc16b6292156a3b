// See literal_pools.h.
#include "tests/claims/literal_pools.h"

#include <algorithm>
#include <map>
#include <set>

namespace bayplan::testing {

// Labels by `in`, fields by the node's name.
bool literally_fits(const NodeTerm& term, const NodeFacts& node) {
    for (const LabelRequirement& wanted : term.labels) {
        const bool has = std::ranges::any_of(node.labels, [&](const Label& label) {
            return label.key == wanted.key && std::ranges::count(wanted.values, label.value) > 0;
        });
        if (!has) {
            return false;
        }
    }
    for (const LabelRequirement& wanted : term.fields) {
        if (std::ranges::count(wanted.values, node.name) == 0) {
            return false;
        }
    }
    return !term.labels.empty() || !term.fields.empty();
}

namespace {

bool sees(const ResourceSlice& slice, const NodeFacts& node) {
    if (slice.hidden) {
        return false;
    }
    switch (slice.reach) {
        case SliceReach::nowhere: return false;
        case SliceReach::node: return slice.node == node.name;
        case SliceReach::selected_nodes: return literally_fits(slice.nodes, node);
        case SliceReach::all_nodes: return true;
    }
    return false;
}

}  // namespace

LiteralPools literal_pools(const LiteralWorld& world, const NodeFacts& node, const TextTable& texts) {
    const auto word = [&](Text id) { return std::string(texts.text(id)); };
    LiteralPools pools;
    using Id = std::pair<std::string, std::string>;
    std::map<Id, std::vector<const ResourceSlice*>> seen;
    for (const ResourceSlice& slice : world.slices) {
        if (sees(slice, node)) {
            seen[{word(slice.driver), word(slice.pool)}].push_back(&slice);
        }
    }
    for (auto& [id, slices] : seen) {
        std::int64_t newest = INT64_MIN;
        for (const ResourceSlice* one : slices) {
            newest = std::max(newest, one->generation);
        }
        std::erase_if(slices, [&](const ResourceSlice* one) { return one->generation != newest; });
        std::ranges::sort(slices, {}, [&](const ResourceSlice* one) { return word(one->name); });
        LiteralPool pool{slices, false, false};
        const std::int64_t wanted = slices.front()->pool_slices;
        if (static_cast<std::int64_t>(slices.size()) != wanted) {
            std::int64_t of_newest = 0;
            bool newer = false;
            for (const ResourceSlice& one : world.slices) {
                if (Id(word(one.driver), word(one.pool)) == id) {
                    newer = newer || one.generation > newest;
                    of_newest += one.generation == newest;
                }
            }
            if (newer) {
                continue;
            }
            pool.partial = of_newest != wanted;
        }
        std::set<Text> names;
        for (const ResourceSlice* one : slices) {
            for (const SliceDevice& device : one->devices) {
                pool.doubled = !names.insert(device.name).second || pool.doubled;
            }
        }
        pools.emplace_back(id.first + "/" + id.second, pool);
    }
    return pools;
}

}  // namespace bayplan::testing
