// Holds: capacity of a node kept from asks below a priority. One mechanism for the operator's holds,
// nominated nodes, reservations, permit waits and gang attempts.
//
// Thread: the engine's. Keeps the node state's `held` columns and hold lists in step.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "cluster/kinds.h"
#include "cluster/node_state.h"

namespace bayplan {

struct Hold {
    Slot slot = kNone<Slot>;
    std::int32_t kept_from_below = 0;
    std::vector<KindAmount> amounts;  // one entry per kind
};

class Holds {
public:
    Holds(NodeState& state, KindTable& kinds) : state_(state), kinds_(kinds) {}

    // The owner must have none. Takes references to the kinds.
    void place(std::uint64_t owner, Hold hold);
    bool drop(std::uint64_t owner);  // false: the owner has none
    void drop_all_of(Slot);          // the node goes
    const std::map<std::uint64_t, Hold>& all() const { return holds_; }

private:
    void show(Slot);  // writes the node's list of holds

    NodeState& state_;
    KindTable& kinds_;
    std::map<std::uint64_t, Hold> holds_;                     // by owner
    std::map<Slot, std::vector<std::uint64_t>> owners_;       // by node
};

}  // namespace bayplan
