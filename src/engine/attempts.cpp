// The steps of an attempt, from the checks ahead to its end; see attempts.h.
#include "engine/attempts.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "engine/claims_of_pods.h"

namespace bayplan {

std::string whole_message(std::string message, const PreemptionOutcome& outcome, std::string_view of_claims) {
    if (outcome.tried && !outcome.chosen) {
        // Kubernetes' plugin for dynamic resources speaks first; an error of preemption stands alone.
        message += outcome.is_error ? " " : fmt::format(" {}, ", of_claims);
        message += "preemption: " + outcome.text;
    }
    return message;
}

void Attempts::make(AskId id) {
    Commit& commit = lifecycle_.commit();
    const bool plain = !world_.asks[id].has_entries;
    commit.suspend_nomination(id);
    std::uint32_t failed_on_its_node = 0;
    if (world_.asks[id].daemonset && make_on_its_node(id, failed_on_its_node)) {
        // Placed, or its node is reserved.
    } else if (const Slot slot = plain ? kNone<Slot> : nominated_node_that_passes(id); slot != kNone<Slot>) {
        give(id, slot);
    } else if (const NodeKey best = find(id); best != 0) {
        give(id, slot_of(best), best);
    } else if (const Slot held = take_from_gangs_behind(id); held != kNone<Slot>) {
        give(id, held);
    } else {
        fail(id, failed_on_its_node);
    }
    if (!plain) {
        commit.restore_nomination(id);
        commit.finish();
    }
}

// A search of a pod without claims never does, which is cheap to see.
bool Attempts::ends_in_an_error(AskId id) const {
    const SpecId spec = world_.classes.spec_of(world_.asks[id]);
    return world_.topology.plan(spec).claims != nullptr && Diagnoser(world_, predicates_, id).error().has_value();
}

// The node that the attempt found, or a query about it (rules/plugins.md). `key`: of the best of all nodes; 0: it is another.
void Attempts::give(AskId id, Slot slot, NodeKey key) {
    if (!needs_plugins(world_, id)) {
        lifecycle_.place(id, slot);
        return;
    }
    const PluginTable::Entry* const entry = world_.plugins.of(id);
    if (entry != nullptr && world_.plugins.counting(*entry, slot) != nullptr) {
        lifecycle_.forget_plugins(id);
        lifecycle_.place(id, slot);
    } else {
        const std::vector<NodeKey> others = others_to_ask(id, slot, entry);
        lifecycle_.query(id, slot, others, key);
    }
}

// The next best that plugins have said nothing of, as many as the query may have beside the node.
std::vector<NodeKey> Attempts::others_to_ask(AskId id, Slot slot, const PluginTable::Entry* entry) {
    const std::uint32_t doublings = entry == nullptr ? 0 : std::min(entry->queries, 10u);
    const std::uint64_t most =
        std::min<std::uint64_t>(std::uint64_t{world_.options.plugins.nodes} << doublings, PluginOptions::kNodesMax);
    std::vector<NodeKey> others;
    ExcludedNodes skipped;
    if (entry != nullptr) {
        world_.plugins.for_each_counting(*entry, [&](const PluginTable::Known& known) { skipped.add(known.slot); });
    }
    skipped.add(slot);
    pipeline_.next_best(world_.asks[id].ask_class, excluded(id, true, excluded_), skipped, most - 1, others);
    return others;
}

bool Attempts::refused_by_plugins(AskId id, Slot slot) const {
    const PluginTable::Entry* const entry = needs_plugins(world_, id) ? world_.plugins.of(id) : nullptr;
    const PluginTable::Known* const known = entry == nullptr ? nullptr : world_.plugins.counting(*entry, slot);
    return known != nullptr && known->verdict != PluginVerdict::feasible;
}

bool Attempts::make_on_its_node(AskId id, std::uint32_t& failed_predicates) {
    const Slot slot = daemon_node(world_, id);
    if (slot == kNone<Slot>) {
        return false;
    }
    const ReservingLook look = reserving_.look(id, slot);
    switch (look.found) {
        case ReservingLook::Found::fits: lifecycle_.place_daemon_pod(id, slot); return true;
        case ReservingLook::Found::short_of_resources:
            ++reservation_counters_.made;
            count(look);
            lifecycle_.reserve(id, slot, reserving_.outcome(id, slot, look));
            return true;
        case ReservingLook::Found::other: break;
    }
    // Once the others pass the node may be reserved, so each of them is worth waking for, not the first alone.
    failed_predicates = look.failed_predicates;
    return false;
}

// --- reservations

Attempts::Action Attempts::action_for(AskId id, const ReservingLook& look) const {
    if (look.found != ReservingLook::Found::short_of_resources) {
        return look.found == ReservingLook::Found::fits ? Action::place : Action::clear;
    }
    const Reservation& reservation = *world_.reservations.of(id);
    const std::int64_t expiry_ns = reservation.options.expiry_ns;
    const bool pending = look.steps.state == ReservationState::pending;
    if (expiry_ns > 0 && !pending && world_.now_ns - reservation.since_ns >= expiry_ns) {
        return Action::expire;
    }
    return look.steps.state == ReservationState::chosen ? Action::preempt : Action::none;
}

Attempts::DueReservation Attempts::due_reservation() {
    // Room in its queues is what is left with nothing taken ahead.
    if (world_.tree != nullptr && world_.reservations.any_to_look_at()) {
        pipeline_.give_all_back();
    }
    for (;;) {
        DueReservation due;
        due.ask = world_.reservations.first_to_look_at([&](AskId id) { return world_.order->selectable(id); });
        if (due.ask == kNone<AskId>) {
            return due;
        }
        const Slot slot = world_.reservations.of(due.ask)->slot;
        if (daemon_node(world_, due.ask) == slot) {
            due.look = reserving_.look(due.ask, slot);
        }
        due.action = action_for(due.ask, due.look);
        if (due.action != Action::none) {
            return due;
        }
        count(due.look);
        world_.reservations.looked_at(due.ask);
    }
}

// A look that ended the steps, and any victims that will be told.
void Attempts::count(const ReservingLook& look) {
    ++reservation_counters_.ended[static_cast<std::size_t>(look.steps.state)];
    if (look.steps.state == ReservationState::chosen) {
        ++reservation_counters_.preemptions;
        reservation_counters_.victims += look.steps.victims().size();
    }
}

AskId Attempts::reservation_to_act_on() { return due_reservation().ask; }

bool Attempts::act_on_a_reservation() {
    const DueReservation due = due_reservation();
    if (due.ask == kNone<AskId>) {
        return false;
    }
    const AskId id = due.ask;
    const Slot slot = world_.reservations.of(id)->slot;
    const std::string node = "node " + std::string(world_.nodes.name(slot));
    switch (due.action) {
        case Action::place: lifecycle_.place_daemon_pod(id, slot); break;
        case Action::preempt:
            count(due.look);
            lifecycle_.preempt_for_reservation(id, reserving_.outcome(id, slot, due.look));
            break;
        case Action::expire:
            ++reservation_counters_.expired;
            lifecycle_.clear_reservation(id, "the reservation of " + node + " has expired",
                                         Lifecycle::EndOfReservation::expired);
            break;
        default:
            ++reservation_counters_.cleared;
            lifecycle_.clear_reservation(id, node + " is not reserved any more: not only resources are in the way",
                                         Lifecycle::EndOfReservation::by_attempt);
            break;
    }
    return true;
}

Slot Attempts::nominated_node_that_passes(AskId id) const {
    const Nomination* const nomination = world_.nominations.of(id);
    if (nomination == nullptr || !world_.options.preemption.nominated_node_first ||
        world_.excluded.is_excluded(id, nomination->slot) ||
        world_.excluded.avoided(id, world_.now_ns) == nomination->slot || refused_by_plugins(id, nomination->slot)) {
        return kNone<Slot>;
    }
    NodeTrial trial(trial_tables(world_, predicates_), id, nomination->slot);
    return trial.passes() ? nomination->slot : kNone<Slot>;
}

const ExcludedNodes& Attempts::excluded(AskId id, bool avoid, ExcludedNodes& room) const {
    const ExcludedByVictims::Entry* const entry = world_.asks[id].has_exclusions ? world_.excluded.of(id) : nullptr;
    const ExcludedNodes& own = entry == nullptr ? kNoneExcluded : entry->nodes;
    const Slot avoided = entry == nullptr || !avoid ? kNone<Slot> : entry->avoided.at(world_.now_ns);
    const PluginTable::Entry* const plugins = needs_plugins(world_, id) ? world_.plugins.of(id) : nullptr;
    if (avoided == kNone<Slot> && world_.nominations.empty() && plugins == nullptr) {
        return own;
    }
    room = own;
    if (plugins != nullptr) {
        world_.plugins.for_each_counting(*plugins, [&](const PluginTable::Known& known) {
            if (known.verdict != PluginVerdict::feasible) {
                room.add(known.slot);
            }
        });
    }
    if (avoided != kNone<Slot>) {
        room.add(avoided);
    }
    exclude_for_nominations(id, room);
    return room;
}

// Amounts of nominated pods are held on their nodes: only what they bring beside may make a node refuse the ask.
void Attempts::exclude_for_nominations(AskId id, ExcludedNodes& excluded) const {
    const TrialTables tables = trial_tables(world_, predicates_);
    if (world_.nominations.empty()) {
        return;
    }
    const Subject pod = subject_of(tables, world_.asks[id].ask_class);
    if (!looks_beyond_amounts(tables, pod)) {
        return;
    }
    if (world_.options.victim_path != VictimPath::plain && Obstacles::are_all(tables, pod)) {
        const Obstacles obstacles(tables, pod, id);
        for_each_slot(obstacles.barred(), [&](Slot slot) {
            // A node that is full refuses the ask anyway.
            const std::uint64_t lane = std::uint64_t{1} << lane_of(slot);
            if (predicates_.filter(pod.ask_class, world_.node_state.block(block_of(slot)), lane) != 0) {
                excluded.add(slot);
            }
        });
        return;
    }
    world_.nominations.for_each_node([&](Slot slot) {
        if (!reckoned_with(tables, id, slot).empty() && !NodeTrial(tables, id, slot).passes()) {
            excluded.add(slot);
        }
    });
}

NodeKey Attempts::find(AskId id) {
    if (world_.asks[id].has_entries && ends_in_an_error(id)) {
        return 0;
    }
    const ClassId ask_class = world_.asks[id].ask_class;
    const NodeKey best = pipeline_.resolve(ask_class, excluded(id, true, excluded_));
    if (best != 0 || !world_.asks[id].has_exclusions || world_.excluded.avoided(id, world_.now_ns) == kNone<Slot>) {
        return best;
    }
    return pipeline_.resolve(ask_class, excluded(id, false, excluded_));
}

Slot Attempts::find_for_member(AskId id) {
    const Slot nominated = world_.asks[id].has_entries ? nominated_node_that_passes(id) : kNone<Slot>;
    if (nominated != kNone<Slot>) {
        return nominated;
    }
    const NodeKey best = find(id);
    return best == 0 ? kNone<Slot> : slot_of(best);
}

Slot Attempts::take_from_gangs_behind(AskId id) {
    Slot slot = kNone<Slot>;
    {
        const Yielding::Without without(yielding_, id);
        slot = without.any() ? find_for_member(id) : slot;
    }
    if (slot != kNone<Slot>) {
        yielding_.make_room(id, slot);
    }
    return slot;
}

bool Attempts::shares_failures(AskId id) const {
    const TrialTables tables = trial_tables(world_, predicates_);
    return !needs_plugins(world_, id) && world_.gangs.on_permit().empty() &&
           (!world_.asks[id].has_entries || world_.nominations.of(id) == nullptr) &&
           (!world_.asks[id].has_exclusions || !world_.excluded.any_excluded(id)) &&
           (world_.nominations.empty() || !looks_beyond_amounts(tables, subject_of(tables, world_.asks[id].ask_class)));
}

// As if gangs behind the ask held no nodes: they would give way.
Attempts::Failure Attempts::judge_failure(AskId id, Guaranteed guaranteed) {
    const Yielding::Without without(yielding_, id);
    Diagnoser diagnoser(world_, predicates_, id);
    Diagnosis diagnosis = diagnoser.diagnose();
    Failure failure;
    // Nobody goes for a pod that its plugins may refuse then.
    const bool needs = needs_plugins(world_, id);
    failure.outcome =
        needs && !plugins_judge_victims(world_, id) ? PreemptionOutcome{} : preempting_.decide(id, diagnosis);
    if (failure.outcome.asks) {
        failure.offer = preempting_.offer_on(id, failure.outcome.chosen->slot);
        return failure;
    }
    if (failure.outcome.tried) failure.claims = claims_after_failure(world_, diagnoser, failure.outcome);
    failure.failed_predicates = diagnosis.failed_predicates | failure.outcome.failed_predicates;
    const bool follows = failure.outcome.eligible && !failure.outcome.chosen && !needs;
    if (follows && (guaranteed == Guaranteed::failed ||
                    (guaranteed == Guaranteed::may && !preempt_for_guarantee(id, diagnosis, failure.outcome)))) {
        failure.failed_predicates |= kFailedByGuarantee;
    }
    failure.message = whole_message(std::move(diagnosis.message), failure.outcome, failure.claims.words);
    failure.nodes = diagnosis.unschedulable_count;
    failure.refused_by_plugins =
        !failure.outcome.chosen && (diagnosis.refused_by_plugins || failure.outcome.refused_by_plugins);
    failure.failed_predicates |= needs && failure.outcome.chosen ? kFailedByPlugins : 0;
    return failure;
}

// False: nobody is found.
bool Attempts::preempt_for_guarantee(AskId id, const Diagnosis& diagnosis, PreemptionOutcome& outcome) {
    outcome.chosen = guaranteeing_.search(id, *diagnosis.unschedulable);
    guaranteeing_.count(outcome.chosen ? &*outcome.chosen : nullptr);
    outcome.guarantor = outcome.chosen ? guaranteeing_.guarantor(id) : std::string_view();
    return outcome.chosen.has_value();
}

void Attempts::fail(AskId id, std::uint32_t failed_on_its_node) {
    const ClassId ask_class = world_.asks[id].ask_class;
    const bool alike = shares_failures(id);
    // Before gangs behind it hold no nodes, for a while.
    const Guaranteed guaranteed = guaranteeing_.failed(id, alike);
    const bool shared = alike && !world_.asks[id].never_preempts && guaranteed != Guaranteed::may;
    const bool in_vain = guaranteed == Guaranteed::failed;
    // Both only grow.
    const std::uint64_t position = world_.node_state.log().head() + world_.topology.version();
    if (const LastFailure* const last = world_.failures.last(ask_class);
        shared && last != nullptr && last->position == position) {
        // Nothing has changed since another ask of the class failed and found nobody to preempt.
        lifecycle_.fail(id, last->message,
                        last->failed_predicates | failed_on_its_node | (in_vain ? kFailedByGuarantee : 0), {}, 0, {});
        return;
    }
    const Failure failure = judge_failure(id, guaranteed);
    if (failure.outcome.asks) {
        lifecycle_.ask_about_victims(id, failure.outcome.chosen->slot, failure.offer);
        return;
    }
    if (shared && !failure.outcome.chosen) {
        world_.failures.keep(ask_class, {.message = failure.message,
                                         .failed_predicates = failure.failed_predicates & ~kFailedByGuarantee,
                                         .position = world_.node_state.log().head() + world_.topology.version()});
    }
    if (guaranteed == Guaranteed::may && alike && (failure.failed_predicates & kFailedByGuarantee) != 0) {
        guaranteeing_.keep_failure(id);
    }
    lifecycle_.fail(id, failure.message, failure.failed_predicates | failed_on_its_node, failure.outcome, failure.nodes,
                    failure.claims);
    if (failure.refused_by_plugins) {
        lifecycle_.back_off_for_plugins(id);
    } else {
        lifecycle_.forget_plugins(id);
    }
}

}  // namespace bayplan
