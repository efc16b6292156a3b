// The transitions of asks, but those of preemption and of decisions. See lifecycle.h.
#include "engine/lifecycle.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "engine/byte_counts.h"

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
std::string full_name(const World& world, AskId id) {
    return world.shims[world.asks[id].shim].name + '/' + std::string(world.asks.key(id));
}

CommitTables commit_tables(World& world, Pipeline& pipeline) {
    return {.asks = world.asks,
            .classes = world.classes,
            .specs = world.specs,
            .applications = world.applications,
            .nodes = world.nodes,
            .node_state = world.node_state,
            .devices = world.devices,
            .holds = world.holds,
            .topology = world.topology,
            .texts = world.texts,
            .bindings = world.bindings,
            .claims = world.claims,
            .order = *world.order,
            .backoff = world.backoff,
            .nacked = world.nacked,
            .unschedulable = world.unschedulable,
            .awaited_nodes = world.awaited_nodes,
            .nominations = world.nominations,
            .reservations = world.reservations,
            .excluded = world.excluded,
            .departures = world.departures,
            .allocations = world.allocations,
            .pod_changes = world.pod_changes,
            .pipeline = pipeline};
}

Lifecycle::Lifecycle(World& world, Pipeline& pipeline, const BlockEvaluator& evaluator, Announcer& announcer)
    : world_(world),
      evaluator_(evaluator),
      looks_at_amounts_(evaluator.predicates().has(PredicateId::node_resources_fit)),
      announcer_(announcer),
      commit_(commit_tables(world, pipeline)),
      gangs_(world, commit_, [this](AskId id) { end_allocation(id); }),
      placeholders_(world, *this),
      quotas_(world, *this),
      lives_(world),
      log_writer_(world, announcer),
      shim_teller_(world, *this, announcer),
      wake_ups_(*this),
      order_teller_(world),
      plugin_watch_(world.plugins) {
    if (world.tree != nullptr) {
        commit_.add_observer(order_teller_, OrderTeller::kKinds);
    }
    commit_.add_observer(plugin_watch_, PluginWatch::kKinds);
    commit_.add_observer(log_writer_, LogWriter::kKinds);
    commit_.add_observer(shim_teller_);
    commit_.add_observer(wake_ups_);
    commit_.add_observer(tally_, Tally::kKinds);
    commit_.add_observer(placeholders_);
}

void Lifecycle::publish_to(Publication& publication) {
    publication_ = &publication;
    commit_.set_listener(publication);
    commit_.add_observer(publication);
    lives_.publish_to(publication);
}

// --- on a node

// Claims that waited for this placement take their volumes.
void Lifecycle::bind_claims(AskId id, Slot slot) {
    const SpecId spec = world_.classes.spec_of(world_.asks[id]);
    if (world_.specs[spec].volumes.empty() || !evaluator_.predicates().has(PredicateId::volume_binding)) {
        return;
    }
    commit_.bind_claims(id, bindings_at(world_.topology.plan(spec).volumes, *world_.nodes[slot].facts,
                                        world_.topology.volumes(), world_.known, world_.texts));
}

// The pod's claims get devices of the node, or are used by one pod more.
void Lifecycle::use_claims(AskId id, Slot slot) {
    const SpecId spec = world_.classes.spec_of(world_.asks[id]);
    if (world_.specs[spec].resource_claims.claims.empty()) {
        return;
    }
    const SpecPlan& plan = world_.topology.plan(spec);
    if (plan.claims == nullptr || !evaluator_.predicates().has(PredicateId::dynamic_resources)) {
        return;
    }
    commit_.use_claims(id, claims_at(*plan.claims, *world_.nodes[slot].facts, world_.topology));
}

