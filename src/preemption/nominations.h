// Nominated nodes: which asks wait for room on which node, and whose going each waits for. A nomination
// keeps the ask's requests on the node from all of no higher priority (cluster/holds.h); what else it means
// for others is asked by node (R-ATTEMPT-7, R-WORLD-33).
//
// Thread: the engine's. Owner: World. Keeps the holds in step.
#pragma once

#include <optional>
#include <vector>

#include <boost/unordered/unordered_flat_map.hpp>

#include "apps/ask_table.h"
#include "apps/class_table.h"
#include "base/seeded_hash.h"
#include "base/split_map.h"
#include "cluster/holds.h"

namespace bayplan {

struct Nomination {
    Slot slot = kNone<Slot>;
    std::vector<AskHandle> victims;  // pods whose going makes the room
    bool for_guarantee = false;      // they go for the guarantee of the ask's queue (rules/guarantees.md)
    bool suspended = false;          // its ask is being tried: it does not count against itself
};

class Nominations {
public:
    Nominations(const AskTable& asks, const ClassTable& classes, Holds& holds)
        : asks_(asks), classes_(classes), holds_(holds) {}

    // Functions that change the table are called by the transaction alone (commit/commit.h).
    // The ask must have none.
    void set(AskId, Nomination);
    std::optional<Nomination> drop(AskId);  // the former nomination; none: it had none
    bool empty() const { return by_ask_.empty(); }
    // Null: none.
    const Nomination* of(AskId id) const {
        if (empty()) {
            return nullptr;
        }
        const auto found = by_ask_.find(id);
        return found == by_ask_.end() ? nullptr : &found->second;
    }
    // The asks nominated to the node, in the order in which they would be tried.
    const std::vector<AskId>& on(Slot) const;
    // The nodes that anybody is nominated to, in no particular order.
    template <typename Each>
    void for_each_node(Each&& each) const {
        for (const auto& [slot, asks] : by_node_) {
            each(slot);
        }
    }

    // While an ask is tried its own nomination does not count. False: nothing has changed.
    bool suspend(AskId);
    bool restore(AskId);  // after suspend

private:
    void hold(AskId, const Nomination&);

    const AskTable& asks_;
    const ClassTable& classes_;
    Holds& holds_;
    SplitMap<AskId, Nomination, NumberHash> by_ask_;
    boost::unordered_flat_map<Slot, std::vector<AskId>> by_node_;
};

}  // namespace bayplan
