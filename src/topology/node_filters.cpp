// Bits of the nodes that a constraint looks at, kept as nodes change; see node_filters.h.
#include "topology/node_filters.h"

#include <algorithm>

#include "base/field_hash.h"
#include "labels/tolerations.h"

namespace bayplan {

std::size_t hash_of(const NodeFilterKey& key) { return field_hash(key); }

std::size_t hash_of(const EligibleKey& key) { return field_hash(key); }

bool NodeFilters::judge(const NodeFilterKey& key, const NodeFacts& facts) const {
    for (const Text wanted : key.keys) {
        if (find_label(facts.labels, wanted) == nullptr) {
            return false;
        }
    }
    return required_nodes_match(key.wanted, facts, known_, texts_) &&
           (!key.taints || first_untolerated(key.wanted.tolerations, facts.taints) == nullptr);
}

FilterId NodeFilters::acquire(NodeFilterKey key, const FactsBySlot& all) {
    const auto [id, fresh] = filters_.acquire(std::move(key));
    if (fresh) {
        Filter& filter = filters_[id];
        filter.bits.assign(all.size() / kLanes, 0);
        for (std::size_t slot = 0; slot < all.size(); ++slot) {
            if (all[slot] && judge(filter.key, *all[slot])) {
                filter.bits[slot / kLanes] |= std::uint64_t{1} << slot % kLanes;
            }
        }
    }
    return id;
}

void NodeFilters::release(FilterId id) {
    if (id != kNone<FilterId> && filters_.release(id)) {
        filters_.forget(id);
    }
}

EligibleId NodeFilters::acquire_eligible(EligibleKey key, const FactsBySlot& all) {
    const auto [id, fresh] = eligible_.acquire(key);
    if (fresh) {
        for (std::size_t slot = 0; slot < all.size(); ++slot) {
            if (all[slot]) {
                count(eligible_[id], static_cast<Slot>(slot), +1);
            }
        }
    }
    return id;
}

void NodeFilters::release(EligibleId id) {
    if (eligible_.release(id)) {
        eligible_.forget(id);
    }
}

void NodeFilters::count(Eligible& entry, Slot slot, int sign) {
    const Domain domain = keys_.domain(entry.key.key, slot);
    if (domain == kNoDomain || !passes(entry.key.filter, slot)) {
        return;
    }
    entry.nodes.resize(std::max<std::size_t>(entry.nodes.size(), domain + 1), 0);
    const std::uint32_t before = entry.nodes[domain];
    entry.nodes[domain] = before + static_cast<std::uint32_t>(sign);
    entry.domains += before == 0 ? 1 : 0;
    entry.domains -= entry.nodes[domain] == 0 ? 1 : 0;
}

void NodeFilters::take_out(Slot slot) {
    eligible_.for_each([&](EligibleId, Eligible& entry) { count(entry, slot, -1); });
}

void NodeFilters::put_in(Slot slot, const NodeFacts* facts, std::size_t slots) {
    filters_.for_each([&](FilterId, Filter& filter) {
        filter.bits.resize(slots / kLanes, 0);
        const std::uint64_t bit = std::uint64_t{1} << lane_of(slot);
        std::uint64_t& word = filter.bits[block_of(slot)];
        word = facts != nullptr && judge(filter.key, *facts) ? word | bit : word & ~bit;
    });
    if (facts != nullptr) {
        eligible_.for_each([&](EligibleId, Eligible& entry) { count(entry, slot, +1); });
    }
}

}  // namespace bayplan