// Returns whom that may help.
std::uint32_t Lifecycle::take_place(AskId id, Slot slot, AskEvent event, std::string_view stated_devices) {
    BP_CHECK(!is_on_node(world_.asks[id].state));
    const bool by_force = event == AskEvent::run;
    if (by_force) {
        commit_.suspend_nomination(id);  // its own does not count against it
    } else if (world_.classes[world_.asks[id].ask_class].spec->has_claims) {
        bind_claims(id, slot);
        use_claims(id, slot);
    }
    commit_.give_devices(id, slot, stated_devices);
    commit_.occupy(id, slot);
    if (by_force && !world_.asks[id].foreign) commit_.charge(id);
    if (by_force || !looks_at_amounts_) world_.nodes.note_usage_changed(slot);
    // A place on the node of its nomination frees nothing for others; a place elsewhere does.
    const Nomination* const nomination = world_.asks[id].has_entries ? world_.nominations.of(id) : nullptr;
    const bool elsewhere = nomination != nullptr && nomination->slot != slot;
    commit_.drop_nomination(id);
    const bool another_may = by_force || (world_.asks[id].has_entries && no_more_reservations(world_, slot));
    const bool held = commit_.drop_reservation(id);
    commit_.end_avoiding(id);
    commit_.end_waiting(id, event);
    note_departure(id);
    return kPodPlaced | (elsewhere || (held && another_may) ? kPodGone : 0u);
}

void Lifecycle::take_node(AskId id, Slot slot, AskEvent event, std::string_view stated_devices) {
    const std::uint32_t wakes = take_place(id, slot, event, stated_devices);
    const bool by_force = event == AskEvent::run;
    commit_.happened({.kind = by_force ? Happening::Kind::started : Happening::Kind::placed,
                      .ask = id,
                      .slot = slot,
                      .wakes = wakes});
}

void Lifecycle::place(AskId id, Slot slot) {
    if (!world_.rests.empty()) {
        world_.rests.end_row(world_.asks[id].application);
    }
    take_node(id, slot, AskEvent::place);
    commit_.finish();
}

void Lifecycle::place_by_force(AskId id, Slot slot, std::string_view stated_devices) {
    take_node(id, slot, AskEvent::run, stated_devices);
    note_member(id);
    commit_.finish();
}

void Lifecycle::occupy(AskId id, Slot slot) {
    commit_.occupy(id, slot);
    commit_.finish();
}

void Lifecycle::vacate(AskId id) {
    commit_.vacate(id);
    commit_.finish();
}

// What we made of the pod ends; what its shim states of it stays. The caller gives the ask a new state.
void Lifecycle::end_allocation(AskId id) {
    const Ask& ask = world_.asks[id];
    const Slot slot = ask.slot;
    BP_CHECK(slot != kNone<Slot>);
    if (ask.state != AskState::queried && !world_.plugins.empty()) {
        commit_.happened({.kind = Happening::Kind::left, .ask = id, .slot = slot});
    }
    commit_.vacate(id);
    if (!ask.foreign) {
        commit_.refund(id);
    }
    commit_.take_devices(id, slot);
    commit_.unbind_claims(id);
    commit_.end_use_of_claims(id);
    world_.nodes.note_usage_fell(slot);
    commit_.begin_waiting(id);
    commit_.end_departure(id);
    commit_.set_flags(id, {.terminating = ask.stated_terminating, .preempted = ask.stated_preempted});
    if (ask.has_entries) {
        for (const AskId freed : commit_.let_in_all(id)) {
            commit_.happened({.kind = Happening::Kind::freed, .ask = freed});
        }
    }
}

// Behind what waits, but for members of a group, which come back to where the others are.
void Lifecycle::rank_refused(AskId id) {
    const Ask& ask = world_.asks[id];
    PendingKey& key = world_.asks.waiting(id).key;
    if (is_coscheduled(ask.group)) {
        gangs_.refuse(id);
    } else if (gangs_.on()) {
        const bool grouped = is_plain_group(ask.group);
        key.time_ns = grouped ? world_.applications[ask.application].groups[ask.group].time_ns : world_.now_ns;
    }
}

