// Which nodes carry a label of a key, of any value. A key that something asks for the first time costs a step for each of
// these, and none for the others.
//
// Thread: the engine's changes it; others may read while nobody does. Owner: ClusterFacts.
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>

#include "base/ids.h"
#include "cluster/node_facts.h"
#include "cluster/node_set.h"

namespace bayplan {

class LabelCarriers {
public:
    // The node of the slot had these facts, and has those now. Null: there was, or is, no node.
    void change(Slot, const NodeFacts* before, const NodeFacts* after);
    // Empty if no node carries the key.
    const NodeSet& of(Text key) const;

private:
    void add(Text key, Slot slot) { carriers_[key].add(slot); }
    void remove(Text key, Slot);

    boost::unordered_flat_map<Text, NodeSet> carriers_;
    const NodeSet none_{};
};

}  // namespace bayplan
