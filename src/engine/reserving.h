// DaemonSet pods on their node: the finding of an attempt there, the reservations that come before, and the outcome of the
// simple preemptor's steps (rules/daemonsets.md). Decides only; Lifecycle acts on it (reservation_steps.cpp).
//
// Thread: the engine's.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <boost/unordered/unordered_flat_map.hpp>

#include "bayplan/daemonset_explanation.h"
#include "engine/world.h"
#include "predicates/predicate_set.h"
#include "preemption/daemonset_victims.h"

namespace bayplan {

enum class ReservationState : std::uint8_t { delay, pending, behind, coming, never, nothing_found, chosen };
std::string_view to_string(ReservationState);

// The pods that the steps looked at, and the outcome of each step.
struct VictimLook {
    std::vector<AskId> pods;  // of the node; the answer's numbers are places in here
    std::vector<ResourceId> needed;
    VictimAnswer answer;
};

struct ReservationSteps {
    ReservationState state = ReservationState::delay;
    std::int64_t age_ns = 0;
    std::vector<ResourceAmount> need;
    AskId behind = kNone<AskId>;
    std::optional<VictimLook> look;  // if they came so far

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
    std::vector<AskId> victims;
    std::string release_text;  // the text that their shims are told
};

// A DaemonSet controls it and it names one node, and nothing is switched off.
bool is_daemon_pod(const World&, AskId);
// Its node; kNone if it is no such pod, its node is not there, or has devices of a resource that it asks for.
Slot daemon_node(const World&, AskId);

class Reserving {
public:
    Reserving(World& world, const PredicateSet& predicates) : world_(world), predicates_(predicates) {}

    // The ask on its node, without its own reservation.
    ReservingLook look(AskId, Slot) const;
    ReservingOutcome outcome(AskId, Slot, const ReservingLook&) const;
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
    VictimLook find_victims(AskId, Slot, const std::vector<ResourceAmount>& need) const;
    std::vector<PredicateSet::Failure> failures(AskId, Slot, const Before&) const;
    std::string text_of(const ReservationSteps&) const;
    void explain_victims(const VictimLook&, DaemonsetExplanation&) const;
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
};

}  // namespace bayplan
