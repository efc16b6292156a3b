// The part of Inputs about asks that are stated again: what changes of them, and in which state that leaves them.

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "cluster/amount_lists.h"
#include "engine/byte_counts.h"
#include "engine/inputs.h"
#include "labels/tolerations.h"

namespace bayplan {

// The bytes of the group that it leaves and of its former tags count no more, the bytes of its new ones do.
void Inputs::regroup(AskId id, const AskItem& record, std::int64_t time_ns) {
    std::uint64_t& of_shim = world_.shims[world_.asks[id].shim].bytes;
    const std::uint64_t before = ask_bytes(id, world_);
    take_tags(id);
    take_group(id, record, time_ns);
    world_.bytes.add(of_shim, ask_bytes(id, world_));
    world_.bytes.give_back(of_shim, before);
}

// A placed pod stated again: what may change of it is taken over.
void Inputs::update_placed(ShimId id, const AskItem& record, AskId ask_id) {
    Ask& ask = world_.asks[ask_id];
    AskClass& spec = class_of(id, record);
    if (spec.required_node != kNone<NameId>) {
        world_.names.release(spec.required_node);
    }
    const AskClass& old = *world_.classes[ask.ask_class].spec;
    spec.required_node = old.required_node;
    // Of the toleration, the flag is not taken over; what the spec says is.
    spec.tolerates_unschedulable =
        ask.stated_tolerates || tolerates_unschedulable(world_.specs[spec.pod_spec].tolerations, world_.known);
    if (spec.required_node != kNone<NameId>) {
        world_.names.add_reference(spec.required_node);
    }
    // A victim of ours stays a victim, though its shim may not have seen that yet.
    const bool terminating = record.terminating || ask.chosen || ask.told_to_go;
    const SpecId spec_before = old.pod_spec;
    const bool counts_anew = spec.pod_spec != spec_before || terminating != ask.terminating;
    const bool other_priority = record.priority != ask.priority;
    const bool preempted = record.preempted || ask.chosen;
    const PodSpec& former = world_.specs[spec_before];
    const PodSpec& now = world_.specs[spec.pod_spec];
    const bool resized = spec.requests != old.requests;
    const bool shrinks = resized && std::ranges::any_of(old.requests, [&](const ResourceAmount& before) {
                             return amount_of(spec.requests, before.resource) < before.value;
                         });
    const bool other_uses = former.ports != now.ports || former.volumes != now.volumes;
    const bool stays = (ask.terminating && !terminating) || (ask.preempted && !preempted);
    const Slot slot = ask.slot;
    lifecycle_.vacate(ask_id);
    ask.priority = record.priority;
    ask.terminating = terminating;
    ask.stated_terminating = record.terminating;
    ask.preempted = preempted;
    ask.stated_preempted = record.preempted;
    ask.started_ms = record.started_ms;
    ask.qos = record.qos;
    take_victim_facts(ask, record);
    take_grace(ask_id, record);
    take_class(ask, spec);
    lifecycle_.occupy(ask_id, slot);
    world_.order->ask_changes(ask_id);
    world_.plugins.node_changed(slot);
    resized ? world_.nodes.note_usage_changed(slot) : world_.nodes.note_usage_fell(slot);
    lifecycle_.note_terminating(ask_id);
    regroup(ask_id, record, world_.now_ns);
    lifecycle_.placeholders().restated(ask_id);
    if (world_.tree != nullptr) {
        lifecycle_.wake_for_guarantees();
    }
    if (counts_anew) {
        lifecycle_.wake(kPodPlaced);
    }
    if (other_priority || other_uses || shrinks) {
        lifecycle_.wake(kPodGone);
    }
    if (stays) {
        lifecycle_.wake_behind(ask_id);
    }
}

// After read_amounts. Of a member on a node that it holds until its gang has its minimum: nothing that decided on that
// node is stated otherwise, nor its gang.
bool Inputs::keeps_its_hold(ShimId id, const AskItem& record, AskId ask_id) {
    Shim& shim = world_.shims[id];
    const Ask& ask = world_.asks[ask_id];
    const AskClass& spec = *world_.classes[ask.ask_class].spec;
    const std::string_view required = spec.required_node == kNone<NameId> ? "" : world_.names.text(spec.required_node);
    const GangMember& member = world_.gangs.member(ask_id);
    const bool same_gang = says_gang(record, ask.foreign) && record.group_fault == GroupFault::none &&
                           world_.gangs[member.gang].name == world_.applications[ask.application].name + "/" +
                                                                 std::string(text_of(shim, record.group));
    return same_gang && record.node == 0 && spec.requests == amounts_ &&
           text_of(shim, record.required_node) == required && record.tolerates_unschedulable == ask.stated_tolerates &&
           record.never_preempts == ask.never_preempts &&
           (record.spec == 0 || world_.specs[shim.specs.at(record.spec)].gates.empty());
}

void Inputs::update_ask(ShimId id, const AskItem& record, AskId ask_id) {
    lifecycle_.catch_up_with(ask_id);
    Ask& ask = world_.asks[ask_id];
    if (ask.state == AskState::on_permit && !keeps_its_hold(id, record, ask_id)) {
        const std::string why = std::string(world_.asks.key(ask_id)) + " was stated otherwise";
        lifecycle_.lose_hold(ask_id, record.node == 0 ? why : "", kPodGone);
    }
    if (is_allocated(ask.state) || ask.state == AskState::on_permit) {
        update_placed(id, record, ask_id);
        return;
    }
    if (ask.state == AskState::queried || ask.state == AskState::asking) {
        lifecycle_.end_query(ask_id, kPodGone);
    }
    lifecycle_.forget_plugins(ask_id);
    const AskState before = ask.state;
    const AskClass& spec = class_of(id, record);
    const bool same_needs = spec.same_as(*world_.classes[ask.ask_class].spec) &&
                            record.never_preempts == ask.never_preempts && record.daemonset == ask.daemonset;
    const std::string awaited(before == AskState::awaiting_node ? world_.awaited_nodes.node_of(ask_id) : "");
    const bool had_gates = before == AskState::gated && gated_by_itself(ask_id);
    const bool was_in_gang = is_coscheduled(ask.group);
    PlaceholderSteps& placeholders = lifecycle_.placeholders();
    const bool waited = before == AskState::gated && placeholders.waits(ask_id);
    const GangId gang_before = was_in_gang ? world_.gangs.member(ask_id).gang : kNone<GangId>;
    const std::int32_t priority_before = ask.priority;
    lifecycle_.withdraw(ask_id);
    const std::optional<Nomination> nomination = nomination_of(ask_id);
    std::optional<Reservation> reservation = lifecycle_.take_reservation(ask_id);
    const bool held = reservation.has_value();
    if (record.node == 0) {
        lifecycle_.end_nomination(ask_id);
    }
    take_class(ask, spec);
    world_.asks.waiting(ask_id).key.priority = ask.priority = record.priority;
    world_.order->ask_changes(ask_id);
    ask.terminating = ask.stated_terminating = record.terminating;
    ask.preempted = ask.stated_preempted = record.preempted;
    ask.never_preempts = record.never_preempts;
    ask.stated_tolerates = record.tolerates_unschedulable;
    ask.started_ms = record.started_ms;
    ask.qos = record.qos;
    take_victim_facts(ask, record);
    take_grace(ask_id, record);
    regroup(ask_id, record, world_.asks.waiting(ask_id).key.time_ns);
    const bool in_gang = is_coscheduled(ask.group);
    placeholders.restated(ask_id);
    if (waited && (record.node != 0 || gated_by_itself(ask_id) || in_gang)) {
        placeholders.forget(ask_id);
    }
    if (had_gates && !gated_by_itself(ask_id) && lifecycle_.gangs().on() && !in_gang && !is_plain_group(ask.group) &&
        record.node == 0) {
        world_.asks.waiting(ask_id).key.time_ns = world_.now_ns;
    }
    if (nomination && record.node == 0) {
        lifecycle_.nominate_again(ask_id, *nomination);
    }
    if (record.node != 0 || !awaited.empty()) {
        put_on_node(ask_id, record.node != 0 ? text_of(world_.shims[id], record.node) : awaited, awaited,
                    record.devices);
    } else if (gated_by_itself(ask_id)) {
        lifecycle_.make_gated(ask_id, !had_gates);
    } else if (in_gang || waited || (had_gates && placeholders.holds_up(ask_id))) {
        lifecycle_.hold(ask_id);
    } else if (reservation) {
        lifecycle_.restate_reserved(ask_id, std::move(*reservation));
    } else if (was_in_gang && !had_gates) {
        // Whether it stood at the gate for its gang just now means nothing any more.
        lifecycle_.hold(ask_id);
        Waiting& waiting = world_.asks.waiting(ask_id);
        waiting.nacked = false;
        if (waiting.backoff_until_ns > world_.now_ns) {
            lifecycle_.insert_backoff(ask_id, AskEvent::back_off);
        } else {
            lifecycle_.make_pending(ask_id, AskEvent::restate);
        }
    } else if (before == AskState::pending || before == AskState::selected || before == AskState::gated) {
        lifecycle_.make_pending(ask_id, AskEvent::restate);
    } else if (before == AskState::unschedulable && !same_needs) {
        lifecycle_.wake_one(ask_id);
    } else if (before == AskState::unschedulable) {
        lifecycle_.make_unschedulable(ask_id, AskEvent::restate);
    } else {
        lifecycle_.insert_backoff(ask_id, AskEvent::restate);
    }
    if (held) {
        lifecycle_.wake(kPodGone);  // less may be held now
    }
    const GangId gang = in_gang ? world_.gangs.member(ask_id).gang : kNone<GangId>;
    const bool other_group = was_in_gang != in_gang || gang != gang_before;
    if (nomination && record.node == 0 && (other_group || (in_gang && ask.priority != priority_before))) {
        lifecycle_.clear_nomination(ask_id, other_group ? "it is of another pod group now" : "it has another priority");
    }
    if (in_gang) {
        lifecycle_.gangs().note(ask_id);
    }
}

}  // namespace bayplan
