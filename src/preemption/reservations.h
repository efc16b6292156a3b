// Reserved nodes: which DaemonSet pods wait for room on their node, since when, and whose going each waits for. A
// reservation keeps all amounts of its ask from every priority (cluster/holds.h); which DaemonSet pods respect it is asked
// by node (engine/rules/daemonsets.md).
//
// Also: which reservations must be looked at again. A change of a node says so; a look may find that there is nothing to do.
//
// Thread: the engine's. Owner: World. Keeps the holds in step.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include <boost/unordered/unordered_flat_map.hpp>

#include "apps/ask_table.h"
#include "apps/class_table.h"
#include "cluster/holds.h"
#include "options/engine_options.h"

namespace bayplan {

// Which of two DaemonSet pods comes first: the smaller one.
struct ReservationRank {
    std::int64_t less_priority = 0;  // the priority, negated
    std::int64_t since_ns = 0;       // no reservation yet: INT64_MAX
    std::uint64_t sequence = 0;
    auto operator<=>(const ReservationRank&) const = default;
};

struct Reservation {
    Slot slot = kNone<Slot>;
    std::int64_t since_ns = 0;
    std::int32_t priority = 0;       // the ask's
    bool beyond_node = false;        // changes of other nodes' pods may matter to it
    std::uint32_t beyond_at = 0;     // where among these; set by the table
    std::vector<AskHandle> victims;  // of its last preemption
    DaemonsetOptions options;        // in force for the ask when its node was reserved
    std::uint64_t changed = 0;       // the number of the last change after which a look may find something else
};

class Reservations {
public:
    Reservations(const AskTable& asks, const ClassTable& classes, Holds& holds)
        : asks_(asks), classes_(classes), holds_(holds) {}

    // Functions that change something are the transaction's to call (commit/commit.h).
    // The ask must have none.
    void set(AskId, Reservation);
    std::optional<Reservation> drop(AskId);                             // none: the ask had no reservation
    std::vector<AskHandle> set_victims(AskId, std::vector<AskHandle>);  // those before

    bool empty() const { return by_ask_.empty(); }
    std::size_t size() const { return by_ask_.size(); }
    const Reservation* of(AskId) const;        // null: none
    const std::vector<AskId>& on(Slot) const;  // in their order
    ReservationRank rank(AskId, const Reservation*) const;
    static HoldOwner owner_of(AskId id) { return {HoldOwner::Kind::reservation, raw(id)}; }

    // --- reservations that must be looked at again
    // The node, its pods, its holds or its reservations changed.
    void changed(Slot slot) {
        if (!by_ask_.empty()) {
            note_changed(slot);
        }
    }
    // Something that no node has alone.
    void changed_elsewhere() {
        if (!beyond_node_.empty()) {
            note_all(beyond_node_);
        }
    }
    // Whether other nodes' pods matter to anybody may be otherwise now.
    void changed_everywhere();
    // Reservations whose age has reached the delay, or the expiry. Returns whether the delay of any has ended.
    bool come_of_age(std::int64_t now_ns);
    std::int64_t next_time_ns() const { return ages_.empty() ? INT64_MAX : std::get<0>(*ages_.begin()); }
    // Grows with each change after which a look may find something else, but for the time.
    std::uint64_t changes() const { return changes_; }
    bool any_to_look_at() const { return !to_look_at_.empty(); }
    // The first of them that `may` says yes to, or kNone.
    template <typename May>
    AskId first_to_look_at(May&& may) const {
        for (const auto& [rank, id] : to_look_at_) {
            if (may(id)) {
                return id;
            }
        }
        return kNone<AskId>;
    }
    void looked_at(AskId);
    // The others of them after `id`, in their order, while `each` returns true.
    template <typename Each>
    void for_each_to_look_at_after(AskId id, Each&& each) const {
        for (auto at = to_look_at_.upper_bound({rank(id, of(id)), id}); at != to_look_at_.end() && each(at->second);) {
            ++at;
        }
    }

private:
    using Age = std::tuple<std::int64_t, std::uint64_t, AskId>;  // when, sequence number, whose

    void note_changed(Slot);
    void note_all(const std::vector<AskId>&);
    template <typename Each>
    void for_each_age(AskId, const Reservation&, Each&&) const;

    const AskTable& asks_;
    const ClassTable& classes_;
    Holds& holds_;
    boost::unordered_flat_map<AskId, Reservation> by_ask_;
    boost::unordered_flat_map<Slot, std::vector<AskId>> by_node_;
    std::vector<AskId> beyond_node_;
    std::uint64_t changes_ = 1;
    std::set<std::pair<ReservationRank, AskId>> to_look_at_;
    std::set<Age> ages_;       // to come
    std::int64_t now_ns_ = 0;  // as last told
};

}  // namespace bayplan
