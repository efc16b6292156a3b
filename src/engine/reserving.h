// DaemonSet pods on their node: the finding of an attempt there, the reservations that come before, and the outcome of the
// simple preemptor's steps (rules/daemonsets.md). Decides only; Lifecycle acts on it (reservation_steps.cpp).
//
// Thread: the engine's.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <boost/unordered/unordered_flat_map.hpp>

#include "bayplan/daemonset_explanation.h"
#include "engine/victims_ahead.h"
#include "engine/world.h"
#include "predicates/predicate_set.h"

namespace bayplan {

enum class ReservationState : std::uint8_t { delay, pending, behind, coming, never, nothing_found, chosen };
inline constexpr std::size_t kReservationStates = 7;
std::string_view to_string(ReservationState);

struct ReservationSteps {
    ReservationState state = ReservationState::delay;
    std::int64_t age_ns = 0;
    std::vector<ResourceAmount> need;
    AskId behind = kNone<AskId>;
    std::shared_ptr<const VictimLook> look;  // null: they did not come so far

    // It finds nothing, so that those behind it need not wait for it.
    bool blocked() const { return state == ReservationState::never || state == ReservationState::nothing_found; }
    std::vector<AskId> victims() const;
};

struct ReservingLook {
    enum class Found : std::uint8_t { fits, short_of_resources, other };
    Found found = Found::other;
    std::uint32_t failed_predicates = 0;  // there, all of them
    std::string reasons;                  // of NodeResourcesFit, if that alone refuses the pod
    ReservationSteps steps;
};

// The outcome of an attempt.
struct ReservingOutcome {
    std::string message;
    std::vector<AskId> victims;  // on the node; then others of gangs that go whole, wherever they run
    std::string release_text;    // the text that their shims are told
    std::string report;          // one line of JSON; empty: no victims, or nobody wants it
};

// A DaemonSet controls it and it names one node, and nothing is switched off.
bool is_daemon_pod(const World&, AskId);
// Settings in force for a DaemonSet pod: of its reservation, else of its queue, else of the engine (R-DAEMONSET-48).
DaemonsetOptions daemonset_options(const World&, AskId);
// Its node; kNone if it is no such pod, its node is not there, or has devices of a resource that it asks for.
Slot daemon_node(const World&, AskId);

// As many have the node reserved as may.
inline bool no_more_reservations(const World& world, Slot slot) {
    return world.reservations.on(slot).size() >= world.options.preemption.daemonset.of_node_max;
}

class Reserving {
public:
    Reserving(World& world, const PredicateSet& predicates, VictimWorkers& workers)
        : world_(world),
          predicates_(predicates),
          victims_(world, workers, [this](AskId id, Slot slot) { return need(id, slot, Before()); }) {}
    Reserving(const Reserving&) = delete;
    Reserving& operator=(const Reserving&) = delete;

    // The ask on its node, without its own reservation.
    ReservingLook look(AskId, Slot) const;
    ReservingOutcome outcome(AskId, Slot, const ReservingLook&) const;
    // Times that many of them were looked at together, on the victim workers too.
    std::uint64_t together() const { return victims_.together(); }
    DaemonsetExplanation explain(AskId, Slot, const ReservingLook&) const;

private:
    // The reservations that come before an ask and are to be respected.
    struct Before {
        std::vector<ResourceAmount> amounts;
        std::vector<AskId> asks;
        AskId uncovered = kNone<AskId>;  // the first that terminating pods do not make room for
        std::int64_t of(ResourceId) const;
    };

    Before before(AskId, Slot) const;
    void respect(AskId, Slot, Before&) const;
    ReservationSteps steps(AskId, Slot, const Before&) const;
    std::vector<ResourceAmount> need(AskId, Slot, const Before&) const;
    std::int64_t kept_by_operators(AskId, Slot, ResourceId) const;
    bool is_coming(AskId pod) const;
    bool is_pending(const Reservation&) const;
    std::vector<PredicateSet::Failure> failures(AskId, Slot, const Before&) const;
    std::string text_of(AskId, const ReservationSteps&) const;
    void explain_victims(const VictimLook&, DaemonsetExplanation&) const;
    std::string message(AskId, Slot, const ReservingLook&) const;
    std::string release_text(AskId, Slot, const ReservationSteps&) const;

    // The first `judged` reservations of a node, as all after them see them: true until something changes, or time goes on.
    // Looks go in the order of the reservations, so each of them is judged once and not once for each after it.
    struct Beginning {
        std::uint64_t changes = 0;
        std::int64_t now_ns = 0;
        std::size_t judged = 0;
        Before before;
    };

    World& world_;
    const PredicateSet& predicates_;
    mutable boost::unordered_flat_map<Slot, Beginning> beginnings_;  // a cache; of nodes with two reservations or more
    mutable VictimsAhead victims_;                                   // a cache, too
};

}  // namespace bayplan
