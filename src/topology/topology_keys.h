// Where each node lies, by topology key (zone, hostname, ...): a column of domains per key in use.
//
//   domain[slot]         the value of the key's label as a dense number of the key; kNoDomain if it lies nowhere
//   block_domain[block]  the domain that all nodes of the block share, or kMixed
//
// Columns of keys that many nodes carry are kept when nothing uses them any more: to make one takes milliseconds, and specs come
// and go.
//
// Thread: the engine's. Numbers of domains never decide anything; one without nodes is used again.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include <boost/unordered/unordered_flat_map.hpp>

#include "base/ids.h"
#include "base/interned.h"
#include "base/text_table.h"
#include "cluster/label_carriers.h"
#include "cluster/node_facts.h"

namespace bayplan {

enum class KeyId : std::uint32_t {};
using Domain = std::uint32_t;
inline constexpr Domain kNoDomain = UINT32_MAX;
inline constexpr Domain kMixed = UINT32_MAX - 1;

struct TopologyKey {
    Text key = 0;
    bool none_is_empty = false;  // a node without the label lies with those whose value is empty, else nowhere
    bool operator==(const TopologyKey&) const = default;
};
std::size_t hash_of(const TopologyKey&);

// Facts by slot; null where there is no node.
using FactsBySlot = std::vector<std::shared_ptr<const NodeFacts>>;

class TopologyKeys {
public:
    TopologyKeys(TextTable& texts, const LabelCarriers& carriers) : texts_(texts), carriers_(carriers) {}

    // A step for each node that carries the key, if it has no column.
    KeyId acquire(TopologyKey, const FactsBySlot&);
    void release(KeyId);
    // The node of the slot is another one now, or gone (null). `all` has the change already.
    void set_node(Slot, const NodeFacts*, const FactsBySlot& all);

    Domain domain(KeyId id, Slot slot) const {
        const std::vector<Domain>& column = keys_[id].domains;
        return raw(slot) < column.size() ? column[raw(slot)] : kNoDomain;
    }
    // 64 domains of a block that has nodes.
    const Domain* lanes(KeyId id, std::uint32_t block) const { return &keys_[id].domains[std::size_t{block} * kLanes]; }
    Domain block_domain(KeyId id, std::uint32_t block) const { return keys_[id].block_domains[block]; }
    // No block has nodes of two domains.
    bool whole_blocks(KeyId id) const { return keys_[id].mixed == 0; }
    // How searches look at the key (placement/site_search.h): nodes of a domain as one, though a few blocks have nodes of two
    // (a zone whose node moved to another); or each node by itself (hostnames, racks). Neither: there are many large domains,
    // and they cut through blocks.
    bool by_site(KeyId id) const { return keys_[id].way == Way::by_site; }
    bool by_node(KeyId id) const { return keys_[id].way == Way::by_node; }
    // Looked at node by node, and domains have more than one.
    bool shared_by_nodes(KeyId id) const { return by_node(id) && !one_node_each(id); }
    // The domain of nodes of a site, one of which this is.
    Domain site_domain(KeyId id, Slot slot) const {
        const Domain shared = block_domain(id, block_of(slot));
        return shared != kMixed ? shared : domain(id, slot);
    }
    // Of a key that is looked at node by node: the slots, and the blocks, that have nodes of the domain.
    std::span<const Slot> slots_of(KeyId id, Domain domain) const { return members(id).slots_of(domain); }
    std::span<const std::uint32_t> blocks_of(KeyId id, Domain domain) const { return members(id).blocks_of(domain); }
    // Nodes that have a domain.
    std::uint64_t nodes(KeyId id) const { return keys_[id].nodes; }
    // Grows whenever two nodes come to share a domain or no longer do.
    std::uint64_t sharing(KeyId id) const { return keys_[id].sharing; }
    // Another number whenever that changes or the domain of a block is another one; and where neither blocks nor nodes have a
    // domain each, also whenever a node's is. Such numbers are odd, in order that they are no others.
    std::uint64_t layout(KeyId id) const {
        const Entry& entry = keys_[id];
        const std::uint64_t changes = entry.layout + entry.sharing;
        return entry.mixed == 0 || entry.shared == 0 ? 2 * changes : 2 * (changes + entry.moves) + 1;
    }
    // Another number whenever a column of numbers by slot (PodCounts::by_slot) must be made anew.
    std::uint64_t column_version(KeyId id) const { return one_node_each(id) ? 2 * sharing(id) : layout(id); }
    // No two nodes share a domain (hostname): a domain is a slot.
    bool one_node_each(KeyId id) const { return keys_[id].shared == 0; }
    // The nodes with this label, in order, where the key has a column; false: it has none.
    bool find_nodes(const Label& label, std::vector<Slot>& slots) const;
    // The value that nodes of the domain have, and how many have it.
    Text value(KeyId id, Domain domain) const { return keys_[id].values[domain]; }
    std::uint32_t nodes_in(KeyId id, Domain domain) const { return keys_[id].nodes_in[domain]; }
    // Numbers of domains are below this.
    std::uint32_t domain_bound(KeyId id) const { return static_cast<std::uint32_t>(keys_[id].nodes_in.size()); }

private:
    enum class Way : std::uint8_t { by_site, by_node, neither };
    // Slots and blocks by domain.
    struct Members {
        std::uint64_t made_at = UINT64_MAX;  // Entry::moves
        std::vector<std::uint32_t> first_slot, first_block;
        std::vector<Slot> slots;
        std::vector<std::uint32_t> blocks;
        std::span<const Slot> slots_of(Domain domain) const {
            return std::span(slots).subspan(first_slot[domain], first_slot[domain + 1] - first_slot[domain]);
        }
        std::span<const std::uint32_t> blocks_of(Domain domain) const {
            return std::span(blocks).subspan(first_block[domain], first_block[domain + 1] - first_block[domain]);
        }
    };
    struct Entry {
        TopologyKey key;
        std::vector<Domain> domains;          // by slot, whole blocks
        std::vector<Domain> block_domains;    // by block
        std::vector<std::uint32_t> nodes_in;  // by domain
        std::uint32_t shared = 0;             // domains with more than one node
        std::uint32_t mixed = 0;              // blocks
        std::uint64_t nodes = 0;              // that have a domain
        std::uint64_t sharing = 0;            // how often `shared` changed
        std::uint64_t layout = 0;             // how often a block's domain did
        std::uint64_t moves = 0;              // how often a node's domain, or the number of slots, did
        std::uint32_t largest = 0;            // most nodes that a domain ever had
        Way way = Way::by_site;
        bool kept = false;
        std::vector<Domain> free;
        boost::unordered_flat_map<Text, Domain> of_value;
        std::vector<Text> values;  // by domain
        mutable Members members;   // made when it is asked for
    };

    void fill(Entry&, const FactsBySlot&);
    bool keep(KeyId);
    void drop(KeyId);
    void put(Entry&, Slot, const NodeFacts*);
    static void choose_way(Entry&);
    const Members& members(KeyId) const;
    static void look_at_block(Entry&, std::uint32_t block, const FactsBySlot&);

    TextTable& texts_;
    const LabelCarriers& carriers_;
    Interned<KeyId, Entry> keys_;
    std::vector<std::vector<Domain>> spares_;  // columns of keys that went: memory from the system is dear
    std::vector<KeyId> kept_;                  // with a reference each; in the order in which they came
};

}  // namespace bayplan
