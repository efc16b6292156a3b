// Records of each thing, and when they are told. See publication.h.

#include "engine/publication.h"

#include <utility>

#include "engine/byte_counts.h"
#include "engine/lifecycle.h"

namespace bayplan {

using read_model::ChangeHead;
using read_model::ChangeKind;

namespace {

read_model::PodState state_of(AskState state) {
    switch (state) {
        case AskState::gone: return read_model::PodState::gone;
        case AskState::gated: return read_model::PodState::gated;
        case AskState::awaiting_node: return read_model::PodState::awaiting_node;
        case AskState::pending:
        case AskState::selected:
        case AskState::on_permit: return read_model::PodState::pending;
        case AskState::backoff: return read_model::PodState::backoff;
        case AskState::unschedulable: return read_model::PodState::unschedulable;
        case AskState::reserved: return read_model::PodState::reserved;
        case AskState::queried:
        case AskState::asking: return read_model::PodState::queried;
        case AskState::unacknowledged:
        case AskState::allocated: break;
    }
    return read_model::PodState::allocated;
}

}  // namespace

bool Publication::Told::add(std::uint32_t id) {
    if (id >= bits_.size()) {
        bits_.resize(std::max<std::size_t>(id + std::size_t{1}, 2 * bits_.size()));
    }
    const bool is_new = !bits_[id];
    bits_[id] = true;
    return is_new;
}

bool Publication::Told::drop(std::uint32_t id) {
    if (!has(id)) {
        return false;
    }
    bits_[id] = false;
    return true;
}

Publication::Publication(World& world, read_model::ChangeFeed& feed) : world_(world), feed_(feed) {
    world.classes.add_listener(*this);
    if (world.tree != nullptr) {
        world.tree->queues().note_changes(&changed_queues_);
    }
    feed_.write({.kind = ChangeKind::snapshot_begin});
    begin_snapshot();
}

// --- what statements do

void Publication::shim_comes(ShimId id) { tell_shim(id); }

void Publication::node_changed(Slot slot) {
    nodes_.drop(raw(slot));
    tell_node(slot);
}

void Publication::node_goes(Slot slot) {
    if (nodes_.drop(raw(slot))) {
        feed_.write(head(ChangeKind::node_gone, raw(slot)));
    }
}

// Its queue may have been made for it.
void Publication::application_comes(ApplicationId id) {
    tell_changed_queues();
    tell_application(id);
}

void Publication::application_state(ApplicationId id) {
    if (applications_.has(raw(id))) {
        ChangeHead told = head(ChangeKind::application_state, raw(id));
        told.state = world_.applications[id].state;
        feed_.write(told);
    }
}

void Publication::application_rests(ApplicationId id) {
    if (applications_.has(raw(id))) {
        const read_model::ApplicationRest rest{.until_ns = rests_until_ns(id)};
        feed_.write(head(ChangeKind::application_rests, raw(id)), {read_model::as_text(rest)});
    }
}

std::int64_t Publication::rests_until_ns(ApplicationId id) const {
    return world_.rests.until_ns(id).value_or(read_model::kNever);
}

void Publication::application_rejected(ShimId id, std::string_view name, const queue_tree::User& user,
                                       std::string_view why) {
    if (!feed_.lost()) {
        feed_.write(head(ChangeKind::application_rejected, raw(id)), {name, why, user_text(user)});
    }
}

void Publication::application_goes(ApplicationId id) {
    if (applications_.drop(raw(id))) {
        feed_.write(head(ChangeKind::application_gone, raw(id)));
    }
}

void Publication::ask_comes(AskId id, std::int64_t created_s) {
    if (raw(id) >= created_s_.size()) {
        created_s_.resize(std::max<std::size_t>(raw(id) + std::size_t{1}, 2 * created_s_.size()));
    }
    created_s_[raw(id)] = created_s;
}

void Publication::ask_restated(AskId id) {
    asks_.drop(raw(id));
    tell_ask(id);
}

void Publication::ask_goes(AskId id, Termination termination) {
    if (asks_.drop(raw(id))) {
        ChangeHead gone = head(ChangeKind::pod_gone, raw(id));
        gone.state = static_cast<std::uint8_t>(termination);
        feed_.write(gone);
    }
    if (raw(id) < created_s_.size()) {
        created_s_[raw(id)] = 0;
    }
}

void Publication::class_gone(ClassId id) { shapes_.drop(raw(id)); }

void Publication::partition_changed() {
    if (world_.queues_config != nullptr) {
        feed_.write(head(ChangeKind::partition, 0), world_.queues_config);
    }
}

// --- what transactions do

void Publication::ask_changed(AskId id) {
    if (world_.asks[id].state == AskState::gone || feed_.lost()) {
        return;  // not stated whole yet
    }
    if (asks_.has(raw(id))) {
        const ChangeHead head = ask_head(ChangeKind::pod_state, id);
        tell_nodes_of(head);
        feed_.write(head);
    } else {
        tell_ask(id);
    }
}

void Publication::observe(const Happening& happening) {
    switch (happening.kind) {
        case Happening::Kind::failed: tell_reason(happening.ask, happening.failure->message); break;
        case Happening::Kind::reserved: tell_reason(happening.ask, happening.reservation->message); break;
        case Happening::Kind::held:
        case Happening::Kind::gated:
        case Happening::Kind::awaiting_node:
        case Happening::Kind::reservation_cleared: tell_reason(happening.ask, happening.why); break;
        case Happening::Kind::queried:
        case Happening::Kind::victims_queried: tell_queried(happening.ask); break;
        case Happening::Kind::denied:
            if (happening.tell) {
                tell_reason(happening.ask, happening.why);
            }
            break;
        case Happening::Kind::victim_chosen: tell_preempted(happening); break;
        case Happening::Kind::sent_away:
            if (happening.termination == Termination::preempted_by_scheduler) {
                tell_preempted(happening);
            }
            break;
        default: break;
    }
}

void Publication::tell_preempted(const Happening& happening) {
    if (asks_.has(raw(happening.ask))) {
        feed_.write(head(ChangeKind::pod_preempted, raw(happening.ask)), {happening.why});
    }
}

// --- records

ChangeHead Publication::head(ChangeKind kind, std::uint32_t id) const {
    return {.kind = kind, .id = id, .time_ns = world_.now_ns};
}

ChangeHead Publication::ask_head(ChangeKind kind, AskId id) const {
    const Ask& ask = world_.asks[id];
    const Nomination* const nomination = ask.has_entries ? world_.nominations.of(id) : nullptr;
    const Reservation* const reservation = ask.has_entries ? world_.reservations.of(id) : nullptr;
    const bool preempts = (nomination != nullptr && !nomination->victims.empty()) ||
                          (reservation != nullptr && !reservation->victims.empty());
    ChangeHead head = this->head(kind, raw(id));
    head.state = static_cast<std::uint8_t>(state_of(ask.state));
    head.flags = static_cast<std::uint16_t>(
        (ask.foreign ? read_model::kForeign : 0) | (ask.is_static ? read_model::kStatic : 0) |
        (ask.originator ? read_model::kOriginator : 0) | (ask.terminating ? read_model::kTerminating : 0) |
        (ask.preempted ? read_model::kPreempted : 0) | (ask.told_scale_up ? read_model::kToldScaleUp : 0) |
        (preempts ? read_model::kPreempting : 0) | (ask.placeholder ? read_model::kPlaceholder : 0));
    const bool kept_for_it = ask.state == AskState::queried || ask.state == AskState::on_permit;
    head.node = kept_for_it ? read_model::kNobody : raw(ask.slot);
    head.claim = ask.state == AskState::queried  ? raw(ask.slot)
                 : ask.state == AskState::asking ? raw(world_.plugins.of(id)->asked.front().slot)
                 : reservation != nullptr        ? raw(reservation->slot)
                 : nomination != nullptr         ? raw(nomination->slot)
                                                 : read_model::kNobody;
    head.failures = ask.failures;
    return head;
}

std::string Publication::amounts_text(const std::vector<ResourceAmount>& amounts) const {
    std::string text;
    for (const ResourceAmount& amount : amounts) {
        read_model::put_amount(text, world_.resources.text(amount.resource), amount.value);
    }
    return text;
}

std::string Publication::tags_text(AskId id) const {
    std::string text;
    world_.asks.tags().for_each(
        id, [&](std::string_view key, std::string_view value) { read_model::put_pair(text, key, value); });
    return text;
}

void Publication::tell_shim(ShimId id) {
    if (!feed_.lost() && shims_.add(raw(id))) {
        feed_.write(head(ChangeKind::shim, raw(id)), {world_.shims[id].name});
    }
}

void Publication::tell_node(Slot slot) {
    const NodeInfo& node = world_.nodes[slot];
    if (feed_.lost() || node.name == kNone<NameId> || node.facts == nullptr || !nodes_.add(raw(slot))) {
        return;
    }
    std::string labels;
    for (const Label& label : node.facts->labels) {
        read_model::put_pair(labels, world_.texts.text(label.key), world_.texts.text(label.value));
    }
    ChangeHead told = head(ChangeKind::node, raw(slot));
    told.flags = node.schedulable ? read_model::kSchedulable : 0;
    feed_.write(told, {world_.nodes.name(slot), amounts_text(node.capacity), labels});
}

// A snapshot may not have come by them yet.
void Publication::tell_nodes_of(const ChangeHead& ask) {
    if (table_ == Table::end) {
        return;
    }
    for (const std::uint32_t slot : {ask.node, ask.claim}) {
        if (slot != read_model::kNobody) {
            tell_node(Slot{slot});
        }
    }
}

void Publication::tell_application(ApplicationId id) {
    if (feed_.lost() || !applications_.add(raw(id))) {
        return;
    }
    const Application& application = world_.applications[id];
    ChangeHead told = head(ChangeKind::application, raw(id));
    read_model::ApplicationStatement statement{.shim = raw(application.shim),
                                               .came_ns = application.came_ns,
                                               .since_ns = application.since_ns,
                                               .started_ns = application.started_ns,
                                               .rests_until_ns = rests_until_ns(id)};
    told.state = read_model::kNoApplicationState;
    std::string_view queue;
    std::string user;
    if (world_.tree != nullptr) {
        const queue_tree::Application& in_tree = world_.tree->application(id);
        told.state = application.state;
        statement.oldest_s =
            in_tree.submission_time == INT64_MAX ? 0 : std::max<std::int64_t>(in_tree.submission_time, 0);
        queue = world_.tree->queues()[in_tree.leaf].path;
        user = user_text(in_tree.user);
    }
    feed_.write(told, {application.name, queue, user, read_model::as_text(statement)});
}

std::string Publication::user_text(const queue_tree::User& user) {
    std::string text;
    read_model::put_pair(text, user.name, {});
    for (const std::string& group : user.groups) {
        read_model::put_pair(text, user.name, group);
    }
    return text;
}

void Publication::tell_shape(ClassId id) {
    if (!shapes_.add(raw(id))) {
        return;
    }
    const AskClass& spec = *world_.classes[id].spec;
    const std::string_view required =
        spec.required_node == kNone<NameId> ? std::string_view() : world_.names.text(spec.required_node);
    feed_.write(head(ChangeKind::shape, raw(id)), {amounts_text(spec.requests), required});
}

void Publication::tell_ask(AskId id) {
    if (feed_.lost() || !asks_.add(raw(id))) {
        return;
    }
    const Ask& ask = world_.asks[id];
    if (ask.application != kNone<ApplicationId>) {
        tell_application(ask.application);
    }
    const ChangeHead head = ask_head(ChangeKind::pod, id);
    tell_nodes_of(head);
    tell_shape(ask.ask_class);
    const read_model::PodStatement statement{.application = raw(ask.application),
                                             .shape = raw(ask.ask_class),
                                             .priority = ask.priority,
                                             .number = ask.sequence,
                                             .created_s = raw(id) < created_s_.size() ? created_s_[raw(id)] : 0};
    const KeyText key = world_.asks.key(id);
    feed_.write(head, {key, group_text(id, world_), read_model::as_text(statement), tags_text(id)});
}

void Publication::tell_reason(AskId id, std::string_view why) {
    if (asks_.has(raw(id))) {
        feed_.write(ask_head(ChangeKind::pod_reason, id), {why});  // to tell the reason may change a flag
    }
}

// Since now, or since the query that is open, if it is told later.
void Publication::tell_queried(AskId id) {
    if (asks_.has(raw(id))) {
        ChangeHead told = ask_head(ChangeKind::pod_reason, id);
        told.time_ns = world_.plugins.of(id)->since_ns;
        feed_.write(told, {"waits for " + plugin_names(world_, id)});
    }
}

void Publication::tell_queue(queue_tree::QueueId id) {
    const queue_tree::Queue& queue = world_.tree->queues()[id];
    if (queue.exists) {
        feed_.write(head(ChangeKind::queue, raw(id)), std::make_shared<const queue_tree::Queue>(queue));
    } else {
        feed_.write(head(ChangeKind::queue_gone, raw(id)));
    }
}

void Publication::tell_changed_queues() {
    for (const queue_tree::QueueId id : changed_queues_) {
        if (!feed_.lost()) {
            tell_queue(id);
        }
    }
    changed_queues_.clear();
}

}  // namespace bayplan
