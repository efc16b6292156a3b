// See event_audit.h.

#include "event_audit.h"

#include <fmt/format.h>

#include "queue_tree/applications.h"

namespace bayplan::read_model {

namespace {

using events::Event;
using events::EventChange;
using events::EventDetail;
using events::EventType;

// Sorted, as events have them.
using Named = std::map<std::string, std::int64_t>;

std::string text_of(const Named& amounts, bool zeros = true) {
    std::string text;
    for (const auto& [resource, value] : amounts) {
        text += value != 0 || zeros ? fmt::format(" {}={}", resource, value) : "";
    }
    return text;
}

Named named(std::string_view amounts) {
    Named all;
    std::string_view resource;
    std::int64_t value = 0;
    while (take_amount(amounts, resource, value)) {
        all[std::string(resource)] = value;
    }
    return all;
}

Named named(const Version& version, const AmountList& amounts) {
    Named all;
    for (const Amount& amount : amounts) {
        all[std::string(version.texts.text(amount.resource))] += amount.value;
    }
    return all;
}

int number_of(EventDetail detail) { return static_cast<int>(detail); }

bool is_ask(const std::string& thing) { return thing.starts_with("ask "); }

// The detail that tells of an application's state.
int detail_of(std::uint8_t state) {
    switch (static_cast<queue_tree::ApplicationState>(state)) {
        case queue_tree::ApplicationState::created: return 203;
        case queue_tree::ApplicationState::accepted: return 204;
        case queue_tree::ApplicationState::running: return 206;
        case queue_tree::ApplicationState::completing: return 207;
        case queue_tree::ApplicationState::completed: return 208;
        case queue_tree::ApplicationState::failing: return 209;
        case queue_tree::ApplicationState::failed: return 210;
        case queue_tree::ApplicationState::resuming: return 211;
        default: return 0;
    }
}

}  // namespace

std::string EventAudit::take(events::EventStore& store) {
    while (true) {
        const events::EventSlice slice = store.read(next_, 1'000, SIZE_MAX);
        if (slice.overtaken) {
            return "the store has let go of events that nobody has read";
        }
        for (std::size_t at = 0; at < slice.size(); ++at) {
            const std::string fault = take(slice[at]);
            if (!fault.empty()) {
                return fmt::format("event {}: {}", next_ + at, fault);
            }
        }
        next_ = slice.next;
        if (slice.size() == 0) {
            return "";
        }
    }
}

std::string EventAudit::change(const std::string& thing, EventChange change) {
    std::int64_t& count = known_.held[thing];
    count += change == EventChange::add || change == EventChange::set ? 1 : -1;
    // At a gap nobody knows whether a pod that has its node was asked for before.
    if (count < 0 && known_.may_be.erase(thing) > 0) {
        count = 0;
    }
    if (count < 0) {
        return "taken away, and not there: " + thing;
    }
    if (count == 0) {
        known_.held.erase(thing);
    }
    return "";
}

std::string EventAudit::take(const Event& event) {
    const std::string object(event.object), reference(event.reference);
    const Named amounts = named(event.amounts);
    const int detail = number_of(event.detail);
    ++details_[detail];
    gap_ = gap_ || event.type == EventType::unknown;
    if (event.type == EventType::unknown || gap_) {
        return "";
    }
    if (event.type == EventType::node && event.detail == EventDetail::node_alloc) {
        return change(fmt::format("on {} {}{} {}", object, reference, text_of(amounts), event.message), event.change);
    }
    if (event.type == EventType::node && event.detail == EventDetail::node_reservation) {
        return change(fmt::format("reserved {} {}", object, reference), event.change);
    }
    if (event.type == EventType::node && event.change != EventChange::set) {
        known_.facts["capacity " + object] = text_of(amounts);
        known_.facts["schedulable " + object] = "schedulable: true";
        if (event.change == EventChange::remove) {
            for (const char* fact : {"capacity ", "schedulable ", "occupied "}) known_.facts.erase(fact + object);
        }
        return change("node " + object, event.change);
    }
    if (event.type == EventType::node) {
        const char* const fact = event.detail == EventDetail::node_capacity   ? "capacity "
                                 : event.detail == EventDetail::node_occupied ? "occupied "
                                                                              : "schedulable ";
        known_.facts[fact + object] = event.detail == EventDetail::node_schedulable
                                          ? std::string(event.message)
                                          : text_of(amounts, event.detail == EventDetail::node_capacity);
        return "";
    }
    // Of a statement that was refused: an application that has the name stays as it is.
    if (event.detail == EventDetail::app_reject) {
        return "";
    }
    if (event.type == EventType::application && event.change == EventChange::set) {
        known_.facts["state " + object] = std::to_string(detail);
        return "";
    }
    if (event.type == EventType::application && reference.empty()) {
        known_.facts["state " + object] = "203";
        const std::string fault = change("application " + object, event.change);
        const auto count = known_.held.find("application " + object);
        if (count == known_.held.end()) {
            twins_.erase(object);
            known_.facts.erase("state " + object);
        } else if (count->second > 1) {
            twins_.insert(object);
        }
        return fault;
    }
    if (event.type == EventType::application) {
        const bool asks = event.detail == EventDetail::app_request || event.detail == EventDetail::request_cancel;
        return change(fmt::format("{} {} {}{}", asks ? "ask" : "allocated", object, reference, text_of(amounts)),
                      event.change);
    }
    if (event.type == EventType::queue && event.detail == EventDetail::queue_app) {
        return change(fmt::format("in {} {}", object, reference), event.change);
    }
    if (event.type == EventType::queue && event.change != EventChange::set) {
        return change("queue " + object, event.change);
    }
    if (event.type == EventType::user_group && event.detail == EventDetail::user_resource) {
        for (const auto& [resource, value] : amounts) {
            std::int64_t& sum = known_.usage[object + " in " + reference][resource];
            sum += event.change == EventChange::add ? value : -value;
            if (sum < 0) {
                return object + " uses less than nothing of " + resource;
            }
        }
    }
    if (event.type == EventType::user_group && event.detail == EventDetail::app_link && gaps_ == 0) {
        return change(fmt::format("link {} {}", object, reference), event.change);
    }
    return "";
}

EventAudit::Known EventAudit::known_of(const Version& version) {
    Known known;
    version.nodes.for_each([&](std::uint32_t, const Node& node) {
        const std::string& name = node.facts->name;
        ++known.held["node " + name];
        known.facts["capacity " + name] = text_of(named(version, node.facts->capacity));
        known.facts["schedulable " + name] = node.facts->schedulable ? "schedulable: true" : "schedulable: false";
    });
    version.queues.for_each([&](std::uint32_t, const Queue& queue) { ++known.held["queue " + queue.facts->path]; });
    const auto path_of = [](const Application& application) {
        return application.facts->queue.empty() ? std::string("root.default") : application.facts->queue;
    };
    version.applications.for_each([&](std::uint32_t, const Application& application) {
        ++known.held["application " + application.facts->name];
        ++known.held[fmt::format("in {} {}", path_of(application), application.facts->name)];
        const int detail = application.state == kNoApplicationState ? 203 : detail_of(application.state);
        known.facts["state " + application.facts->name] = std::to_string(detail);
    });
    std::map<std::string, Named> occupied;
    version.pods.for_each([&](std::uint32_t id, const Pod& pod) {
        const std::string key(version.keys.text(id));
        const Named amounts = named(version, version.shape(pod).requests);
        const Application* const application =
            pod.application == kNobody || pod.is(kForeign) ? nullptr : version.applications.find(pod.application);
        if (pod.state == PodState::reserved) {
            ++known.held[fmt::format("reserved {} {}", version.nodes.find(pod.claim)->facts->name, key)];
        }
        const std::string ask =
            application == nullptr ? "" : fmt::format("ask {} {}{}", application->facts->name, key, text_of(amounts));
        if (pod.state == PodState::allocated || pod.state == PodState::awaiting_node) {
            known.may_be.insert(ask);
        } else if (application != nullptr) {
            ++known.held[ask];
        }
        if (pod.state != PodState::allocated) {
            return;
        }
        const std::string& node = version.nodes.find(pod.node)->facts->name;
        ++known.held[fmt::format("on {} {}{} {}", node, key, text_of(amounts), pod.is(kForeign) ? "foreign" : "")];
        if (pod.is(kForeign)) {
            for (const auto& [resource, value] : amounts) occupied[node][resource] += value;
        }
        if (application != nullptr) {
            ++known.held[fmt::format("allocated {} {}{}", application->facts->name, key, text_of(amounts))];
            if (!application->facts->user.empty()) {
                Named& sum = known.usage[application->facts->user + " in " + path_of(*application)];
                for (const auto& [resource, value] : amounts) sum[resource] += value;
            }
        }
    });
    for (const auto& [node, sum] : occupied) {
        known.facts["occupied " + node] = text_of(sum, false);
    }
    return known;
}

std::string EventAudit::first_difference(const Known& by_events, const Known& by_model) {
    for (const auto& [thing, count] : by_model.held) {
        const auto found = by_events.held.find(thing);
        const std::int64_t other = found == by_events.held.end() ? 0 : found->second;
        if (is_ask(thing) ? other < count : other != count) {
            return fmt::format("{}: {} by events, {} in the model", thing, other, count);
        }
    }
    for (const auto& [thing, count] : by_events.held) {
        const bool may_be = thing.starts_with("link ") || by_model.may_be.contains(thing);
        if (!may_be && !by_model.held.contains(thing)) {
            return fmt::format("{}: {} by events, none in the model", thing, count);
        }
    }
    for (const auto& [thing, fact] : by_model.facts) {
        const auto found = by_events.facts.find(thing);
        if (found == by_events.facts.end() || found->second != fact) {
            return fmt::format("{} is '{}' by events, '{}' in the model", thing,
                               found == by_events.facts.end() ? "unknown" : found->second, fact);
        }
    }
    for (const auto& [thing, sum] : by_events.usage) {
        const auto found = by_model.usage.find(thing);
        const std::string other = found == by_model.usage.end() ? "" : text_of(found->second, false);
        if (text_of(sum, false) != other) {
            return fmt::format("{} uses '{}' by events, '{}' in the model", thing, text_of(sum, false), other);
        }
    }
    return "";
}

std::string EventAudit::compare(const Version& version) {
    Known by_model = known_of(version);
    if (std::exchange(gap_, false)) {
        ++gaps_;
        known_ = std::move(by_model);
        twins_.clear();
        version.applications.for_each([&](std::uint32_t, const Application& application) {
            if (known_.held["application " + application.facts->name] > 1) twins_.insert(application.facts->name);
        });
        return "";
    }
    for (const std::string& twin : twins_) {
        known_.facts.erase("state " + twin);
        by_model.facts.erase("state " + twin);
    }
    return first_difference(known_, by_model);
}

}  // namespace bayplan::read_model
