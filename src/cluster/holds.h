// Holds: capacity of a node kept from asks below a priority. One mechanism for the operator's holds,
// nominated nodes, reservations, permit waits and gang attempts.
//
// Thread: the engine's. Keeps the node state's `held` columns and hold lists in step.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "cluster/devices.h"
#include "cluster/node_state.h"
#include "cluster/resources.h"

namespace bayplan {

// The owner of a hold: numbers of different kinds of owners do not meet.
struct HoldOwner {
    enum class Kind : std::uint8_t { operators, nomination, reservation };
    Kind kind = Kind::operators;
    std::uint64_t number = 0;
    auto operator<=>(const HoldOwner&) const = default;
};

struct Hold {
    Slot slot = kNone<Slot>;
    std::int64_t kept_from_below = 0;
    std::vector<ResourceAmount> amounts;  // one entry per resource
    // Among holds of one kind of owner and one `kept_from_below`: smaller is put on devices first.
    std::pair<std::uint64_t, std::uint64_t> order = {};
};

class Holds {
public:
    Holds(NodeState& state, ResourceTable& resources, const Devices& devices)
        : state_(state), resources_(resources), devices_(devices) {}

    // The owner must have none. Takes references to the resources.
    void place(HoldOwner, Hold);
    bool drop(HoldOwner);  // false: the owner has none
    // drop() in two steps: the hold is shown no more and may be put back, and its references are released.
    std::optional<Hold> take(HoldOwner);
    void put_back(HoldOwner, Hold);
    void release(const Hold&);
    void drop_all_of(Slot);      // the node goes
    void devices_changed(Slot);  // in use, or in number
    const std::map<HoldOwner, Hold>& all() const { return holds_; }
    // As predicates would read them if only these were on the node.
    template <typename Counts>
    HoldList list_of(Slot slot, Counts&& counts) const {
        HoldList list;
        const auto found = placed_.find(slot);
        if (found == placed_.end()) return list;
        for (const Placed& placed : found->second) {
            if (counts(placed.owner)) append(*placed.hold, list);
        }
        return list;
    }

private:
    using Rank = std::tuple<std::int64_t, HoldOwner::Kind, std::pair<std::uint64_t, std::uint64_t>>;
    struct Placed {
        Rank rank;  // the smallest comes first in lists
        HoldOwner owner;
        const Hold* hold = nullptr;
    };

    static void append(const Hold&, HoldList&);
    void show(Slot);  // writes the node's list of holds

    NodeState& state_;
    ResourceTable& resources_;
    const Devices& devices_;
    std::map<HoldOwner, Hold> holds_;
    std::map<Slot, std::vector<Placed>> placed_;  // by node, in order: a node may have thousands
};

}  // namespace bayplan