void Lifecycle::refuse(AskId id) {
    const Slot refused_by = world_.asks[id].slot;
    end_allocation(id);
    const Waiting& waiting = world_.asks.waiting(id);
    commit_.count_failure(id, waiting.failed_predicates, backoff_until_ns(world_.asks[id]), true);
    commit_.avoid(id, refused_by, world_.now_ns + world_.options.avoid_rejecting_ns);
    commit_.join(id, AskEvent::refuse);
    rank_refused(id);
    commit_.happened({.kind = Happening::Kind::allocation_ended, .ask = id, .slot = refused_by, .wakes = kPodGone});
    commit_.finish();
}

// --- an attempt that found no node

std::int64_t Lifecycle::backoff_until_ns(const Ask& ask) const {
    const std::uint32_t failures = std::min(ask.failures + 1u, kFailuresMax);
    const std::uint32_t doublings = std::min(failures - 1, 62u);
    std::int64_t wait = world_.options.backoff_max_ns;
    if (world_.options.backoff_initial_ns <= (world_.options.backoff_max_ns >> doublings)) {
        wait = std::min(wait, world_.options.backoff_initial_ns << doublings);
    }
    return world_.now_ns + wait;
}

void Lifecycle::fail(AskId id, std::string_view message, std::uint32_t failed, const PreemptionOutcome& outcome,
                     std::size_t nodes, const ClaimsAfterFailure& claims) {
    const bool found_none = outcome.tried && outcome.eligible && !outcome.chosen;
    const bool had = world_.nominations.of(id) != nullptr;
    const bool chosen_for_good =
        outcome.chosen && std::none_of(outcome.chosen->victims.begin(), outcome.chosen->victims.end(),
                                       [&](AskId victim) { return world_.departures.is_stuck(victim); });
    BP_CHECK(!outcome.chosen || !outcome.chosen->victims.empty());
    const FailedAttempt attempt{.message = message,
                                .chosen = outcome.chosen ? &*outcome.chosen : nullptr,
                                .nodes = nodes,
                                .nominated = chosen_for_good || (!outcome.chosen && had && !found_none)};
    // A DaemonSet pod is helped by changes of its one node alone: it is tried at once then.
    const std::int64_t until_ns = is_daemon_pod(world_, id) ? world_.now_ns : backoff_until_ns(world_.asks[id]);
    commit_.refund(id);
    commit_.count_failure(id, failed, until_ns, false);
    commit_.happened({.kind = Happening::Kind::failed, .ask = id, .failure = &attempt});
    if (claims.given_back) {
        give_claim_back(id, *claims.given_back, claims.owner);
    }
    commit_.finish();
    SentAway sent;
    if (found_none && had) {
        clear_nomination(id, "preemption found no node");
    } else if (outcome.chosen) {
        sent = nominate(id, *outcome.chosen, outcome.guarantor);
    }
    // Not before: what it freed itself does not wake it.
    make_unschedulable(id, AskEvent::fail);
    if (!outcome.chosen && world_.tree != nullptr) {
        lives_.found_no_node(id);
    }
    wake_for(sent);
    if (outcome.chosen) {
        give_up_on_stuck_victims(id);
    }
    if (claims.given_back) {
        wake(kClaimGivenBack);
    }
}

void Lifecycle::give_claim_back(AskId id, ResourceClaimName claim, ShimId owner) {
    const std::string name =
        std::string(world_.texts.text(claim.name_space)) + '/' + std::string(world_.texts.text(claim.name));
    commit_.give_claim_back(claim);
    commit_.happened({.kind = Happening::Kind::claim_given_back, .ask = id, .shim = owner, .why = commit_.text(name)});
}

// --- waiting

void Lifecycle::make_pending(AskId id, AskEvent event) {
    commit_.join(id, event);
    commit_.finish();
}

void Lifecycle::make_unschedulable(AskId id, AskEvent event) {
    commit_.join(id, event);
    commit_.finish();
}

void Lifecycle::insert_backoff(AskId id, AskEvent event) {
    commit_.join(id, event);
    commit_.finish();
}

void Lifecycle::make_gated(AskId id, bool tell) {
    commit_.join(id, AskEvent::gate);
    commit_.happened(
        {.kind = Happening::Kind::gated,
         .tell = tell,
         .ask = id,
         .why = commit_.text(gates_text(world_.specs[world_.classes.spec_of(world_.asks[id])], world_.texts))});
    commit_.finish();
}

