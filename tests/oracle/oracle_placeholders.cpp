// Placeholders, and the asks that take them over: rules/placeholders.md.
//
// Thread and errors: see oracle.h.
#include <algorithm>
#include <tuple>

#include "oracle_placeholders.h"

namespace bayplan::oracle {

namespace {

bool in_task_group_of(const Ask& ask, const Ask& other) {
    return ask.shim == other.shim && ask.application == other.application && ask.group == other.group;
}

bool is_open(const Ask& ask) { return ask.placeholder && !ask.sent_away; }

// In a plain group, whose pods are not placed together.
bool in_plain_group(const Ask& ask) {
    return !ask.foreign && !ask.application.empty() && !ask.group.empty() && !ask.coscheduled();
}

}  // namespace

std::string PlaceholderRules::fault_of(const EngineOptions& options, const AskItem& record) {
    if (!record.placeholder) {
        return "";
    }
    if (!options.queues) {
        return "placeholders need queues";
    }
    const bool good = !record.foreign && record.application != 0 && record.group != 0 &&
                      record.group_min_available == 0 && record.group_fault == GroupFault::none;
    return good ? "" : "a placeholder is in a task group without a minimum";
}

bool PlaceholderRules::has_failed(const OracleQueues& queues, const std::string& shim, const std::string& application) {
    const auto found = queues.applications.find({shim, application});
    return found != queues.applications.end() &&
           (found->second.state == ApplicationState::failing || found->second.state == ApplicationState::failed);
}

// Of an ask that came, or lost its gates.
bool PlaceholderRules::holds_up(Ask& ask) {
    if (ask.placeholder || !in_plain_group(ask)) {
        return false;
    }
    for (const auto& [sequence, other] : oracle_.asks_) {
        if (is_open(other) && in_task_group_of(ask, other)) {
            ask.held = true;
            return true;
        }
    }
    return false;
}

void PlaceholderRules::forget(Ask& ask) {
    if (ask.takes != 0) {
        oracle_.asks_.at(ask.takes).taken_by = 0;
    }
    ask.takes = 0;
    ask.held = ask.due = false;
}

// Before it is taken off its node.
void PlaceholderRules::goes(const Ask& ask) {
    if (ask.taken_by != 0) {
        Ask& taker = oracle_.asks_.at(ask.taken_by);
        taker.takes = 0;
        taker.due = true;
        taker.due_node = ask.node;
    }
    for (const auto& [sequence, other] : oracle_.asks_) {
        if (other.placeholder && &other != &ask && other.shim == ask.shim && other.application == ask.application) {
            return;
        }
    }
    if (const auto found = oracle_.queues_.applications.find({ask.shim, ask.application});
        found != oracle_.queues_.applications.end()) {
        found->second.deadline = INT64_MAX;
        found->second.is_over = false;
    }
}

void PlaceholderRules::settle() {
    start_clocks();
    std::vector<std::uint64_t> held;
    for (const auto& [sequence, ask] : oracle_.asks_) {
        if (ask.held) {
            held.push_back(sequence);
        }
    }
    for (const std::uint64_t sequence : held) {
        settle(oracle_.asks_.at(sequence));
    }
}

void PlaceholderRules::start_clocks() {
    for (const auto& [sequence, ask] : oracle_.asks_) {
        if (!ask.placeholder || !has_it_for_good(ask)) {
            continue;
        }
        QueuedApplication& application = oracle_.queues_.applications.at({ask.shim, ask.application});
        if (application.deadline == INT64_MAX && !application.is_over) {
            application.deadline = oracle_.now_ + std::min(application.timeout, INT64_MAX - 1 - oracle_.now_);
        }
    }
}

void PlaceholderRules::settle(Ask& ask) {
    bool all_placed = true;
    for (auto& [sequence, other] : oracle_.asks_) {
        if (!is_open(other) || !in_task_group_of(ask, other)) {
            continue;
        }
        if (!has_it_for_good(other)) {
            all_placed = false;
            continue;
        }
        const bool covers = std::all_of(ask.requests.begin(), ask.requests.end(), [&other = other](const auto& one) {
            const auto kept = other.requests.find(one.first);
            return one.second <= (kept == other.requests.end() ? 0 : kept->second);
        });
        if (covers) {
            oracle_.saw("an ask takes over a placeholder");
            ask.held = false;
            ask.takes = sequence;
            other.taken_by = ask.sequence;
            send_away(other, Termination::placeholder_replaced, "replaced by " + full_name(ask));
            return;
        }
    }
    if (all_placed) {
        oracle_.saw("an ask is left without a placeholder");
        ask.held = false;
        ask.state = AskState::pending;
    }
}

void PlaceholderRules::send_away(Ask& ask, Termination termination, const std::string& why) {
    const bool was_terminating = ask.pod.terminating;
    ask.sent_away = true;
    oracle_.count_end_anew(ask);
    oracle_.touch(ask);
    oracle_.log_line("release", ask, ask.node, why);
    oracle_.decide(ask.shim, DecisionKind::released, ask.key, why, ask.node, termination);
    if (!was_terminating) {
        oracle_.wake(Oracle::Event::pod_changed);
    }
}

void PlaceholderRules::tick() {
    for (;;) {
        const OracleQueues::ApplicationName* first = nullptr;
        std::pair<std::int64_t, std::uint64_t> least;
        for (const auto& [name, application] : oracle_.queues_.applications) {
            const std::pair key{application.deadline, application.number};
            if (application.deadline <= oracle_.now_ && (first == nullptr || key < least)) {
                first = &name;
                least = key;
            }
        }
        if (first == nullptr) {
            return;
        }
        time_is_up(*first);
    }
}

void PlaceholderRules::time_is_up(const OracleQueues::ApplicationName& name) {
    QueuedApplication& application = oracle_.queues_.applications.at(name);
    application.deadline = INT64_MAX;
    application.is_over = true;
    const bool started = application.state != ApplicationState::accepted;
    const bool fails = !started && application.hard;
    oracle_.saw(started ? "placeholders were not used in time" : fails ? "a hard gang fails" : "a soft gang resumes");
    if (!started) {
        application.state = fails ? ApplicationState::failing : ApplicationState::resuming;
    }
    std::vector<std::uint64_t> ending;
    for (const auto& [sequence, ask] : oracle_.asks_) {
        if (ask.shim == name.first && ask.application == name.second && (ask.placeholder || fails)) {
            ending.push_back(sequence);
        }
    }
    for (const std::uint64_t sequence : ending) {
        end(sequence, started);
    }
}

void PlaceholderRules::end(std::uint64_t sequence, bool started) {
    Ask& ask = oracle_.asks_.at(sequence);
    const std::string why =
        started ? "the placeholder was not used in time" : "not all placeholders were placed in time";
    if (ask.foreign || ask.state == AskState::waiting_for_node) {
        return;
    }
    if (has_it_for_good(ask)) {
        if (!ask.placeholder || !ask.sent_away) {
            send_away(ask, Termination::timeout, why);
        }
        return;
    }
    oracle_.log_line("release", ask, "-", why);
    oracle_.decide(ask.shim, DecisionKind::released, ask.key, why, "", Termination::timeout);
    oracle_.end_ask(sequence, true);
}

const Ask* PlaceholderRules::first_due(const Oracle& oracle) {
    for (const auto& [sequence, ask] : oracle.asks_) {
        if (ask.due && oracle.has_credit(oracle.shims_.at(ask.shim))) {
            return &ask;
        }
    }
    return nullptr;
}

void PlaceholderRules::begin_due(Ask& ask) {
    oracle_.saw(oracle_.nodes_.contains(ask.due_node) ? "tried in its placeholder's place"
                                                      : "its placeholder's node is gone");
    if (oracle_.nodes_.contains(ask.due_node) && ask.nominated_node.empty()) {
        oracle_.nominate(ask, ask.due_node);
    }
    ask.due = false;
    ask.state = AskState::pending;
}

// --- the part of OracleQueues

// R-QUEUE-7, the last two.
std::string OracleQueues::gang_fault(const std::string& path, const queue_config::Resources& placeholder_ask) const {
    if (placeholder_ask.empty()) {
        return "";
    }
    const auto& properties = tree.queues.at(path).config.properties;
    const auto policy = properties.find("application.sort.policy");
    if (policy != properties.end() && policy->second == "fair") {
        return "queue " + path + " sorts by shares, which gangs cannot be in";
    }
    for (std::string at = path; !at.empty();
         at = at.rfind('.') == std::string::npos ? "" : at.substr(0, at.rfind('.'))) {
        const queue_config::Resources max = tree.queues.at(at).config.resources.max.or_none();
        for (const auto& [name, amount] : placeholder_ask) {
            if (max.contains(name) && amount > max.at(name)) {
                return "the gang asks for " + queue_config::to_text(placeholder_ask) + ", more than max " +
                       queue_config::to_text(max) + " of queue " + at;
            }
        }
    }
    return "";
}

void OracleQueues::settle(const ApplicationName& name, bool has_any, bool has_node, bool has_placeholder,
                          std::int64_t now) {
    QueuedApplication& application = applications.at(name);
    ApplicationState& state = application.state;
    if (state == ApplicationState::failing && !has_any) {
        state = ApplicationState::failed;
    }
    if (state == ApplicationState::failing || state == ApplicationState::failed ||
        (state == ApplicationState::resuming && has_placeholder)) {
        return;
    }
    if (state == ApplicationState::resuming) {
        state = ApplicationState::accepted;
    }
    if (!has_any) {
        const bool was_busy = state == ApplicationState::accepted || state == ApplicationState::running;
        if (was_busy) {
            state = ApplicationState::completing;
            application.completing_since = now;
        }
        return;
    }
    if (has_node || state == ApplicationState::completing) {
        state = ApplicationState::running;
    } else if (state == ApplicationState::created || state == ApplicationState::completed) {
        state = ApplicationState::accepted;
    }
}

}  // namespace bayplan::oracle
