// Which record is about what; and what all events have. See event_source.h.

#include "events/event_source.h"

#include <algorithm>
#include <utility>

namespace bayplan::events {

using read_model::ChangeKind;

namespace {

constexpr std::size_t kMessageMax = 1'024;  // YuniKorn's
constexpr std::string_view kCut = "...";
constexpr std::string_view kOneLeaf = "root.default";

}  // namespace

std::string amounts_text(const read_model::AmountList& amounts, const read_model::SharedTexts& texts) {
    std::vector<std::pair<std::string_view, std::int64_t>> named;
    for (const read_model::Amount& amount : amounts) {
        named.emplace_back(texts.text(amount.resource), amount.value);
    }
    std::ranges::sort(named);
    std::string text;
    for (const auto& [resource, value] : named) {
        read_model::put_amount(text, resource, value);
    }
    return text;
}

std::string_view queue_of(const read_model::ApplicationFacts& facts) {
    return facts.queue.empty() ? kOneLeaf : std::string_view(facts.queue);
}

void EventSource::emit(EventType type, EventChange change, EventDetail detail, std::string_view object,
                       std::string_view reference, std::string_view message, std::string_view amounts) {
    if (silent_) {
        return;
    }
    std::string cut;
    if (message.size() > kMessageMax) {
        cut = std::string(message.substr(0, kMessageMax - kCut.size())) += kCut;
        message = cut;
    }
    store_.append({type, change, detail, time_ns_, object, reference, message, amounts});
}

// At the first time all is news; told again, nothing is.
void EventSource::begin_again() {
    if (std::exchange(began_, true)) {
        store_.append_gap(time_ns_, options_.partition);
        store_.wake_waiting();
        silent_ = true;
    }
    pods_.clear();
    applications_.clear();
    occupied_.clear();
    amounts_of_shape_.clear();
    queues_.clear();
    limit_events_.clear();
}

void EventSource::before(const Change& change, const Model& model) {
    const std::uint32_t id = change.head.id;
    time_ns_ = options_.zero_tick_ns + change.head.time_ns;
    switch (change.head.kind) {
        case ChangeKind::snapshot_begin: begin_again(); break;
        case ChangeKind::node:
        case ChangeKind::node_gone:
            node_ = model.node(id) == nullptr ? nullptr : model.node(id)->facts;
            capacity_ = node_ == nullptr ? std::string() : amounts_text(node_->capacity, model.texts());
            break;
        case ChangeKind::application:
            is_new_ = model.application(id) == nullptr || !model.application(id)->in_use();
            break;
        case ChangeKind::application_gone: application_goes(change, model); break;
        case ChangeKind::pod_gone: pod_goes(change, model); break;
        case ChangeKind::queue:
        case ChangeKind::queue_gone: queue_ = model.queue(id) == nullptr ? nullptr : model.queue(id)->facts; break;
        default: break;
    }
}

void EventSource::after(const Change& change, const Model& model) {
    const std::uint32_t id = change.head.id;
    switch (change.head.kind) {
        case ChangeKind::snapshot_end: silent_ = false; break;
        case ChangeKind::turn_end: turn_ends(); break;
        case ChangeKind::node: node_told(change, model); break;
        case ChangeKind::node_gone: node_goes(); break;
        case ChangeKind::application: application_told(change, model); break;
        case ChangeKind::application_state: application_state(id, model); break;
        case ChangeKind::application_rejected:
            emit(EventType::application, EventChange::set, EventDetail::app_reject, change.texts[0], {},
                 change.texts[1]);
            break;
        case ChangeKind::shape: shape_told(id, model); break;
        case ChangeKind::pod:
        case ChangeKind::pod_state: pod_told(change, model); break;
        case ChangeKind::pod_reason: pod_waits(change, model); break;
        case ChangeKind::pod_preempted: pod_preempted(change, model); break;
        case ChangeKind::pod_gone:
            if (application_ != read_model::kNobody) {
                application_state(application_, model);
            }
            break;
        case ChangeKind::queue: queue_told(change, model); break;
        case ChangeKind::queue_gone: queue_goes(); break;
        default: break;
    }
}

}  // namespace bayplan::events
