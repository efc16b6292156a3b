// Columns of domains, made when a key is first used; see topology_keys.h.
#include "topology/topology_keys.h"

namespace bayplan {

std::size_t hash_of(const TopologyKey& key) { return std::size_t{key.key} * 2 + (key.none_is_empty ? 1 : 0); }

KeyId TopologyKeys::acquire(TopologyKey key, const FactsBySlot& all) {
    const auto [id, fresh] = keys_.acquire(key);
    if (!fresh) {
        return id;
    }
    texts_.add_reference(key.key);
    Entry& entry = keys_[id];
    entry.domains.resize(all.size(), kNoDomain);
    entry.block_domains.resize(all.size() / kLanes, kNoDomain);
    for (std::uint32_t slot = 0; slot < all.size(); ++slot) {
        put(entry, static_cast<Slot>(slot), all[slot].get());
    }
    for (std::uint32_t block = 0; block < entry.block_domains.size(); ++block) {
        look_at_block(entry, block, all);
    }
    return id;
}

void TopologyKeys::release(KeyId id) {
    if (keys_.release(id)) {
        texts_.release(keys_[id].key.key);
        keys_.forget(id);
    }
}

void TopologyKeys::set_node(Slot slot, const NodeFacts* facts, const FactsBySlot& all) {
    keys_.for_each([&](KeyId, Entry& entry) {
        entry.domains.resize(all.size(), kNoDomain);
        entry.block_domains.resize(all.size() / kLanes, kNoDomain);
        put(entry, slot, facts);
        look_at_block(entry, block_of(slot), all);
    });
}

void TopologyKeys::put(Entry& entry, Slot slot, const NodeFacts* facts) {
    Domain& domain = entry.domains[raw(slot)];
    if (domain != kNoDomain) {
        const std::uint32_t left = --entry.nodes_in[domain];
        --entry.nodes;
        entry.shared -= left == 1 ? 1 : 0;
        entry.sharing += left == 1 ? 1 : 0;
        if (left == 0) {
            entry.of_value.erase(entry.values[domain]);
            entry.free.push_back(domain);
        }
    }
    domain = kNoDomain;
    const Label* label = facts == nullptr ? nullptr : find_label(facts->labels, entry.key.key);
    if (facts == nullptr || (label == nullptr && !entry.key.none_is_empty)) {
        return;
    }
    const Text value = label == nullptr ? Text{0} : label->value;
    if (const auto found = entry.of_value.find(value); found != entry.of_value.end()) {
        domain = found->second;
    } else if (!entry.free.empty()) {
        domain = entry.free.back();
        entry.free.pop_back();
    } else {
        domain = static_cast<Domain>(entry.nodes_in.size());
        entry.nodes_in.push_back(0);
        entry.values.push_back(0);
    }
    entry.of_value[value] = domain;
    entry.values[domain] = value;
    const bool second = ++entry.nodes_in[domain] == 2;
    ++entry.nodes;
    entry.shared += second ? 1 : 0;
    entry.sharing += second ? 1 : 0;
}

void TopologyKeys::look_at_block(Entry& entry, std::uint32_t block, const FactsBySlot& all) {
    Domain shared = kNoDomain;
    bool first = true;
    for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
        const std::size_t slot = std::size_t{block} * kLanes + lane;
        if (!all[slot]) {
            continue;
        }
        if (first) {
            shared = entry.domains[slot];
            first = false;
        } else if (entry.domains[slot] != shared) {
            shared = kMixed;
            break;
        }
    }
    Domain& known = entry.block_domains[block];
    if (known != shared) {
        entry.mixed += shared == kMixed ? 1 : 0;
        entry.mixed -= known == kMixed ? 1 : 0;
        ++entry.layout;
        known = shared;
    }
}

}  // namespace bayplan
