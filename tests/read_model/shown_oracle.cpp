// The oracle's state in the same words. See shown.h.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "shown.h"

namespace bayplan::read_model {

namespace {

using queue_config::Resources;

Resources named(const oracle::Amounts& amounts, bool zeros = false) {
    Resources out;
    for (const auto& [kind, value] : amounts) {
        if (value != 0 || zeros) {
            out[kind == "cpu" ? "vcore" : kind] += value;
        }
    }
    return out;
}

const char* word_of(oracle::AskState state) {
    switch (state) {
        case oracle::AskState::gated: return "gated";
        case oracle::AskState::waiting_for_node: return "awaiting";
        case oracle::AskState::pending:
        case oracle::AskState::on_permit: return "pending";
        case oracle::AskState::backoff: return "backoff";
        case oracle::AskState::unschedulable: return "unschedulable";
        case oracle::AskState::reserved: return "reserved";
        case oracle::AskState::queried:
        case oracle::AskState::asking: return "queried";
        case oracle::AskState::unacknowledged:
        case oracle::AskState::allocated: break;
    }
    return "allocated";
}

// As operators see it: a queried pod has no node yet.
bool has_node(const oracle::Ask& ask) { return oracle::has_it_for_good(ask); }

bool wants_place(const oracle::Ask& ask) {
    return !ask.foreign && (ask.state == oracle::AskState::pending || ask.state == oracle::AskState::queried ||
                            ask.state == oracle::AskState::asking || ask.state == oracle::AskState::on_permit ||
                            ask.state == oracle::AskState::backoff || ask.state == oracle::AskState::unschedulable ||
                            ask.state == oracle::AskState::reserved);
}

std::string or_none(const std::string& text) { return text.empty() ? "-" : text; }

// Without kPreempting: the oracle forgets victims that are gone.
unsigned flags_of(const oracle::Ask& ask) {
    const auto flag = [](bool is, PodFlag bit) { return is ? static_cast<unsigned>(bit) : 0u; };
    return flag(ask.foreign, kForeign) | flag(ask.is_static, kStatic) | flag(ask.originator, kOriginator) |
           flag(has_node(ask) && ask.pod.terminating, kTerminating) |
           flag(has_node(ask) && ask.pod.preempted, kPreempted) | flag(ask.told_scale_up, kToldScaleUp) |
           flag(ask.placeholder, kPlaceholder);
}

const std::string& claim_of(const oracle::Ask& ask) {
    return ask.state == oracle::AskState::queried  ? ask.node
           : ask.state == oracle::AskState::asking ? ask.asked_node
           : ask.reserved_node.empty()             ? ask.nominated_node
                                                   : ask.reserved_node;
}

std::string text_of(const oracle::Ask& ask) {
    // Groups are an application's.
    const std::string group = ask.application.empty() ? "" : ask.gang.empty() ? ask.group : ask.gang_group;
    std::string tags;
    for (const auto& [key, value] : ask.tags) {
        tags += key + "=" + value + ",";
    }
    return fmt::format(
        "{} {} node={} claim={} priority={} application={} group={} requests={} required={} flags={:b} failures={} "
        "tags={}",
        ask.key, word_of(ask.state), has_node(ask) ? ask.node : "-", or_none(claim_of(ask)), ask.priority,
        or_none(ask.application), group, queue_config::to_text(named(ask.requests)), ask.required_node, flags_of(ask),
        std::min<std::uint64_t>(ask.failures, 255), tags);
}

std::string text_of(const oracle::Oracle& oracle, const oracle::Node& node) {
    Resources allocated;
    Resources occupied;
    std::string pods;
    for (const auto& [sequence, ask] : oracle.asks()) {
        if (has_node(ask) && ask.node == node.name) {
            queue_config::add_to(ask.foreign ? occupied : allocated, named(ask.requests));
            pods += fmt::format("{},", sequence);
        }
    }
    std::string text = fmt::format("schedulable={} capacity={} allocated={} occupied={} pods={}", node.schedulable,
                                   queue_config::to_text(named(node.capacity, true)), queue_config::to_text(allocated),
                                   queue_config::to_text(occupied), pods);
    for (const auto& [key, value] : node.facts.labels) {
        text += fmt::format(" {}={}", key, value);
    }
    return text;
}

const char* word_of(oracle::ApplicationState state) {
    switch (state) {
        case oracle::ApplicationState::created: return "New";
        case oracle::ApplicationState::accepted: return "Accepted";
        case oracle::ApplicationState::running: return "Running";
        case oracle::ApplicationState::completing: return "Completing";
        case oracle::ApplicationState::resuming: return "Resuming";
        case oracle::ApplicationState::failing: return "Failing";
        case oracle::ApplicationState::failed: return "Failed";
        case oracle::ApplicationState::completed: break;
    }
    return "Completed";
}

std::string application_text(const oracle::Oracle& oracle, const std::string& shim, const std::string& name) {
    std::size_t pods = 0;
    std::size_t placed = 0;
    Resources used;
    Resources pending;
    for (const auto& [sequence, ask] : oracle.asks()) {
        if (ask.shim != shim || ask.application != name || ask.foreign) {
            continue;
        }
        ++pods;
        placed += has_node(ask) ? 1 : 0;
        if (has_node(ask)) {
            queue_config::add_to(used, named(ask.requests));
        } else if (wants_place(ask)) {
            queue_config::add_to(pending, named(ask.requests));
        }
    }
    const auto queued = oracle.queues().applications.find({shim, name});
    const bool has_queue = queued != oracle.queues().applications.end();
    const std::int64_t rests = has_queue ? queued->second.rests_until : INT64_MAX;
    const std::string groups = has_queue ? fmt::format("{}", fmt::join(queued->second.groups, ",")) : "";
    return fmt::format("{} queue={} user={} groups={} pods={} placed={} used={} pending={} rests={}",
                       has_queue ? word_of(queued->second.state) : "-", has_queue ? queued->second.leaf : "",
                       has_queue ? queued->second.user : "", groups, pods, placed, queue_config::to_text(used),
                       queue_config::to_text(pending), rests == INT64_MAX ? kNever : rests);
}

}  // namespace

Shown shown(const oracle::Oracle& oracle) {
    Shown out;
    for (const auto& [name, node] : oracle.nodes()) {
        out["node " + name] = text_of(oracle, node);
    }
    for (const auto& [sequence, ask] : oracle.asks()) {
        out[fmt::format("pod {}", sequence)] = text_of(ask);
    }
    for (const auto& [shim, state] : oracle.shims()) {
        for (const std::string& application : state.applications) {
            out["application " + shim + " " + application] = application_text(oracle, shim, application);
        }
    }
    if (!oracle.options().queues) {
        return out;
    }
    queue_tree::NaiveTree tree = oracle.queue_tree();
    for (queue_tree::NaiveAsk& ask : tree.asks) {
        ask.charged = ask.charged && has_node(oracle.asks().at(static_cast<std::uint64_t>(ask.number)));
    }
    for (const auto& [path, queue] : tree.queues) {
        out["queue " + path] = fmt::format("used={} pending={} max={}", queue_config::to_text(tree.allocated(path)),
                                           queue_config::to_text(tree.pending(path)),
                                           queue_config::to_text(queue.config.resources.max.or_none()));
    }
    return out;
}

}  // namespace bayplan::read_model
