// The part of Lifecycle about preemption: nominations, victims, and those of them that stay
// (rules/preemption.md).

#include <algorithm>
#include <utility>

#include "apps/ask_state.h"
#include "engine/gang_preempting.h"
#include "engine/lifecycle.h"

namespace bayplan {

// --- nominations

void Lifecycle::nominate(AskId id, Slot slot, std::vector<AskHandle> victims) {
    commit_.nominate(id, slot, std::move(victims));
    commit_.finish();
}

void Lifecycle::nominate_again(AskId id, const Nomination& former) {
    commit_.nominate(id, former.slot, former.victims, former.for_guarantee);
    commit_.finish();
}

Lifecycle::SentAway Lifecycle::nominate(AskId id, const NodeVictims& chosen, std::string_view guarantor) {
    if (const Nomination* former = world_.nominations.of(id); former != nullptr && former->slot != chosen.slot) {
        clear_nomination(id, "preemption chose " + std::string(world_.nodes.name(chosen.slot)));
    }
    commit_.drop_nomination(id);
    commit_.nominate(id, chosen.slot, victims_there(chosen), !guarantor.empty());
    commit_.happened({.kind = Happening::Kind::nominated, .ask = id, .slot = chosen.slot});
    const SentAway sent = send_away(id, chosen, guarantor);
    commit_.finish();
    clear_lower_nominations(id, chosen.slot);
    return sent;
}

// The victims on its node, for which it waits. Others of a gang that goes whole may run elsewhere.
std::vector<AskHandle> Lifecycle::victims_there(const NodeVictims& chosen) const {
    std::vector<AskHandle> victims;
    for (const AskId victim : chosen.victims) {
        if (world_.asks[victim].state != AskState::queried && world_.asks[victim].slot == chosen.slot) {
            victims.push_back(world_.asks.handle(victim));
        }
    }
    return victims;
}

Lifecycle::SentAway Lifecycle::send_away(AskId preemptor, const NodeVictims& chosen, std::string_view guarantor) {
    SentAway sent;
    std::string why = "preempted by " + full_name(world_, preemptor);
    if (!guarantor.empty()) {
        why.append(" for the guarantee of ").append(guarantor);
    }
    for (const AskId victim : chosen.victims) {
        const Ask& ask = world_.asks[victim];
        sent.told = sent.told || (!ask.terminating && is_allocated(ask.state));
        sent.gives_way = sent.gives_way || ask.state == AskState::queried;
        release_victim(victim, why);
    }
    return sent;
}

Lifecycle::SentAway Lifecycle::nominate_together(Gang& gang, const std::vector<MemberNomination>& nominations) {
    SentAway sent;
    for (const MemberNomination& one : nominations) {
        commit_.drop_nomination(one.ask);
        commit_.nominate(one.ask, one.chosen.slot, victims_there(one.chosen), !one.guarantor.empty());
        commit_.happened({.kind = Happening::Kind::nominated, .ask = one.ask, .slot = one.chosen.slot});
        const SentAway here = send_away(one.ask, one.chosen, one.guarantor);
        sent.told = sent.told || here.told;
        sent.gives_way = sent.gives_way || here.gives_way;
    }
    gang.nominated = nominations.empty() ? gang.nominated : static_cast<std::uint32_t>(nominations.size());
    commit_.finish();
    for (const MemberNomination& one : nominations) {
        clear_lower_nominations(one.ask, one.chosen.slot);
    }
    return sent;
}

void Lifecycle::wake_for(SentAway sent) {
    if (sent.told) {
        wake(kPodPlaced);
    }
    if (sent.gives_way) {
        wake(kPodGone);
    }
}

void Lifecycle::clear_nomination(AskId id, const std::string& why) {
    const Slot slot = world_.nominations.of(id)->slot;
    commit_.drop_nomination(id);
    gangs_.nomination_ended(id);
    commit_.happened({.kind = Happening::Kind::nomination_cleared,
                      .ask = id,
                      .slot = slot,
                      .wakes = kPodGone,
                      .why = commit_.text(why)});
    commit_.finish();
}

void Lifecycle::clear_lower_nominations(AskId id, Slot slot) {
    const std::vector<AskId> there = world_.nominations.on(slot);
    for (const AskId other : there) {
        const bool clear_all = world_.options.preemption.lower_nominations == LowerNominations::clear;
        if (world_.asks[other].priority < world_.asks[id].priority && (clear_all || !still_fits(other, slot))) {
            clear_nomination(other, full_name(world_, id) + " was nominated");
        }
    }
}

// As if all that terminates were gone; and of a reservation, all that it waits for there.
bool Lifecycle::still_fits(AskId nominated, Slot slot) {
    const Tentative tentative(commit_);
    commit_.suspend_nomination(nominated);
    NodeTrial trial(trial_tables(world_, evaluator_.predicates()), nominated, slot);
    world_.departures.for_each([&](AskId pod) { trial.take_off_elsewhere(pod); });
    const Ask& ask = world_.asks[nominated];
    const GangId reserved = world_.gangs.reserved();
    if (reserved != kNone<GangId> && is_coscheduled(ask.group) && world_.gangs.member(nominated).gang == reserved) {
        for (const AskId pod : world_.nodes[slot].allocations) {
            if (!world_.asks[pod].terminating && may_be_waited_for(world_.asks[pod], ask, world_.options.preemption)) {
                trial.take_off(pod);
            }
        }
    }
    return trial.passes();
}

void Lifecycle::end_nomination(AskId id) {
    if (const Nomination* const nomination = world_.nominations.of(id); nomination != nullptr) {
        const Slot slot = nomination->slot;
        commit_.drop_nomination(id);
        gangs_.nomination_ended(id);
        commit_.happened({.kind = Happening::Kind::nomination_ended, .ask = id, .slot = slot, .wakes = kPodGone});
        commit_.finish();
    }
}

void Lifecycle::lose_nominated_node(AskId id) {
    commit_.drop_nomination(id);
    gangs_.nomination_ended(id);
    commit_.happened({.kind = Happening::Kind::freed, .ask = id});
    commit_.finish();
}

// --- guarantees of queues

// The ask waits on in its queue: it is tried as soon as that has room.
void Lifecycle::nominate_for_room(AskId id, const NodeVictims& chosen, std::string_view guarantor) {
    if (const Nomination* former = world_.nominations.of(id); former != nullptr && former->slot != chosen.slot) {
        clear_nomination(id, "preemption chose " + std::string(world_.nodes.name(chosen.slot)));
    }
    commit_.drop_nomination(id);
    commit_.nominate(id, chosen.slot, victims_there(chosen), true);
    commit_.happened({.kind = Happening::Kind::nominated, .ask = id, .slot = chosen.slot});
    const std::string why = "preempted by " + full_name(world_, id) + " for the guarantee of " + std::string(guarantor);
    std::vector<AskId> told;
    for (const AskId victim : chosen.victims) {
        if (world_.asks[victim].terminating) {
            release_victim(victim, why);
        } else {
            told.push_back(victim);
        }
    }
    commit_.finish();
    send_away(told, why);
    clear_lower_nominations(id, chosen.slot);
}

// R-GUARANTEE-11.
void Lifecycle::end_delays_of_guarantees() {
    for (AskId id = world_.guarantee_waits.take_due(world_.now_ns); id != kNone<AskId>;
         id = world_.guarantee_waits.take_due(world_.now_ns)) {
        wake_if_unschedulable(id);
    }
}

void Lifecycle::wake_for_guarantees() { wake(kFailedByGuarantee); }

// --- victims

void Lifecycle::release_victim(AskId victim, const std::string& why) {
    const Ask& ask = world_.asks[victim];
    if (ask.state == AskState::queried) {
        give_way(victim, why);
        return;
    }
    if (ask.terminating) {
        // It goes already; its shim need not be told.
        commit_.set_flags(victim,
                          {.terminating = true, .preempted = true, .chosen = true, .told_to_go = ask.told_to_go});
        return;
    }
    begin_to_go(victim, why);
    commit_.happened(
        {.kind = Happening::Kind::victim_chosen, .ask = victim, .slot = ask.slot, .why = commit_.text(why)});
}

// Its shim is to delete it.
void Lifecycle::begin_to_go(AskId victim, const std::string& why) {
    const Ask& ask = world_.asks[victim];
    commit_.set_flags(victim, {.terminating = true, .preempted = true, .chosen = true, .told_to_go = true});
    for (PodBudget* budget : world_.budgets.covering(world_.classes.spec_of(ask), world_.asks.key(victim))) {
        commit_.charge_budget(*budget);
    }
    commit_.begin_departure(victim, world_.now_ns, why);
    if (is_coscheduled(ask.group)) {
        gangs_.note(victim);
    }
}

void Lifecycle::send_away(const std::vector<AskId>& pods, const std::string& why) {
    for (const AskId id : pods) {
        begin_to_go(id, why);
        commit_.happened({.kind = Happening::Kind::sent_away,
                          .ask = id,
                          .slot = world_.asks[id].slot,
                          .termination = Termination::preempted_by_scheduler,
                          .wakes = id == pods.back() ? std::uint32_t{kPodPlaced} : 0u,
                          .why = commit_.text(why)});
    }
    commit_.finish();
}

void Lifecycle::note_departure(AskId pod) {
    if (world_.asks[pod].terminating) {
        commit_.begin_departure(pod, world_.now_ns);
    } else {
        commit_.end_departure(pod);
    }
}

void Lifecycle::note_terminating(AskId pod) {
    note_departure(pod);
    commit_.finish();
}

void Lifecycle::depart(const Departures::Due& due) {
    if (!due.stuck) {
        // Told again.
        commit_.happened({.kind = Happening::Kind::victim_chosen,
                          .ask = due.pod,
                          .slot = world_.asks[due.pod].slot,
                          .why = commit_.text(world_.departures.why(due.pod))});
    }
    commit_.finish();
    if (due.stuck) {
        world_.guarantee_waits.note_change();  // it does not go any more
        world_.reservations.changed(world_.asks[due.pod].slot);
        give_up_on(due.pod);
    }
}

// Whoever waits for this pod to go looks elsewhere.
void Lifecycle::give_up_on(AskId stuck) {
    const Slot slot = world_.asks[stuck].slot;
    const AskHandle handle = world_.asks.handle(stuck);
    const std::vector<AskId> there = world_.nominations.on(slot);
    for (const AskId id : there) {
        const std::vector<AskHandle>& victims = world_.nominations.of(id)->victims;
        if (std::find(victims.begin(), victims.end(), handle) != victims.end()) {
            exclude_for(id, slot, stuck);
            clear_nomination(id, std::string(world_.asks.key(stuck)) + " does not terminate");
        }
    }
    wake_behind(stuck);
}

// Where a gang is the preemptor: for all of it that waits.
void Lifecycle::exclude_for(AskId preemptor, Slot slot, AskId stuck) {
    std::vector<AskId> asks;
    if (is_coscheduled(world_.asks[preemptor].group)) {
        gangs_.waiting_with(preemptor, asks);
    } else {
        asks.push_back(preemptor);
    }
    for (const AskId id : asks) {
        if (!world_.excluded.is_excluded_for(id, stuck)) {
            commit_.exclude(id, slot, stuck);
        }
    }
}

void Lifecycle::wake_behind(AskId pod) {
    const std::vector<AskId> there = world_.nominations.on(world_.asks[pod].slot);
    for (const AskId id : there) {
        if (world_.asks[id].priority > world_.asks[pod].priority) {
            wake_if_unschedulable(id);
        }
    }
}

void Lifecycle::give_up_on_stuck_victims(AskId id) {
    const Nomination* const nomination = world_.nominations.of(id);
    if (nomination == nullptr) {
        return;
    }
    const std::vector<AskHandle> victims = nomination->victims;
    for (const AskHandle handle : victims) {
        if (world_.asks.find(handle) != nullptr && world_.departures.is_stuck(handle.id)) {
            exclude_for(id, nomination->slot, handle.id);
            clear_nomination(id, std::string(world_.asks.key(handle.id)) + " does not terminate");
            return;
        }
    }
}

// --- early tries

AskId Lifecycle::early() const {
    if (!world_.options.backoff_early) {
        return kNone<AskId>;
    }
    const AskId id = world_.backoff.first_of([&](ShimId shim) { return world_.order->has_credit(shim); });
    if (id == kNone<AskId> || world_.tree == nullptr || !is_coscheduled(world_.asks[id].group)) {
        return id != kNone<AskId> && world_.order->selectable(id) ? id : kNone<AskId>;
    }
    std::vector<AskId> members;  // their queues need room for all
    gangs_.waiting_with(id, members);
    return world_.order->selectable(members) ? id : kNone<AskId>;
}

Element Lifecycle::take_early() {
    early_.clear();
    const AskId first = early();
    if (first != kNone<AskId> && is_coscheduled(world_.asks[first].group)) {
        gangs_.waiting_with(first, early_);
    } else if (first != kNone<AskId>) {
        early_.push_back(first);
    }
    for (const AskId id : early_) {
        world_.backoff.remove(id);
        world_.order->charge(id);
        change_state(world_.asks[id], AskEvent::select);
    }
    return early_;
}

}  // namespace bayplan
