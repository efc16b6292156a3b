#include "engine/lifecycle.h"

#include <algorithm>

#include "base/check.h"

namespace bayplan {

// Kubernetes' text for a pod that waits for its scheduling gates.
std::string gates_text(const PodSpec& spec, const TextTable& texts) {
    std::string text = "waiting for scheduling gates: [";
    const char* separator = "";
    for (const Text gate : spec.gates) {
        text += separator + std::string(texts.text(gate));
        separator = " ";
    }
    return text + "]";
}

std::string awaited_text(std::string_view node) { return "waiting for node " + std::string(node); }

Lifecycle::Lifecycle(World& world, Pipeline& pipeline, const BlockEvaluator& evaluator,
                     Announcer& announcer)
    : world_(world), pipeline_(pipeline), evaluator_(evaluator), announcer_(announcer) {}

// --- an attempt's end

void Lifecycle::occupy(AskId id, Slot slot) {
    Ask& ask = world_.asks[id];
    const AskClass& spec = *world_.classes[ask.ask_class].spec;
    if (ask.foreign) {
        world_.node_state.add_foreign(slot, spec.occupies, +1);
    } else {
        world_.node_state.add_used(slot, spec.occupies, +1);
        ++world_.allocations;
    }
    ask.slot = slot;
    world_.nodes[slot].pods_version = ++world_.pod_changes;
    world_.nodes[slot].allocations.insert(id);
    world_.specs.pods(spec.spec).push_back(world_.asks, id);
    world_.topology.add_pod(spec.spec, slot, ask.terminating);
}

void Lifecycle::vacate(AskId id) {
    const Ask& ask = world_.asks[id];
    const AskClass& spec = *world_.classes[ask.ask_class].spec;
    world_.topology.remove_pod(spec.spec, ask.slot, ask.terminating);
    world_.specs.pods(spec.spec).remove(world_.asks, id);
    world_.nodes[ask.slot].pods_version = ++world_.pod_changes;
    world_.nodes[ask.slot].allocations.remove(id);
    if (ask.foreign) {
        world_.node_state.add_foreign(ask.slot, spec.occupies, -1);
    } else {
        world_.node_state.add_used(ask.slot, spec.occupies, -1);
        --world_.allocations;
    }
}

namespace {

template <typename Visit>
void for_each_text(const std::vector<ClaimBinding>& bindings, Visit&& visit) {
    for (const ClaimBinding& binding : bindings) {
        visit(binding.claim.name_space);
        visit(binding.claim.name);
        visit(binding.volume);
    }
}

}  // namespace

// Claims that waited for this placement take their volumes.
void Lifecycle::bind_claims(AskId id, Slot slot) {
    const SpecId spec = world_.classes.spec_of(world_.asks[id]);
    if (world_.specs[spec].volumes.empty() || !evaluator_.predicates().has(PredicateId::volume_binding)) {
        return;
    }
    std::vector<ClaimBinding> bindings = bindings_at(world_.topology.plan(spec).volumes, *world_.nodes[slot].facts,
                                                     world_.known, world_.texts);
    if (!bindings.empty()) {
        // The objects may go before the binding does.
        for_each_text(bindings, [&](Text text) { world_.texts.add_reference(text); });
        world_.topology.volumes().assume(bindings);
        world_.bindings.emplace(id, std::move(bindings));
        world_.asks[id].has_entries = true;
    }
}

void Lifecycle::unbind_claims(AskId id) {
    if (const auto found = world_.bindings.find(id); found != world_.bindings.end()) {
        world_.topology.volumes().forget(found->second);
        for_each_text(found->second, [&](Text text) { world_.texts.release(text); });
        world_.bindings.erase(found);
    }
}

void Lifecycle::give_devices(AskId id, Slot slot, std::string_view stated) {
    if (!world_.devices.at(slot).empty()) {
        world_.devices.give(id, *world_.classes[world_.asks[id].ask_class].spec, slot, stated);
        world_.holds.devices_changed(slot);
        world_.asks[id].has_entries = true;
    }
}

void Lifecycle::place(AskId id, Slot slot) {
    Ask& ask = world_.asks[id];
    bind_claims(id, slot);
    give_devices(id, slot, {});
    occupy(id, slot);
    end_avoiding(id);
    end_waiting(id, AskEvent::place, world_.shims[ask.shim].ledger.last() + 1);
    const KeyText key = world_.asks.key(id);
    ++placed_;
    const std::string_view node = world_.nodes.name(slot);
    const std::string devices = ask.has_entries ? world_.devices.text_of(id) : std::string();
    const bool told = !world_.shims[ask.shim].must_resync;
    announcer_.place({world_.now_ns, ask.shim, key, node}, devices, told);
    if (told) {
        count_decision(ask.shim, true, world_.asks.handle(id));
    }
    note_terminating(id);
    end_nomination_by_placement(id, slot);
    wake(kPodPlaced);
}

void Lifecycle::count_failure(AskId id) {
    Ask& ask = world_.asks[id];
    const std::uint32_t failures = std::min(ask.failures + 1u, kFailuresMax);
    ask.failures = failures;
    const std::uint32_t doublings = std::min(failures - 1, 62u);
    std::int64_t wait = world_.options.backoff_max_ns;
    if (world_.options.backoff_initial_ns <= (world_.options.backoff_max_ns >> doublings)) {
        wait = std::min(wait, world_.options.backoff_initial_ns << doublings);
    }
    world_.asks.waiting(id).backoff_until_ns = world_.now_ns + wait;
}

void Lifecycle::end_avoiding(AskId id) {
    if (world_.asks[id].has_entries) {
        world_.left_out.ask_placed(id);
    }
}

// A place on the node of its nomination frees nothing for others; a place elsewhere does.
void Lifecycle::end_nomination_by_placement(AskId id, Slot slot) {
    if (!world_.asks[id].has_entries) {
        return;
    }
    if (const Nomination* nomination = world_.nominations.of(id); nomination != nullptr) {
        const bool there = nomination->slot == slot;
        world_.nominations.drop(id);
        if (!there) {
            wake(kPodGone);
        }
    }
}

void Lifecycle::log_failure(AskId id, std::string_view message, const PreemptionOutcome& outcome, std::size_t nodes) {
    const KeyText key = world_.asks.key(id);
    const ShimId shim = world_.asks[id].shim;
    if (!outcome.chosen) {
        announcer_.fail({world_.now_ns, shim, key, {}}, message);
        return;
    }
    std::string victims;
    for (const AskId victim : outcome.chosen->victims) {
        victims += (victims.empty() ? "" : ",") + full_name(victim);
    }
    const VictimCost& cost = outcome.chosen->cost;
    const std::string started =
        cost.earliest_start_ms == INT64_MAX ? "-" : std::to_string(cost.earliest_start_ms);
    announcer_.nominate({world_.now_ns, shim, key, world_.nodes.name(outcome.chosen->slot)}, victims,
                  "violations=" + std::to_string(cost.budget_violations) +
                      " highest=" + std::to_string(cost.highest_priority) + " sum=" +
                      std::to_string(cost.priority_sum) + " count=" + std::to_string(cost.count) + " started=" +
                      started + " nodes=" + std::to_string(nodes) + ": " + std::string(message));
}

void Lifecycle::tell_waiting(AskId id, std::string_view message, bool nominated) {
    Ask& ask = world_.asks[id];
    const bool scale_up = !nominated && ask.priority >= world_.options.scale_up_cutoff;
    if (ask.failures == 1 || (scale_up && !ask.told_scale_up)) {
        decide(ask.shim, DecisionKind::ask_waiting, world_.asks.key(id), message, Termination::unknown, {}, scale_up);
        ask.told_scale_up = ask.told_scale_up || scale_up;
    }
}

void Lifecycle::fail(AskId id, std::string_view message, std::uint32_t failed, const PreemptionOutcome& outcome,
                     std::size_t nodes) {
    world_.order->refund(id);
    world_.asks.waiting(id).failed_predicates = failed;
    count_failure(id);
    ++failed_;
    log_failure(id, message, outcome, nodes);
    const bool found_none = outcome.tried && outcome.eligible && !outcome.chosen;
    const bool had = world_.nominations.of(id) != nullptr;
    const bool chosen_for_good =
        outcome.chosen && std::none_of(outcome.chosen->victims.begin(), outcome.chosen->victims.end(),
                                       [&](AskId victim) { return world_.departures.is_stuck(victim); });
    tell_waiting(id, message, chosen_for_good || (!outcome.chosen && had && !found_none));
    bool anybody_told = false;
    if (found_none && had) {
        clear_nomination(id, "preemption found no node");
    } else if (outcome.chosen) {
        anybody_told = std::any_of(outcome.chosen->victims.begin(), outcome.chosen->victims.end(),
                                   [&](AskId victim) { return !world_.asks[victim].terminating; });
        nominate(id, *outcome.chosen);
    }
    make_unschedulable(id, AskEvent::fail);
    if (anybody_told) {
        wake(kPodPlaced);
    }
    if (outcome.chosen) {
        give_up_on_stuck_victims(id);
    }
}

// --- transitions

// The ask has its place now; `decision`: the number of the one that gives it, 0 if its shim stated it.
void Lifecycle::end_waiting(AskId id, AskEvent event, std::uint64_t decision) {
    world_.asks.end_waiting(id);
    Ask& ask = world_.asks[id];
    change_state(ask, event);
    ask.waiting_or_decision = static_cast<std::uint32_t>(decision);
}

// It has lost its place, and has its old one in the order.
void Lifecycle::begin_waiting(AskId id) {
    const Ask& ask = world_.asks[id];
    const bool grouped = ask.group != UINT32_MAX;
    world_.asks.begin_waiting(
        id, grouped ? world_.applications[ask.application].groups[ask.group].number : std::uint64_t{ask.sequence});
}

void Lifecycle::make_pending(AskId id, AskEvent event) {
    change_state(world_.asks[id], event);
    world_.asks.waiting(id).nacked = false;
    world_.order->insert(id);
}

void Lifecycle::withdraw(AskId id) {
    switch (world_.asks[id].state) {
        case AskState::pending: world_.order->remove(id); break;
        case AskState::selected: pipeline_.forget_selected(id); break;
        case AskState::backoff: (world_.asks.waiting(id).nacked ? world_.nacked : world_.backoff).remove(id); break;
        case AskState::unschedulable: world_.unschedulable.remove(id); break;
        case AskState::awaiting_node:
            world_.awaited_nodes.remove(id);
            world_.devices.expected(id);
            break;
        default: break;
    }
}

void Lifecycle::place_by_force(AskId id, Slot slot, std::string_view stated_devices) {
    world_.nominations.lift(id);  // its own does not count against it
    give_devices(id, slot, stated_devices);
    occupy(id, slot);
    if (!world_.asks[id].foreign) {
        world_.order->charge(id);
    }
    world_.nodes.note_usage_changed(slot);
    end_avoiding(id);
    end_waiting(id, AskEvent::run, 0);
    note_terminating(id);
    end_nomination_by_placement(id, slot);
    wake(kPodPlaced);
}

void Lifecycle::await_node(AskId id, std::string_view node, bool tell) {
    Ask& ask = world_.asks[id];
    change_state(ask, AskEvent::await_node);
    world_.awaited_nodes.insert(id, node);
    end_nomination_by_placement(id, kNone<Slot>);
    if (tell) {
        decide(ask.shim, DecisionKind::ask_waiting, world_.asks.key(id), awaited_text(node));
    }
}

void Lifecycle::end_allocation(AskId id) {
    Ask& ask = world_.asks[id];
    vacate(id);
    if (!ask.foreign) {
        world_.order->refund(id);
    }
    if (ask.has_entries) {
        if (world_.devices.of(id) != nullptr) {
            world_.devices.take_back(id, ask.slot);
            world_.holds.devices_changed(ask.slot);
        }
        unbind_claims(id);
        world_.departures.end(id);
    }
    world_.nodes.note_usage_fell(ask.slot);
    ask.slot = kNone<Slot>;
    begin_waiting(id);
    // What we made of it ends; what its shim states of it stays.
    ask.told_to_go = ask.chosen = false;
    ask.terminating = ask.stated_terminating;
    ask.preempted = ask.stated_preempted;
    if (ask.has_entries) {
        for (const AskId freed : world_.left_out.pod_gone(id)) {
            wake_if_unschedulable(freed);
        }
    }
}

void Lifecycle::make_gated(AskId id, bool tell) {
    Ask& ask = world_.asks[id];
    change_state(ask, AskEvent::gate);
    if (tell) {
        decide(ask.shim, DecisionKind::ask_waiting, world_.asks.key(id),
               gates_text(world_.specs[world_.classes.spec_of(ask)], world_.texts));
    }
}

void Lifecycle::make_unschedulable(AskId id, AskEvent event) {
    change_state(world_.asks[id], event);
    world_.unschedulable.insert(id);
}

void Lifecycle::insert_backoff(AskId id, AskEvent event) {
    change_state(world_.asks[id], event);
    (world_.asks.waiting(id).nacked ? world_.nacked : world_.backoff).insert(id);
}

void Lifecycle::back_off_after_nack(AskId id, Slot refused_by) {
    count_failure(id);
    world_.asks.waiting(id).nacked = true;
    world_.asks[id].has_entries = true;
    world_.left_out.avoid(id, refused_by, world_.now_ns + world_.options.avoid_rejecting_ns);
    insert_backoff(id, AskEvent::refuse);
}

void Lifecycle::remove(AskId id) {
    Ask& ask = world_.asks[id];
    if (has_place(ask.state)) {
        end_allocation(id);
    } else {
        withdraw(id);
    }
    if (ask.has_entries) {
        world_.nominations.drop(id);
        world_.left_out.ask_gone(id);
    }
    if (ask.application != kNone<ApplicationId>) {
        world_.applications[ask.application].asks.remove(world_.asks, id);
        if (ask.group != UINT32_MAX) {
            world_.applications.leave_group(ask.application, ask.group);
        }
    }
    world_.totals.add(world_.classes[ask.ask_class].spec->occupies, -1);
    world_.classes.release(ask.ask_class);
    world_.shims[ask.shim].asks.remove(id);
    change_state(ask, AskEvent::remove);
    world_.asks.remove(id);
}

void Lifecycle::wake_one(AskId id) {
    if (world_.asks.waiting(id).backoff_until_ns > world_.now_ns) {
        insert_backoff(id, AskEvent::wake_early);
    } else {
        make_pending(id, AskEvent::wake);
    }
}

void Lifecycle::wake_if_unschedulable(AskId id) {
    if (world_.asks[id].state == AskState::unschedulable) {
        world_.unschedulable.remove(id);
        wake_one(id);
    }
}

void Lifecycle::wake(std::uint32_t events) {
    if (world_.unschedulable.size() == 0) {
        return;
    }
    const PredicateSet& predicates = evaluator_.predicates();
    for (const AskId id : world_.unschedulable.take(
             [&](std::uint32_t failed) { return (predicates.woken_by(failed) & events) != 0; })) {
        wake_one(id);
    }
}

void Lifecycle::wake_everybody() {
    for (const AskId id : world_.unschedulable.take([](std::uint32_t) { return true; })) {
        wake_one(id);
    }
}

void Lifecycle::tick(std::int64_t now_ns) {
    world_.now_ns = std::max(world_.now_ns, now_ns);
    while (const std::optional<Departures::Due> due = world_.departures.next_due(world_.now_ns)) {
        depart(*due);
    }
    for (BackoffHeap* const heap : {&world_.backoff, &world_.nacked}) {
        while (heap->next_time_ns() <= world_.now_ns) {
            const AskId id = heap->first();
            heap->remove(id);
            make_pending(id, AskEvent::time_is_up);
        }
    }
}

}  // namespace bayplan
