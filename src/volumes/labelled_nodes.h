// Nodes by label, for the keys that volumes and classes of storage ask for: so a volume's node affinity is a few sets put
// together, with any number of nodes and volumes.
//
//   nodes_[key][value]    a few slots, or a bit per node
//
// Thread: the engine's changes it; others may read while nobody does. Texts are of facts and of objects that are there; an
// object's keys are in use while it is there (use, drop).
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include <boost/unordered/unordered_flat_map.hpp>

#include "cluster/label_carriers.h"
#include "cluster/node_facts.h"
#include "cluster/node_set.h"
#include "labels/known_texts.h"
#include "labels/node_terms.h"
#include "labels/selector.h"

namespace bayplan {

class LabelledNodes {
public:
    LabelledNodes(const TextTable& texts, const KnownTexts& known, const LabelCarriers& carriers);

    // The node of the slot has these facts now; null: it goes.
    void set_node(Slot, std::shared_ptr<const NodeFacts>);
    const NodeFacts* facts(Slot slot) const { return raw(slot) < facts_.size() ? facts_[raw(slot)].get() : nullptr; }
    std::size_t block_count() const { return present_.size(); }

    // Counted. The first use of a key looks at the nodes that carry it.
    void use(Text key);
    void drop(Text key);

    // The nodes that match; all keys must be in use. `into` is as long as there are blocks, and cleared first.
    void matching(const std::vector<NodeTerm>&, NodeMask& into) const;  // as any_term_matches() without a name
    void matching(const LabelRequirement&, NodeMask& into) const;
    // The nodes with this label; null: none.
    const NodeSet* with(Text key, Text value) const;
    // All nodes that have the key; may be shorter than there are blocks.
    const NodeMask& having(Text key) const;
    const NodeMask& present() const { return present_; }
    // kNone: there is none.
    Slot named(Text name) const {
        const auto at = names_.find(name);
        return at == names_.end() ? kNone<Slot> : at->second;
    }

private:
    struct ByValue {
        boost::unordered_flat_map<Text, NodeSet> nodes;
        NodeMask all;
        std::uint32_t uses = 0;
    };

    const ByValue& of_key(Text key) const;
    static void put(ByValue&, Text value, Slot);
    void put(const NodeFacts&, Slot);
    void take(const NodeFacts&, Slot);

    const TextTable& texts_;
    const LabelCarriers& carriers_;
    std::vector<std::shared_ptr<const NodeFacts>> facts_;  // by slot
    NodeMask present_;
    boost::unordered_flat_map<Text, ByValue> keys_;
    boost::unordered_flat_map<Text, Slot> names_;
};

// The keys that terms look at, each as often as it is named.
template <typename Each>
void for_each_key(const std::vector<NodeTerm>& terms, Each&& each) {
    for (const NodeTerm& term : terms) {
        for (const LabelRequirement& requirement : term.labels) {
            each(requirement.key);
        }
    }
}

}  // namespace bayplan
