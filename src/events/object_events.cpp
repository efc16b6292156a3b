// Events of nodes, applications, queues, and of the limits of queues. See event_source.h.

#include <algorithm>
#include <utility>

#include "events/event_source.h"
#include "queue_config/characters.h"
#include "queue_tree/applications.h"

namespace bayplan::events {

using queue_config::LimitConfig;
using read_model::kNoApplicationState;

namespace {

EventDetail detail_of(queue_tree::ApplicationState state) {
    struct Row {
        std::string_view name;
        EventDetail detail;
    };
    constexpr Row kRows[] = {
        {"New", EventDetail::app_new},         {"Accepted", EventDetail::app_accepted},
        {"Running", EventDetail::app_running}, {"Completing", EventDetail::app_completing},
        {"Failing", EventDetail::app_failing}, {"Completed", EventDetail::app_completed},
        {"Failed", EventDetail::app_failed},   {"Resuming", EventDetail::app_resuming},
        {"Expired", EventDetail::app_expired}, {"Rejected", EventDetail::app_reject},
    };
    const auto row = std::ranges::find(kRows, to_text(state), &Row::name);
    return row == std::end(kRows) ? EventDetail::none : row->detail;
}

std::string text_of(const queue_config::Resources& resources) {
    std::string text;
    for (const auto& [name, value] : resources) {
        read_model::put_amount(text, name, value);
    }
    return text;
}

}  // namespace

// --- nodes

void EventSource::node_told(const Change& change, const Model& model) {
    const read_model::NodeFacts& facts = *model.node(change.head.id)->facts;
    const std::string capacity = amounts_text(facts.capacity, model.texts());
    const auto schedulable = [&] {
        emit(EventType::node, EventChange::set, EventDetail::node_schedulable, facts.name, {},
             facts.schedulable ? "schedulable: true" : "schedulable: false");
    };
    if (node_ == nullptr) {
        at(occupied_, change.head.id).clear();
        emit(EventType::node, EventChange::add, EventDetail::none, facts.name, {}, "Node added to the scheduler",
             capacity);
        if (!facts.schedulable) {
            schedulable();
        }
        return;
    }
    if (capacity != capacity_) {
        emit(EventType::node, EventChange::set, EventDetail::node_capacity, facts.name, {}, {}, capacity);
    }
    if (facts.schedulable != node_->schedulable) {
        schedulable();
    }
}

void EventSource::node_goes() {
    emit(EventType::node, EventChange::remove, EventDetail::node_decommission, node_->name, {},
         "Node removed from the scheduler");
}

// --- applications

void EventSource::application_told(const Change& change, const Model& model) {
    const read_model::ApplicationFacts& facts = *model.application(change.head.id)->facts;
    if (is_new_) {
        ToldApplication& told = at(applications_, change.head.id);
        told = {};
        emit(EventType::application, EventChange::add, EventDetail::app_new, facts.name);
        emit(EventType::queue, EventChange::add, EventDetail::queue_app, queue_of(facts), facts.name);
        told.state = static_cast<std::uint8_t>(queue_tree::ApplicationState::created);
    }
    application_state(change.head.id, model);
}

void EventSource::application_state(std::uint32_t id, const Model& model) {
    const read_model::Application& application = *model.application(id);
    ToldApplication& told = at(applications_, id);
    if (application.state == kNoApplicationState || std::exchange(told.state, application.state) == application.state) {
        return;
    }
    emit(EventType::application, EventChange::set,
         detail_of(static_cast<queue_tree::ApplicationState>(application.state)), application.facts->name);
}

void EventSource::application_goes(const Change& change, const Model& model) {
    const read_model::ApplicationFacts& facts = *model.application(change.head.id)->facts;
    emit(EventType::queue, EventChange::remove, EventDetail::queue_app, queue_of(facts), facts.name);
    emit(EventType::application, EventChange::remove, EventDetail::none, facts.name);
    at(applications_, change.head.id) = {};
}

// --- users and groups

// As queue_tree/user_limits.h says it; the queue itself and those above.
std::string EventSource::group_of(const read_model::ApplicationFacts& facts, const Model& model) const {
    std::string_view path = queue_of(facts);
    while (!path.empty()) {
        if (const auto found = queues_.find(path); found != queues_.end()) {
            for (const LimitConfig& limit : model.queue(found->second)->facts->limits) {
                for (const queue_config::Text& group : limit.groups) {
                    if (group.text == queue_config::kWildcard ||
                        std::ranges::find(facts.groups, group.text) != facts.groups.end()) {
                        return group.text;
                    }
                }
            }
        }
        const std::size_t dot = path.rfind('.');
        path = dot == std::string_view::npos ? std::string_view() : path.substr(0, dot);
    }
    return {};
}

void EventSource::link(std::uint32_t application, const Model& model) {
    const read_model::ApplicationFacts& facts = *model.application(application)->facts;
    std::string& group = at(applications_, application).group;
    group = group_of(facts, model);
    if (!group.empty()) {
        emit(EventType::user_group, EventChange::set, EventDetail::app_link, group, facts.name);
    }
}

void EventSource::unlink(std::uint32_t application, const Model& model) {
    const std::string group = std::exchange(at(applications_, application).group, {});
    if (!group.empty()) {
        emit(EventType::user_group, EventChange::remove, EventDetail::app_link, group,
             model.application(application)->facts->name);
    }
}

// --- queues

void EventSource::queue_told(const Change& change, const Model& model) {
    const queue_tree::Queue& queue = *model.queue(change.head.id)->facts;
    if (queue_ != nullptr && queue_->path != queue.path) {
        queue_goes();  // another one has its id
        queue_ = nullptr;
    }
    queues_.insert_or_assign(queue.path, change.head.id);
    if (queue_ == nullptr) {
        emit(EventType::queue, EventChange::add, queue.managed ? EventDetail::none : EventDetail::queue_dynamic,
             queue.path);
    } else {
        if (queue_->max != queue.max) {
            emit(EventType::queue, EventChange::set, EventDetail::queue_max, queue.path, {}, {}, text_of(queue.max));
        }
        if (queue_->guaranteed != queue.guaranteed) {
            emit(EventType::queue, EventChange::set, EventDetail::queue_guaranteed, queue.path, {}, {},
                 text_of(queue.guaranteed));
        }
        if (queue_->leaf != queue.leaf) {
            emit(EventType::queue, EventChange::set, EventDetail::queue_type, queue.path, {},
                 queue.leaf ? "leaf queue: true" : "leaf queue: false");
        }
    }
    limits_told(queue_.get(), &queue);
}

void EventSource::queue_goes() {
    if (queue_ == nullptr) {
        return;  // it came and went within one turn
    }
    queues_.erase(queue_->path);
    emit(EventType::queue, EventChange::remove, queue_->managed ? EventDetail::none : EventDetail::queue_dynamic,
         queue_->path);
    limits_told(queue_.get(), nullptr);
}

// Of users and groups by name: a limit of everybody has no name.
void EventSource::limits_told(const queue_tree::Queue* was, const queue_tree::Queue* is) {
    static const std::vector<LimitConfig> kNone;
    const auto limits = [](const queue_tree::Queue* queue) -> const std::vector<LimitConfig>& {
        return queue == nullptr ? kNone : queue->limits;
    };
    const auto of = [](const std::vector<LimitConfig>& all, auto names, const std::string& name) {
        return std::ranges::find_if(all, [&](const LimitConfig& limit) {
            return std::ranges::find(limit.*names, name, &queue_config::Text::text) != (limit.*names).end();
        });
    };
    const auto compare = [&](auto names, EventDetail detail) {
        const auto tell = [&](const queue_tree::Queue* queue, const queue_tree::Queue* other, EventChange change) {
            for (const LimitConfig& limit : limits(queue)) {
                for (const queue_config::Text& name : limit.*names) {
                    const auto found = of(limits(other), names, name.text);
                    const bool same = found != limits(other).end() &&
                                      (change == EventChange::remove ||
                                       (found->max_resources.or_none() == limit.max_resources.or_none() &&
                                        found->max_applications == limit.max_applications));
                    if (!same && name.text != queue_config::kWildcard) {
                        limit_events_.push_back({change, detail, name.text, queue->path});
                    }
                }
            }
        };
        tell(was, is, EventChange::remove);
        tell(is, was, EventChange::set);
    };
    compare(&LimitConfig::users, EventDetail::user_limit);
    compare(&LimitConfig::groups, EventDetail::group_limit);
}

void EventSource::turn_ends() {
    for (const LimitEvent& event : std::exchange(limit_events_, {})) {
        emit(EventType::user_group, event.change, event.detail, event.name, event.path);
    }
    store_.wake_waiting();
}

}  // namespace bayplan::events
