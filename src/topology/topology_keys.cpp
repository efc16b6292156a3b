// Columns of domains, made when a key is first used; see topology_keys.h.
#include "topology/topology_keys.h"

#include <algorithm>
#include <utility>

#include "base/field_hash.h"

namespace bayplan {

namespace {

// Domains of no more nodes are looked at node by node: a pod that comes concerns so many.
constexpr std::uint32_t kSmallDomain = 256;
// Blocks with nodes of two domains that searches put up with: so many, and one in so many.
constexpr std::size_t kMixedFew = 8;
constexpr std::size_t kMixedShare = 16;
// Columns with a domain for more nodes are kept, at most so many of them.
constexpr std::uint64_t kWorthKeeping = 256;
constexpr std::size_t kKeptMax = 64;
constexpr std::size_t kSparesMax = 64;

}  // namespace

std::size_t hash_of(const TopologyKey& key) { return field_hash(key); }

KeyId TopologyKeys::acquire(TopologyKey key, const FactsBySlot& all) {
    const auto [id, fresh] = keys_.acquire(key);
    if (!fresh) {
        return id;
    }
    texts_.add_reference(key.key);
    fill(keys_[id], all);
    return id;
}

void TopologyKeys::fill(Entry& entry, const FactsBySlot& all) {
    if (!spares_.empty()) {
        entry.domains = std::move(spares_.back());
        spares_.pop_back();
    }
    entry.domains.assign(all.size(), kNoDomain);
    entry.block_domains.assign(all.size() / kLanes, kNoDomain);
    if (entry.key.none_is_empty) {
        for (std::uint32_t slot = 0; slot < all.size(); ++slot) {
            put(entry, static_cast<Slot>(slot), all[slot].get());
        }
        for (std::uint32_t block = 0; block < entry.block_domains.size(); ++block) {
            look_at_block(entry, block, all);
        }
    } else {
        // Blocks without such a node have no domain, as they are made.
        const NodeSet& carriers = carriers_.of(entry.key.key);
        carriers.for_each([&](Slot slot) { put(entry, slot, all[raw(slot)].get()); });
        std::uint32_t last = UINT32_MAX;
        carriers.for_each([&](Slot slot) {
            if (block_of(slot) != last) {
                last = block_of(slot);
                look_at_block(entry, last, all);
            }
        });
    }
    choose_way(entry);
}

// True: the last reference on the key is the list's now.
bool TopologyKeys::keep(KeyId id) {
    Entry& entry = keys_[id];
    if (entry.kept || entry.nodes <= kWorthKeeping) {
        return false;
    }
    if (kept_.size() == kKeptMax) {
        const auto idle = std::ranges::find_if(kept_, [&](KeyId one) { return keys_.references(one) == 1; });
        if (idle == kept_.end()) {
            return false;
        }
        drop(*idle);
        kept_.erase(idle);
    }
    entry.kept = true;
    kept_.push_back(id);
    return true;
}

void TopologyKeys::drop(KeyId id) {
    if (keys_.release(id)) {
        texts_.release(keys_[id].key.key);
        if (spares_.size() < kSparesMax) {
            spares_.push_back(std::move(keys_[id].domains));
        }
        keys_.forget(id);
    }
}

void TopologyKeys::release(KeyId id) {
    if (keys_.references(id) > 1 || !keep(id)) {
        drop(id);
    }
}

void TopologyKeys::set_node(Slot slot, const NodeFacts* facts, const FactsBySlot& all) {
    keys_.for_each([&](KeyId, Entry& entry) {
        const bool grows = entry.domains.size() < all.size();
        entry.domains.resize(all.size(), kNoDomain);
        entry.block_domains.resize(all.size() / kLanes, kNoDomain);
        const Domain before = entry.domains[raw(slot)];
        put(entry, slot, facts);
        entry.moves += grows || before != entry.domains[raw(slot)] ? 1 : 0;
        look_at_block(entry, block_of(slot), all);
        choose_way(entry);
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
    entry.largest = std::max(entry.largest, entry.nodes_in[domain]);
    ++entry.nodes;
    entry.shared += second ? 1 : 0;
    entry.sharing += second ? 1 : 0;
}

void TopologyKeys::choose_way(Entry& entry) {
    const std::size_t few = kMixedFew + entry.block_domains.size() / kMixedShare;
    if (entry.mixed == 0) {
        entry.way = Way::by_site;
    } else if (entry.shared == 0 || entry.largest <= kSmallDomain) {
        entry.way = Way::by_node;
    } else {
        entry.way = entry.mixed <= few ? Way::by_site : Way::neither;
    }
}

const TopologyKeys::Members& TopologyKeys::members(KeyId id) const {
    const Entry& entry = keys_[id];
    Members& made = entry.members;
    if (made.made_at == entry.moves) {
        return made;
    }
    made.made_at = entry.moves;
    std::vector<std::vector<Slot>> slots(entry.nodes_in.size());
    for (std::uint32_t slot = 0; slot < entry.domains.size(); ++slot) {
        if (const Domain domain = entry.domains[slot]; domain != kNoDomain) {
            slots[domain].push_back(static_cast<Slot>(slot));
        }
    }
    made.first_slot.assign(1, 0);
    made.first_block.assign(1, 0);
    made.slots.clear();
    made.blocks.clear();
    for (const std::vector<Slot>& together : slots) {
        for (const Slot slot : together) {
            const bool first = made.blocks.size() == made.first_block.back();
            if (first || made.blocks.back() != block_of(slot)) {
                made.blocks.push_back(block_of(slot));
            }
            made.slots.push_back(slot);
        }
        made.first_slot.push_back(static_cast<std::uint32_t>(made.slots.size()));
        made.first_block.push_back(static_cast<std::uint32_t>(made.blocks.size()));
    }
    return made;
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

bool TopologyKeys::find_nodes(const Label& label, std::vector<Slot>& slots) const {
    const Entry* const entry = keys_.find({.key = label.key});
    if (entry == nullptr) {
        return false;
    }
    slots.clear();
    const auto domain = entry->of_value.find(label.value);
    for (std::size_t block = 0; domain != entry->of_value.end() && block < entry->block_domains.size(); ++block) {
        const Domain shared = entry->block_domains[block];
        for (std::uint32_t lane = 0; (shared == kMixed || shared == domain->second) && lane < kLanes; ++lane) {
            const std::size_t slot = block * kLanes + lane;
            if (entry->domains[slot] == domain->second) {
                slots.push_back(static_cast<Slot>(slot));
            }
        }
    }
    return true;
}

}  // namespace bayplan
