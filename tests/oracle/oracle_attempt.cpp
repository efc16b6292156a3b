// An attempt, naively: every node filtered and scored for one ask. RULES.md, section 5.
//
// Thread and errors: see oracle.h.
#include <algorithm>
#include <stdexcept>
#include <tuple>

#include "oracle.h"

namespace bayplan::oracle {

namespace {

std::int64_t of(const Amounts& amounts, const std::string& kind) {
    const auto found = amounts.find(kind);
    return found == amounts.end() ? 0 : found->second;
}

}  // namespace

std::uint64_t Oracle::run(std::uint64_t attempts_max) {
    std::uint64_t made = 0;
    while (made < attempts_max) {
        const Ask* ask = next_ask();
        if (ask == nullptr) {
            break;
        }
        attempt(asks_.at(ask->sequence));
        ++made;
    }
    return made;
}

const Ask* Oracle::next_ask() const {
    std::map<std::string, bool> credit;
    for (const auto& [name, shim] : shims_) {
        if (shim.resync_open) {
            return nullptr;
        }
        credit[name] = has_credit(shim);
    }
    // Smaller goes first. Negation in 64 bits: the lowest priority has no negative in 32.
    const auto rank = [](const Ask& ask) {
        return std::tuple(-std::int64_t{ask.priority}, ask.group_number, ask.sequence);
    };
    const Ask* first = nullptr;
    for (const auto& [sequence, ask] : asks_) {
        if (ask.state == AskState::pending && credit.at(ask.shim) &&
            (first == nullptr || rank(ask) < rank(*first))) {
            first = &ask;
        }
    }
    return first;
}

void Oracle::attempt(Ask& ask) {
    ++attempts_;
    ask.failed_by.clear();
    std::map<std::string, std::uint64_t> reasons;
    const Node* best = nullptr;
    std::int64_t best_score = 0;
    for (const auto& [name, node] : nodes_) {
        const std::vector<std::string> why_not = filter(ask, node, ask.failed_by);
        for (const std::string& reason : why_not) {
            reasons[reason] += 1;
        }
        if (!why_not.empty()) {
            continue;
        }
        const std::int64_t node_score = score(ask, node);
        if (best == nullptr || node_score > best_score ||
            (node_score == best_score && node.slot < best->slot)) {
            best = &node;
            best_score = node_score;
        }
    }
    if (best == nullptr) {
        fail(ask, reasons);
        return;
    }
    ask.failed_by.clear();
    ++placed_;
    check_fit(ask, *best);
    place(ask, best->name, AskState::unacknowledged);
    log_line("place", ask, best->name, "-");
    ask.allocated_decision = decide(ask.shim, DecisionKind::allocated, ask.key, "", best->name);
}

void Oracle::fail(Ask& ask, const std::map<std::string, std::uint64_t>& reasons) {
    ++failed_;
    std::string text = "no nodes available to schedule pods";
    if (nodes_.empty()) {
        ask.failed_by.insert(FailedBy::no_nodes);
    } else {
        std::vector<std::string> parts;
        for (const auto& [reason, count] : reasons) {
            parts.push_back(std::to_string(count) + " " + reason);
        }
        std::sort(parts.begin(), parts.end());
        text = "0/" + std::to_string(nodes_.size()) + " nodes are available: ";
        for (std::size_t i = 0; i < parts.size(); ++i) {
            text += (i == 0 ? "" : ", ") + parts[i];
        }
        text += ".";
    }
    count_failure(ask);
    ask.state = AskState::unschedulable;
    log_line("fail", ask, "-", text);
    if (ask.failures == 1) {
        decide(ask.shim, DecisionKind::ask_waiting, ask.key, text);
    }
}

// The reasons of the first predicate that fails the node; none when it is feasible.
std::vector<std::string> Oracle::filter(const Ask& ask, const Node& node,
                                        std::set<FailedBy>& failed_by) const {
    if (!node.schedulable && !ask.tolerates_unschedulable) {
        failed_by.insert(FailedBy::unschedulable);
        return {"node(s) were unschedulable"};
    }
    if (!ask.required_node.empty() && ask.required_node != node.name) {
        failed_by.insert(FailedBy::name);
        return {"node(s) didn't match the requested node name"};
    }
    std::vector<std::string> reasons;
    for (const auto& [kind, amount] : ask.requests) {
        if (free_for(ask, node, kind) < amount) {
            failed_by.insert(FailedBy::resources);
            reasons.push_back(kind == "pods" ? "Too many pods" : "Insufficient " + kind);
        }
    }
    return reasons;
}

std::int64_t Oracle::free_for(const Ask& ask, const Node& node, const std::string& kind) const {
    std::int64_t free = of(node.capacity, kind) - of(node.used, kind) - of(node.foreign, kind);
    for (const auto& [owner, hold] : holds_) {
        if (hold.node == node.name && ask.priority < hold.kept_from_below) {
            free -= of(hold.amounts, kind);
        }
    }
    return free;
}

std::int64_t Oracle::score(const Ask& ask, const Node& node) const {
    std::int64_t sum = 0;
    std::int64_t kinds = 0;
    for (const std::string kind : {"cpu", "memory"}) {
        const std::int64_t capacity = of(node.capacity, kind);
        if (capacity <= 0) {
            continue;
        }
        const std::int64_t used =
            of(node.used, kind) + of(node.foreign, kind) + of(ask.requests, kind);
        if (options_.score == ScorePolicy::least_allocated) {
            sum += used > capacity ? 0 : (capacity - used) * 100 / capacity;
        } else {
            sum += std::min(used, capacity) * 100 / capacity;
        }
        kinds += 1;
    }
    return kinds == 0 ? 0 : sum / kinds;
}

// Law 3 at the moment of the commit; later the capacity may shrink below use.
void Oracle::check_fit(const Ask& ask, const Node& node) {
    for (const auto& [kind, amount] : ask.requests) {
        if (of(node.used, kind) + of(node.foreign, kind) + amount > of(node.capacity, kind)) {
            broken_at_commit_.push_back("law 3: " + ask.key + " exceeds " + kind + " of " +
                                        node.name);
        }
    }
}

}  // namespace bayplan::oracle
