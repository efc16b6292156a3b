// The oracle's asks: their records, their coming and going, and waking. RULES.md, sections 2 (asks)
// and 6.
//
// Thread and errors: see oracle.h.
#include <limits>
#include <stdexcept>

#include "oracle.h"

namespace bayplan::oracle {

void Oracle::message(const std::string& name, const AsksMessage& asks) {
    for (const AskRecord& record : asks.asks) {
        const std::string fault = ask_record(name, record);
        if (!fault.empty()) {
            decide(name, DecisionKind::ask_rejected, std::string(record.key), fault);
        }
    }
}

// Turns the record into an ask with all ids as texts, or tells the first fault.
std::string Oracle::ask_faults(const Shim& shim, const AskRecord& record, Ask& wanted) const {
    const auto text = [&](DictId id) {
        const auto found = shim.dictionary.find(id);
        return found == shim.dictionary.end() ? std::string() : found->second;
    };
    if (record.key.empty()) {
        return "empty key";
    }
    if (record.key.size() > 512) {
        return "key is longer than 512 bytes";
    }
    wanted.application = text(record.application);
    const bool of_none = record.foreign && record.application == 0;
    if (!of_none && !shim.applications.contains(wanted.application)) {
        return "unknown application " + number_sign(record.application);
    }
    wanted.node = text(record.node);
    if (record.node != 0 && !nodes_.contains(wanted.node)) {
        return "no such node";
    }
    wanted.required_node = text(record.required_node);
    if (record.required_node != 0 && wanted.required_node.empty()) {
        return "unknown dictionary id";
    }
    wanted.group = text(record.group);
    if (record.group != 0 && wanted.group.empty()) {
        return "unknown dictionary id";
    }
    const std::string fault = check_amounts(shim, record.requests, wanted.requests);
    std::erase_if(wanted.requests, [](const auto& request) { return request.second == 0; });
    wanted.key = std::string(record.key);
    wanted.priority = record.priority;
    wanted.foreign = record.foreign;
    wanted.tolerates_unschedulable = record.tolerates_unschedulable;
    return fault;
}

std::string Oracle::ask_record(const std::string& name, const AskRecord& record) {
    Ask wanted;
    const std::string fault = ask_faults(shims_.at(name), record, wanted);
    if (!fault.empty()) {
        return fault;
    }
    wanted.shim = name;
    const Ask* existing = find_ask(name, wanted.key);
    return existing != nullptr ? change_ask(asks_.at(existing->sequence), wanted)
                               : add_ask(name, wanted);
}

std::string Oracle::change_ask(Ask& ask, const Ask& wanted) {
    if (ask.application != wanted.application) {
        return "key is in use by application " + (ask.application.empty() ? "-" : ask.application);
    }
    if (!ask.node.empty()) {
        if (!wanted.node.empty() && wanted.node != ask.node) {
            return "is placed on " + ask.node;
        }
        if (wanted.requests != ask.requests) {
            return "is placed already";
        }
        ask.priority = wanted.priority;
        return "";
    }
    const bool changed = ask.requests != wanted.requests ||
                         ask.required_node != wanted.required_node ||
                         ask.tolerates_unschedulable != wanted.tolerates_unschedulable;
    ask.priority = wanted.priority;
    ask.requests = wanted.requests;
    ask.required_node = wanted.required_node;
    ask.tolerates_unschedulable = wanted.tolerates_unschedulable;
    for (const auto& [kind, amount] : ask.requests) {
        kinds_.insert(kind);
    }
    if (!wanted.node.empty()) {
        place(ask, wanted.node, AskState::allocated);
    } else if (changed && ask.state == AskState::unschedulable) {
        wake(ask);
    }
    return "";
}

std::string Oracle::add_ask(const std::string& name, Ask wanted) {
    Shim& shim = shims_.at(name);
    if (shim.asks.size() >= options_.asks_max) {
        return "more than " + std::to_string(options_.asks_max) + " asks";
    }
    if (wanted.node.empty() && wanted.foreign) {
        return "foreign pod without a node";
    }
    wanted.sequence = ++last_sequence_;
    wanted.group_number = group_number(wanted);
    const std::string node = wanted.node;
    wanted.node.clear();
    for (const auto& [kind, amount] : wanted.requests) {
        kinds_.insert(kind);
    }
    shim.asks[wanted.key] = wanted.sequence;
    Ask& ask = asks_[wanted.sequence] = wanted;
    if (!node.empty()) {
        place(ask, node, AskState::allocated);
    }
    return "";
}

// A group lives as long as one of its asks does; all of them carry its number.
std::uint64_t Oracle::group_number(const Ask& ask) const {
    for (const auto& [sequence, other] : asks_) {
        if (!ask.group.empty() && other.shim == ask.shim && other.application == ask.application &&
            other.group == ask.group) {
            return other.group_number;
        }
    }
    return ask.sequence;
}

void Oracle::place(Ask& ask, const std::string& node_name, AskState state) {
    Node& node = nodes_.at(node_name);
    Amounts& sums = ask.foreign ? node.foreign : node.used;
    for (const auto& [kind, amount] : ask.requests) {
        sums[kind] += amount;
    }
    ask.node = node_name;
    ask.state = state;
}

void Oracle::leave_node(Ask& ask) {
    Node& node = nodes_.at(ask.node);
    Amounts& sums = ask.foreign ? node.foreign : node.used;
    for (const auto& [kind, amount] : ask.requests) {
        sums[kind] -= amount;
    }
    ask.node.clear();
    ask.allocated_decision = 0;
}

// The ask goes, with its allocation if it has one; the end of an allocation wakes unless told
// otherwise.
void Oracle::end_ask(std::uint64_t sequence, bool wakes) {
    Ask& ask = asks_.at(sequence);
    const bool placed = !ask.node.empty();
    if (placed) {
        leave_node(ask);
    }
    shims_.at(ask.shim).asks.erase(ask.key);
    asks_.erase(sequence);
    if (placed && wakes) {
        wake(Event::allocation_ended);
    }
}

void Oracle::end_asks_of_application(const std::string& shim, const std::string& application) {
    std::vector<std::uint64_t> going;
    for (const auto& [sequence, ask] : asks_) {
        if (ask.shim == shim && ask.application == application) {
            going.push_back(sequence);
        }
    }
    for (const std::uint64_t sequence : going) {
        end_ask(sequence, true);
    }
}

void Oracle::count_failure(Ask& ask) {
    ask.failures += 1;
    std::int64_t wait = options_.backoff_initial_ns;
    for (std::uint64_t doubled = 1; doubled < ask.failures && wait < options_.backoff_max_ns;
         ++doubled) {
        wait = wait > std::numeric_limits<std::int64_t>::max() / 2 ? options_.backoff_max_ns
                                                                   : wait * 2;
    }
    ask.backoff_until = now_ + std::min(wait, options_.backoff_max_ns);
}

void Oracle::wake(Ask& ask) {
    ask.state = ask.backoff_until > now_ ? AskState::backoff : AskState::pending;
    ask.failed_by.clear();
    ++woken_;
}

// The table of section 6, row by row.
void Oracle::wake(Event event) {
    std::set<FailedBy> wakes;
    switch (event) {
    case Event::node_created:
        wakes = {FailedBy::unschedulable, FailedBy::name, FailedBy::resources, FailedBy::no_nodes};
        break;
    case Event::node_updated: wakes = {FailedBy::resources}; break;
    case Event::node_stated_again: wakes = {FailedBy::unschedulable, FailedBy::resources}; break;
    case Event::hold_gone: wakes = {FailedBy::resources}; break;
    case Event::node_undrained: wakes = {FailedBy::unschedulable}; break;
    case Event::allocation_ended: wakes = {FailedBy::resources}; break;
    }
    for (auto& [sequence, ask] : asks_) {
        bool meant = false;
        for (const FailedBy failed : ask.failed_by) {
            meant = meant || wakes.contains(failed);
        }
        if (ask.state == AskState::unschedulable && meant) {
            wake(ask);
        }
    }
}

}  // namespace bayplan::oracle