void Lifecycle::hold(AskId id) {
    commit_.join(id, AskEvent::gate);
    commit_.finish();
}

void Lifecycle::withdraw(AskId id) {
    commit_.withdraw(id);
    commit_.finish();
}

void Lifecycle::await_node(AskId id, std::string_view node, std::string_view stated_devices, bool tell) {
    const bool nominated = world_.asks[id].has_entries && world_.nominations.of(id) != nullptr;
    commit_.drop_nomination(id);
    const bool reserved = commit_.drop_reservation(id);
    commit_.await_node(id, node, stated_devices);
    commit_.happened({.kind = Happening::Kind::awaiting_node,
                      .tell = tell,
                      .ask = id,
                      .wakes = nominated || reserved ? std::uint32_t{kPodGone} : 0u,
                      .why = commit_.text(awaited_text(node))});
    note_member(id);
    commit_.finish();
}

void Lifecycle::remove(AskId id, Termination termination, const std::string* node_lost) {
    Ask& ask = world_.asks[id];
    const Slot slot = ask.slot;
    if (ask.state == AskState::on_permit) {
        gangs_.lost_hold(id, std::string(world_.asks.key(id)) + " is gone");
    }
    if (is_on_node(ask.state)) {
        end_allocation(id);
    } else {
        commit_.withdraw(id);
    }
    forget_plugins(id);
    commit_.drop_nomination(id);
    commit_.drop_reservation(id);
    world_.bytes.give_back(world_.shims[ask.shim].bytes, ask_bytes(id, world_));
    if (is_coscheduled(ask.group)) {
        gangs_.leave(id);
    }
    if (node_lost != nullptr && !ask.foreign) {
        commit_.happened(
            {.kind = Happening::Kind::node_lost, .ask = id, .slot = slot, .why = commit_.text(*node_lost)});
    }
    commit_.finish();
    if (ask.has_exclusions) {
        world_.excluded.ask_gone(id);
    }
    placeholders_.goes(id, slot);
    world_.guarantee_waits.end(id);
    use_no_more(world_, ask.shim, world_.classes.spec_of(ask));
    if (ask.application != kNone<ApplicationId>) {
        world_.applications[ask.application].asks.remove(world_.asks, id);
        if (is_plain_group(ask.group)) {
            world_.applications.leave_group(ask.application, ask.group);
        }
    } else {
        world_.shims[ask.shim].loose.remove(world_.asks, id);
    }
    world_.order->ask_goes(id);
    world_.totals.add(world_.classes[ask.ask_class].spec->occupies, -1);
    world_.classes.release(ask.ask_class);
    world_.shims[ask.shim].asks.remove(id);
    change_state(ask, AskEvent::remove);
    if (publication_ != nullptr) {
        publication_->ask_goes(id, termination);
    }
    world_.asks.remove(id);
}

void Lifecycle::tick(std::int64_t now_ns) {
    world_.now_ns = std::max(world_.now_ns, now_ns);
    if (world_.reservations.come_of_age(world_.now_ns)) {
        wake(kPodGone);  // a reservation that finds nothing is respected no more
    }
    while (const std::optional<Departures::Due> due = commit_.next_departure(world_.now_ns)) {
        depart(*due);
    }
    for (const BackoffHeap* const heap : {&world_.backoff, &world_.nacked}) {
        while (heap->next_time_ns() <= world_.now_ns) {
            const AskId id = heap->first();
            if (is_coscheduled(world_.asks[id].group)) {
                gangs_.wake(id);
                commit_.finish();
            } else {
                commit_.withdraw(id);
                make_pending(id, AskEvent::time_is_up);
            }
        }
    }
    end_delays_of_guarantees();
    lives_.end_rests();
    end_overdue_queries();
    gangs_.end_permits();
    gangs_.end_overdue_reservation();
    gangs_.settle();
    gangs_.tell();
    placeholders_.tick();
}

}  // namespace bayplan
