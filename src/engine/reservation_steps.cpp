// The part of Lifecycle about reserved nodes: made, preempted for, ended (rules/daemonsets.md).

#include <utility>

#include "apps/ask_state.h"
#include "engine/lifecycle.h"

namespace bayplan {

namespace {

// After an expiry others are tried first.
constexpr std::int64_t kAfterExpiryNs = 10'000'000'000;

}  // namespace

void Lifecycle::reserve(AskId id, Slot slot, const ReservingOutcome& outcome) {
    if (world_.nominations.of(id) != nullptr) {
        clear_nomination(id, "node " + std::string(world_.nodes.name(slot)) + " is reserved for it");
    }
    commit_.refund(id);
    set_reservation(id,
                    {.slot = slot, .since_ns = world_.now_ns, .victims = {}, .options = daemonset_options(world_, id)});
    commit_.join(id, AskEvent::reserve);
    tell_reservation(id, outcome, true);
    recheck_nominations(slot, full_name(world_, id) + " has the node reserved");
}

void Lifecycle::set_reservation(AskId id, Reservation reservation) {
    const TrialTables tables = trial_tables(world_, evaluator_.predicates());
    reservation.beyond_node = looks_beyond_amounts(tables, subject_of(tables, world_.asks[id].ask_class));
    reservation.priority = world_.asks[id].priority;
    commit_.reserve(id, std::move(reservation));
}

void Lifecycle::preempt_for_reservation(AskId id, const ReservingOutcome& outcome) {
    tell_reservation(id, outcome, false);
}

void Lifecycle::tell_reservation(AskId id, const ReservingOutcome& outcome, bool is_new) {
    const ReservingAttempt attempt{
        .message = outcome.message, .report = outcome.report, .victims = &outcome.victims, .is_new = is_new};
    commit_.happened({.kind = Happening::Kind::reserved,
                      .ask = id,
                      .slot = world_.reservations.of(id)->slot,
                      .reservation = &attempt});
    const Slot slot = world_.reservations.of(id)->slot;
    std::vector<AskHandle> handles;  // there
    std::size_t told = 0;
    for (const AskId victim : outcome.victims) {
        if (world_.asks[victim].state != AskState::queried) {
            ++told;
            if (world_.asks[victim].slot == slot) {
                handles.push_back(world_.asks.handle(victim));
            }
        }
        release_victim(victim, outcome.release_text);
    }
    if (!outcome.victims.empty()) {
        commit_.set_victims(id, std::move(handles));
    }
    commit_.finish();
    if (told > 0) {
        wake(kPodPlaced);
    }
    if (told < outcome.victims.size()) {
        wake(kPodGone);
    }
}

void Lifecycle::place_daemon_pod(AskId id, Slot slot) {
    if (world_.asks[id].state == AskState::reserved) {
        commit_.charge(id);
    }
    place(id, slot);
    recheck_nominations(slot, full_name(world_, id) + " was placed");
}

// A reservation does not respect the pods that are nominated to the node; they may fit no more.
void Lifecycle::recheck_nominations(Slot slot, const std::string& why) {
    const std::vector<AskId> there = world_.nominations.on(slot);
    for (const AskId other : there) {
        const bool clear_all = world_.options.preemption.lower_nominations == LowerNominations::clear;
        if (clear_all || !still_fits(other, slot)) {
            clear_nomination(other, why);
        }
    }
}

void Lifecycle::clear_reservation(AskId id, const std::string& why, EndOfReservation end) {
    const Slot slot = world_.reservations.of(id)->slot;
    commit_.drop_reservation(id);
    commit_.happened({.kind = Happening::Kind::reservation_cleared,
                      .tell = end != EndOfReservation::by_input,
                      .ask = id,
                      .slot = slot,
                      .wakes = kPodGone,
                      .why = commit_.text(why)});
    if (end == EndOfReservation::expired) {
        commit_.count_failure(id, 0, world_.now_ns + kAfterExpiryNs, true);
    }
    commit_.join(id, end == EndOfReservation::expired ? AskEvent::expire : AskEvent::clear);
    commit_.finish();
}

void Lifecycle::restate_reserved(AskId id, Reservation before) {
    const Slot slot = before.slot;
    set_reservation(id, std::move(before));
    if (daemon_node(world_, id) == slot) {
        make_pending(id, AskEvent::restate);
        return;
    }
    clear_reservation(id, "node " + std::string(world_.nodes.name(slot)) + " is not what the pod asks for any more",
                      EndOfReservation::by_input);
}

std::optional<Reservation> Lifecycle::take_reservation(AskId id) {
    const Reservation* const found = world_.reservations.of(id);
    std::optional<Reservation> taken = found == nullptr ? std::nullopt : std::optional(*found);
    commit_.drop_reservation(id);
    commit_.finish();
    return taken;
}

}  // namespace bayplan
