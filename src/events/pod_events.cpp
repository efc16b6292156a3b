// Events of asks and allocations: what their application, their node and their user get and lose. See event_source.h.

#include <utility>

#include "events/event_source.h"

namespace bayplan::events {

using read_model::kForeign;
using read_model::kNobody;
using read_model::Pod;
using read_model::PodState;

namespace {

constexpr std::int64_t kReasonEvery_ns = 15'000'000'000;  // of one pod, as in YuniKorn
constexpr std::string_view kForeignPod = "foreign";       // the message by which clients tell these from others

// A pod that its shim states on an unknown node has been placed: nobody asks for it.
bool asks(const Pod& pod) {
    return pod.state != PodState::allocated && pod.state != PodState::awaiting_node && !pod.is(kForeign);
}
std::uint32_t node_of(const Pod& pod) { return pod.state == PodState::allocated ? pod.node : kNobody; }
std::uint32_t reserved_by(const Pod& pod) { return pod.state == PodState::reserved ? pod.claim : kNobody; }
// It has lost its node, and goes: what it had is told with its end.
bool is_going(const Pod& pod) { return pod.state == PodState::allocated && pod.node == kNobody; }

// By the word of its shim, which may not know that a preemption was the reason. Numbers are YuniKorn's types of terminations.
EventDetail end_of(const Pod& pod, std::uint8_t termination) {
    constexpr EventDetail kEnds[] = {EventDetail::alloc_node_removed, EventDetail::alloc_cancel,
                                     EventDetail::alloc_timeout, EventDetail::alloc_preempt,
                                     EventDetail::alloc_replaced};
    const EventDetail stated = termination < std::size(kEnds) ? kEnds[termination] : EventDetail::alloc_cancel;
    return stated == EventDetail::alloc_cancel && pod.is(read_model::kPreempted) ? EventDetail::alloc_preempt : stated;
}

}  // namespace

void EventSource::shape_told(std::uint32_t id, const Model& model) {
    at(amounts_of_shape_, id) =
        std::make_shared<const std::string>(amounts_text(model.shape(id)->facts->requests, model.texts()));
}

// --- from one state to the next

void EventSource::pod_told(const Change& change, const Model& model) {
    const Pod& pod = *model.pod(change.head.id);
    if (is_going(pod)) {
        return;
    }
    ToldPod& told = at(pods_, change.head.id);
    const std::string_view key = model.key(change.head.id);
    leave(told, key, pod, model);
    if (const AmountsText& amounts = amounts_of_shape_[pod.shape]; amounts != told.amounts) {
        told.amounts = amounts;
    }
    told.application = pod.application;
    told.foreign = pod.is(kForeign);
    const bool gains = node_of(pod) != told.node;
    if (gains) {
        told.node = node_of(pod);
        of_node(EventChange::add, told, key, model);
    }
    if (told.application != kNobody) {
        application_state(told.application, model);
    }
    if (asks(pod) && !told.asks) {
        begin_ask(told, key, model);
    }
    if (gains) {
        add_allocation(told, key, model);
    }
    if (reserved_by(pod) != told.reserved) {
        reserve(told, key, reserved_by(pod), model);
    }
}

// Things that it has no more, or has otherwise.
void EventSource::leave(ToldPod& told, std::string_view key, const Pod& next, const Model& model) {
    if (told.amounts == nullptr) {
        return;  // it is new
    }
    const AmountsText& amounts = amounts_of_shape_[next.shape];
    const bool restated =
        (told.amounts != amounts && *told.amounts != *amounts) || told.application != next.application;
    if (told.node != kNobody && (restated || told.node != node_of(next))) {
        remove_allocation(told, key, EventDetail::alloc_cancel, model);
    }
    if (told.reserved != kNobody && (restated || told.reserved != reserved_by(next))) {
        end_reservation(told, key, model);
    }
    if (told.asks && restated) {
        end_ask(told, key, model);
    }
}

void EventSource::pod_goes(const Change& change, const Model& model) {
    const Pod& pod = *model.pod(change.head.id);
    const std::string_view key = model.key(change.head.id);
    ToldPod& told = at(pods_, change.head.id);
    application_ = told.application;
    if (told.node != kNobody) {
        remove_allocation(told, key, end_of(pod, change.head.state), model);
    }
    if (told.reserved != kNobody) {
        end_reservation(told, key, model);
    }
    if (told.asks) {
        end_ask(told, key, model);
    }
    told = {};
}

// --- an ask

void EventSource::of_application(EventChange change, EventDetail detail, const ToldPod& told, std::string_view key,
                                 const Model& model) {
    if (told.application != kNobody) {
        emit(EventType::application, change, detail, model.application(told.application)->facts->name, key, {},
             *told.amounts);
    }
}

void EventSource::begin_ask(ToldPod& told, std::string_view key, const Model& model) {
    told.asks = true;
    of_application(EventChange::add, EventDetail::app_request, told, key, model);
}

void EventSource::end_ask(ToldPod& told, std::string_view key, const Model& model) {
    told.asks = false;
    of_application(EventChange::remove, EventDetail::request_cancel, told, key, model);
}

void EventSource::reserve(ToldPod& told, std::string_view key, std::uint32_t node, const Model& model) {
    told.reserved = node;
    emit(EventType::node, EventChange::add, EventDetail::node_reservation, model.node(node)->facts->name, key, {},
         *told.amounts);
}

void EventSource::end_reservation(ToldPod& told, std::string_view key, const Model& model) {
    const std::uint32_t node = std::exchange(told.reserved, kNobody);
    emit(EventType::node, EventChange::remove, EventDetail::node_reservation, model.node(node)->facts->name, key, {},
         *told.amounts);
}

// --- an allocation: for its node, its user, its application

void EventSource::add_allocation(const ToldPod& told, std::string_view key, const Model& model) {
    if (told.foreign || told.application == kNobody) {
        return;
    }
    if (at(applications_, told.application).placed++ == 0) {
        link(told.application, model);
    }
    of_user(EventChange::add, told, model);
    of_application(EventChange::add, EventDetail::app_alloc, told, key, model);
}

void EventSource::remove_allocation(ToldPod& told, std::string_view key, EventDetail end, const Model& model) {
    if (!told.foreign && told.application != kNobody) {
        of_user(EventChange::remove, told, model);
        of_application(EventChange::remove, end, told, key, model);
        if (--at(applications_, told.application).placed == 0) {
            unlink(told.application, model);
        }
    }
    of_node(EventChange::remove, told, key, model);
    told.node = kNobody;
}

void EventSource::of_node(EventChange change, const ToldPod& told, std::string_view key, const Model& model) {
    const std::string_view node = model.node(told.node)->facts->name;
    emit(EventType::node, change, EventDetail::node_alloc, node, key, told.foreign ? kForeignPod : "", *told.amounts);
    if (!told.foreign || !options_.node_occupied) {
        return;
    }
    Amounts& occupied = at(occupied_, told.node);
    std::string_view left = *told.amounts;
    std::string_view resource;
    std::int64_t value = 0;
    while (read_model::take_amount(left, resource, value)) {
        occupied[std::string(resource)] += change == EventChange::add ? value : -value;
    }
    std::string text;
    for (const auto& [name, sum] : occupied) {
        read_model::put_amount(text, name, sum);
    }
    emit(EventType::node, EventChange::set, EventDetail::node_occupied, node, {}, {}, text);
}

void EventSource::of_user(EventChange change, const ToldPod& told, const Model& model) {
    const read_model::ApplicationFacts& facts = *model.application(told.application)->facts;
    const std::string& group = at(applications_, told.application).group;
    const std::string_view amounts = *told.amounts;
    if (!facts.user.empty()) {
        emit(EventType::user_group, change, EventDetail::user_resource, facts.user, queue_of(facts), {}, amounts);
    }
    if (!group.empty()) {
        emit(EventType::user_group, change, EventDetail::group_resource, group, queue_of(facts), {}, amounts);
    }
}

// --- what the owner of the pod should know

void EventSource::request(std::uint32_t pod, std::string_view message, const Model& model) {
    const std::uint32_t application = model.pod(pod)->application;
    if (application != kNobody) {
        emit(EventType::request, EventChange::none, EventDetail::none, model.key(pod),
             model.application(application)->facts->name, message);
    }
}

void EventSource::pod_waits(const Change& change, const Model& model) {
    const PodState state = model.pod(change.head.id)->state;
    const bool was_tried = state == PodState::pending || state == PodState::backoff || state == PodState::unschedulable;
    ToldPod& told = at(pods_, change.head.id);
    if (!was_tried || (told.reason_ns != INT64_MIN && time_ns_ - told.reason_ns < kReasonEvery_ns)) {
        return;
    }
    told.reason_ns = time_ns_;
    std::string message = "Unschedulable request '";
    message.append(model.key(change.head.id)).append("': ").append(change.texts[0]);
    request(change.head.id, message, model);
}

// The decision's own words: preempted by whom.
void EventSource::pod_preempted(const Change& change, const Model& model) {
    std::string message(change.texts[0]);
    if (message.starts_with('p')) {
        message.front() = 'P';
    }
    request(change.head.id, message, model);
}

}  // namespace bayplan::events
