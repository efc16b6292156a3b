// Which nodes a topology spread constraint looks at, as a bit per node, and how many of them lie in each
// domain of a key. Shared by all constraints alike.
//
// Thread: the engine's. Source: Kubernetes 1.35, PodTopologySpread (node inclusion policies).
#pragma once

#include <cstdint>
#include <vector>

#include "base/ids.h"
#include "base/interned.h"
#include "base/text_table.h"
#include "bayplan/pod_spec.h"
#include "labels/node_terms.h"
#include "topology/topology_keys.h"

namespace bayplan {

enum class FilterId : std::uint32_t {};  // kNone = every node
enum class EligibleId : std::uint32_t {};

// A node passes if it has all the keys, matches the pod's node affinity, and has no taint that the pod
// does not tolerate; what a policy does not honour is left empty here.
struct NodeFilterKey {
    std::vector<Text> keys;  // sorted
    PodSpec wanted;          // only node_selector and required_nodes, and tolerations if `taints`
    bool taints = false;
    bool operator==(const NodeFilterKey&) const = default;
    bool restricts() const { return !keys.empty() || taints || restricts_nodes(wanted); }
};
std::size_t hash_of(const NodeFilterKey&);

struct EligibleKey {
    FilterId filter = kNone<FilterId>;
    KeyId key = kNone<KeyId>;
    bool operator==(const EligibleKey&) const = default;
};
std::size_t hash_of(const EligibleKey&);

class NodeFilters {
public:
    NodeFilters(const TextTable& texts, const KnownTexts& known, TopologyKeys& keys)
        : texts_(texts), known_(known), keys_(keys) {}

    FilterId acquire(NodeFilterKey, const FactsBySlot&);
    void release(FilterId);
    bool passes(FilterId id, Slot slot) const {
        return id == kNone<FilterId> || (filters_[id].bits[block_of(slot)] >> lane_of(slot) & 1);
    }

    EligibleId acquire_eligible(EligibleKey, const FactsBySlot&);
    void release(EligibleId);
    // Nodes that pass the filter, by domain of the key.
    const std::vector<std::uint32_t>& nodes_in(EligibleId id) const { return eligible_[id].nodes; }
    // How many domains have one.
    std::uint32_t domains(EligibleId id) const { return eligible_[id].domains; }

    // Around a change of the slot's node: the old one is taken out, the new one put in.
    void take_out(Slot);
    void put_in(Slot, const NodeFacts*, std::size_t slots);

private:
    struct Filter {
        NodeFilterKey key;
        std::vector<std::uint64_t> bits;  // by block
    };
    struct Eligible {
        EligibleKey key;
        std::vector<std::uint32_t> nodes;  // by domain
        std::uint32_t domains = 0;
    };

    bool judge(const NodeFilterKey&, const NodeFacts&) const;
    void count(Eligible&, Slot, int sign);

    const TextTable& texts_;
    const KnownTexts& known_;
    TopologyKeys& keys_;
    Interned<FilterId, Filter> filters_;
    Interned<EligibleId, Eligible> eligible_;
};

}  // namespace bayplan
