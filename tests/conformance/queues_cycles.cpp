// Scheduling cycles of a case: one decision each. Nodes that are kept for an ask are YuniKorn's reservations.
#include <limits>

#include "queues_run.h"

namespace bayplan::conformance {

json::array QueuesRun::schedule(const json::object& step) {
    const json::value& cycles = member(step, "cycles");
    const std::int64_t most =
        cycles.is_string() ? std::numeric_limits<std::int64_t>::max() : cycles.to_number<std::int64_t>();
    json::array order;
    for (std::int64_t count = 0; count < most; ++count) {
        const std::optional<std::string> decided = cycle();
        if (!decided) break;
        if (!decided->empty()) order.emplace_back(*decided);
        if (reservations_) put_back();
    }
    return order;
}

// An ask that was allocated, "" for a reservation, none where nothing happens.
std::optional<std::string> QueuesRun::cycle() {
    if (std::optional<std::string> reserved = try_reserved()) return reserved;
    for (;;) {
        const AskId number = tree_.take();
        if (number == kNone<AskId>) return std::nullopt;
        Ask& ask = asks_.at(by_number_.at(number));
        if (std::optional<std::string> decided = try_ask(ask)) return decided;
        tree_.give_back(number);
        failed_.push_back(ask.id);
    }
}

std::optional<std::string> QueuesRun::try_reserved() {
    for (const bool elsewhere : {false, true}) {
        for (auto& [id, ask] : asks_) {
            if (ask.reserved.empty() || !tree_.lacking(ask.number).empty()) continue;
            if (elsewhere && !ask.required_node.empty()) continue;
            const std::string node = elsewhere ? nodes_.find(ask.resources, policy_) : ask.reserved;
            if (node.empty() || !nodes_.fits(node, ask.resources)) continue;
            unreserve(ask);
            tree_.remove(ask.number);
            tree_.restore(ask.number);
            allocate(ask, node);
            return id;
        }
    }
    return std::nullopt;
}

// Of an ask that was taken.
std::optional<std::string> QueuesRun::try_ask(Ask& ask) {
    if (!ask.reserved.empty()) return std::nullopt;
    std::string node;
    if (ask.required_node.empty()) {
        node = nodes_.find(ask.resources, policy_);
    } else {
        if (!nodes_.all.contains(ask.required_node)) return std::nullopt;
        for (auto& [id, other] : asks_) {
            if (other.reserved == ask.required_node && other.required_node.empty()) unreserve(other);
        }
        if (nodes_.fits(ask.required_node, ask.resources)) node = ask.required_node;
    }
    if (!node.empty()) {
        tree_.placed(ask.number);
        allocate(ask, node);
        return ask.id;
    }
    if (!reservations_) return std::nullopt;
    node = ask.required_node.empty() ? nodes_.find_to_reserve(ask.resources, policy_) : ask.required_node;
    if (node.empty()) return std::nullopt;
    ask.reserved = node;
    nodes_.all.at(node).reserved_by = ask.id;
    tree_.give_back(ask.number);
    failed_.push_back(ask.id);
    return "";
}

void QueuesRun::unreserve(Ask& ask) {
    if (ask.reserved.empty()) return;
    const std::string node = std::exchange(ask.reserved, "");
    // Several asks that require a node may be kept room there.
    Node& kept = nodes_.all.at(node);
    kept.reserved_by.clear();
    for (const auto& [id, other] : asks_) {
        if (other.reserved == node) kept.reserved_by = id;
    }
}

void QueuesRun::allocate(Ask& ask, const std::string& node) {
    ask.node = node;
    nodes_.charge(node, ask.resources, +1);
}

void QueuesRun::put_back() {
    for (const std::string& id : std::exchange(failed_, {})) {
        const auto found = asks_.find(id);
        if (found != asks_.end() && found->second.node.empty()) tree_.insert(found->second.number);
    }
}

}  // namespace bayplan::conformance
