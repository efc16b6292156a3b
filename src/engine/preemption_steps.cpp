// The part of Lifecycle about preemption: nominations, victims, and those of them that stay
// (rules/preemption.md).

#include <algorithm>

#include "apps/ask_state.h"
#include "engine/lifecycle.h"

namespace bayplan {

// --- nominations

void Lifecycle::nominate(AskId id, const NodeVictims& chosen) {
    const Ask& ask = world_.asks[id];
    const std::string_view node = world_.nodes.name(chosen.slot);
    if (const Nomination* former = world_.nominations.of(id); former != nullptr && former->slot != chosen.slot) {
        clear_nomination(id, "preemption chose " + std::string(node));
    }
    world_.nominations.drop(id);
    std::vector<AskHandle> victims;
    for (const AskId victim : chosen.victims) {
        victims.push_back(world_.asks.handle(victim));
    }
    world_.asks[id].has_entries = true;
    world_.nominations.set(id, chosen.slot, std::move(victims));
    decide(ask.shim, DecisionKind::nominated, world_.asks.key(id), kNominatedNodeKey, Termination::unknown, node);
    for (const AskId victim : chosen.victims) {
        release_victim(victim, id);
    }
    clear_lower_nominations(id, chosen.slot);
}

void Lifecycle::clear_nomination(AskId id, std::string_view why) {
    const Ask& ask = world_.asks[id];
    const KeyText key = world_.asks.key(id);
    const std::string_view node = world_.nodes.name(world_.nominations.of(id)->slot);
    announcer_.clear({world_.now_ns, ask.shim, key, node}, why);
    decide(ask.shim, DecisionKind::nominated, key, std::string(kNominatedNodeKey) + ": " + std::string(why));
    world_.nominations.drop(id);
    wake_if_unschedulable(id);
    wake(kPodGone);
}

void Lifecycle::clear_lower_nominations(AskId id, Slot slot) {
    const std::string why = full_name(id) + " was nominated";
    const std::vector<AskId> there = world_.nominations.on(slot);
    for (const AskId other : there) {
        const bool clear_all = world_.options.preemption.lower_nominations == LowerNominations::clear;
        if (world_.asks[other].priority < world_.asks[id].priority && (clear_all || !still_fits(other, slot))) {
            clear_nomination(other, why);
        }
    }
}

// As if all that terminates were gone.
bool Lifecycle::still_fits(AskId nominated, Slot slot) {
    world_.nominations.lift(nominated);
    bool passes = false;
    {
        NodeTrial trial(trial_tables(world_, evaluator_.predicates()), nominated, slot);
        world_.departures.for_each([&](AskId pod) { trial.take_off_elsewhere(pod); });
        passes = trial.passes();
    }
    world_.nominations.lay(nominated);
    return passes;
}

void Lifecycle::end_nomination(AskId id) {
    if (world_.nominations.of(id) != nullptr) {
        world_.nominations.drop(id);
        wake(kPodGone);
    }
}

// --- victims

std::string Lifecycle::full_name(AskId id) const {
    return world_.shims[world_.asks[id].shim].name + '/' + std::string(world_.asks.key(id));
}

void Lifecycle::tell_to_go(AskId victim, std::string_view why) {
    const Ask& ask = world_.asks[victim];
    decide(ask.shim, DecisionKind::released, world_.asks.key(victim), why, Termination::preempted_by_scheduler,
           world_.nodes.name(ask.slot));
}

void Lifecycle::release_victim(AskId victim, AskId preemptor) {
    Ask& ask = world_.asks[victim];
    ask.preempted = ask.chosen = true;
    if (ask.terminating) {
        return;  // it goes already; its shim need not be told
    }
    // Topology spread leaves out what terminates; all else counts as before.
    const SpecId spec = world_.classes.spec_of(ask);
    world_.topology.remove_pod(spec, ask.slot, false);
    world_.topology.add_pod(spec, ask.slot, true);
    ask.terminating = true;
    ask.told_to_go = true;
    for (PodBudget* budget : world_.budgets.covering(world_.specs[spec], world_.asks.key(victim))) {
        budget->disruptions_allowed -= budget->disruptions_allowed > 0 ? 1 : 0;
    }
    const std::string why = "preempted by " + full_name(preemptor);
    world_.asks[victim].has_entries = true;
    world_.departures.begin(victim, world_.now_ns, why);
    tell_to_go(victim, why);
}

void Lifecycle::note_terminating(AskId pod) {
    Ask& ask = world_.asks[pod];
    if (ask.terminating) {
        ask.has_entries = true;
        world_.departures.begin(pod, world_.now_ns);
    } else if (ask.has_entries) {
        world_.departures.end(pod);
    }
}

void Lifecycle::depart(const Departures::Due& due) {
    if (due.stuck) {
        give_up_on(due.pod);
    } else {
        tell_to_go(due.pod, world_.departures.why(due.pod));
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
            world_.left_out.leave_out(id, slot, stuck);
            clear_nomination(id, std::string(world_.asks.key(stuck)) + " does not terminate");
        }
    }
    wake_behind(stuck);
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
            world_.left_out.leave_out(id, nomination->slot, handle.id);
            clear_nomination(id, std::string(world_.asks.key(handle.id)) + " does not terminate");
            return;
        }
    }
}

// --- early tries

AskId Lifecycle::early() const {
    const AskId id = world_.options.backoff_early ? world_.backoff.first() : kNone<AskId>;
    return id != kNone<AskId> && world_.order->selectable(id) ? id : kNone<AskId>;
}

AskId Lifecycle::take_early() {
    const AskId id = early();
    if (id != kNone<AskId>) {
        world_.backoff.remove(id);
        world_.order->charge(id);
        change_state(world_.asks[id], AskEvent::select);
    }
    return id;
}

}  // namespace bayplan
