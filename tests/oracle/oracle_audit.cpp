// The laws of rules/laws.md against a recount from the asks alone.
//
// Thread and errors: see oracle.h.
#include <algorithm>
#include <cstddef>

#include "oracle.h"

namespace bayplan::oracle {

namespace {

Amounts without_zeros(Amounts amounts) {
    std::erase_if(amounts, [](const auto& amount) { return amount.second == 0; });
    return amounts;
}

}  // namespace

std::vector<std::string> Oracle::audit() const {
    std::vector<std::string> broken = broken_at_commit_;
    audit_nodes(broken);
    audit_asks(broken);
    audit_shims(broken);
    return broken;
}

// R-LAW-2, and the slots of rules/world.md. R-LAW-5 is checked when victims are chosen.
void Oracle::audit_nodes(std::vector<std::string>& broken) const {
    std::map<std::uint64_t, std::string> group_of_block;
    std::set<std::uint64_t> slots;
    for (const auto& [name, node] : nodes_) {
        Amounts used;
        Amounts foreign;
        for (const auto& [sequence, ask] : asks_) {
            for (const auto& [kind, amount] : ask.requests) {
                if (ask.node == name) {
                    (ask.foreign ? foreign : used)[kind] += amount;
                }
            }
        }
        Amounts held;
        for (const auto& [owner, hold] : holds_) {
            add(hold.amounts, hold.node == name ? 1 : 0, held);
        }
        for (const Ask* ask : nominated_to(name)) {
            add(ask->requests, 1, held);
        }
        for (const Ask* ask : reservations_on(name)) {
            add(ask->requests, 1, held);
        }
        if (without_zeros(held) != without_zeros(node.held)) {
            broken.push_back("R-LAW-2: what is held on " + name + " is not the sum of its holds");
        }
        if (used != without_zeros(node.used) || foreign != without_zeros(node.foreign)) {
            broken.push_back("R-LAW-2: use of " + name + " is not the sum of its allocations");
        }
        if (!slots.insert(node.slot).second) {
            broken.push_back("slots: " + name + " shares its slot");
        }
        const auto [block, fresh] = group_of_block.emplace(node.slot / 64, node.slot_group);
        if (!fresh && block->second != node.slot_group) {
            broken.push_back("slots: " + name + " lies in a block of another group");
        }
    }
    for (const auto& [owner, hold] : holds_) {
        if (!nodes_.contains(hold.node)) {
            broken.push_back("R-LAW-2: hold " + std::to_string(owner) + " on a node that is gone");
        }
    }
}

// R-LAW-4. Its states exclude each other by construction; what can break is what goes with them.
void Oracle::audit_asks(std::vector<std::string>& broken) const {
    for (const auto& [sequence, ask] : asks_) {
        const bool placed = ask.state == AskState::unacknowledged || ask.state == AskState::allocated ||
                            ask.state == AskState::queried || ask.state == AskState::on_permit;
        if (placed != !ask.node.empty() || (placed && !nodes_.contains(ask.node))) {
            broken.push_back("R-LAW-4: " + ask.key + " is " + name_of(ask.state) + " on '" + ask.node + "'");
        }
        const bool waits = ask.state == AskState::waiting_for_node;
        if (waits != !ask.awaited_node.empty() || (waits && nodes_.contains(ask.awaited_node))) {
            broken.push_back("R-LAW-4: " + ask.key + " is " + name_of(ask.state) + ", waits for '" + ask.awaited_node +
                             "'");
        }
        if (ask.state == AskState::unschedulable && !has_reason(ask)) {
            broken.push_back("R-LAW-10: " + ask.key + " is unschedulable without a reason");
        }
        const bool reserved = ask.state == AskState::reserved;
        if (reserved == ask.reserved_node.empty() || (reserved && !nodes_.contains(ask.reserved_node))) {
            broken.push_back("R-LAW-4: " + ask.key + " is " + name_of(ask.state) + ", and has '" + ask.reserved_node +
                             "' reserved");
        }
        if (ask.state == AskState::on_permit && (ask.gang.empty() || !counts(gangs_.at(ask.gang), ask))) {
            broken.push_back("R-LAW-4: " + ask.key + " holds a node, and counts for no gang");
        }
        audit_nomination(ask, broken);
        audit_devices(ask, broken);
        const auto owner = shims_.find(ask.shim);
        if (owner == shims_.end() || !owner->second.asks.contains(ask.key) ||
            owner->second.asks.at(ask.key) != sequence) {
            broken.push_back("R-LAW-4: " + ask.key + " is not known to its shim");
        }
        if (!ask.application.empty() && owner != shims_.end() &&
            !owner->second.applications.contains(ask.application)) {
            broken.push_back("R-LAW-4: " + ask.key + " is of an application that is gone");
        }
    }
}

// R-LAW-10. An attempt of a gang may end at a member that has nodes left out, before it looks at the others.
bool Oracle::has_reason(const Ask& ask) const {
    const auto leaves_out = [&](const auto& other) {
        return other.second.gang == ask.gang && other.second.state == AskState::unschedulable &&
               !other.second.excluded.empty();
    };
    return !ask.failed_by.empty() || !ask.excluded.empty() ||
           (!ask.gang.empty() && std::ranges::any_of(asks_, leaves_out));
}

// A nomination is a waiting ask's, to a node that there is, and its victims are there.
void Oracle::audit_nomination(const Ask& ask, std::vector<std::string>& broken) const {
    const std::string& node = ask.nominated_node;
    if (!node.empty() && (!ask.node.empty() || !nodes_.contains(node))) {
        broken.push_back("R-LAW-4: " + ask.key + " is nominated to " + node + ", placed on '" + ask.node + "'");
    }
    for (const std::uint64_t victim : ask.victims) {
        if (!asks_.contains(victim) || asks_.at(victim).node != node) {
            broken.push_back("R-LAW-5: " + ask.key + " waits for a pod that is not on " + node);
        }
    }
    for (const auto& [pod, excluded] : ask.excluded) {
        if (!asks_.contains(pod) || asks_.at(pod).node != excluded) {
            broken.push_back("R-LAW-5: " + ask.key + " leaves out " + excluded + " for nothing");
        }
    }
}

// R-LAW-7: numbers without gaps, nothing kept that was acknowledged, nothing kept beyond the limit.
void Oracle::audit_shims(std::vector<std::string>& broken) const {
    std::size_t asks = 0;
    for (const auto& [name, shim] : shims_) {
        asks += shim.asks.size();
        std::uint64_t expected = shim.acknowledged;
        for (const NumberedDecision& decision : shim.kept) {
            if (decision.number != ++expected) {
                broken.push_back("R-LAW-7: decisions kept for " + name + " have a gap");
            }
        }
        if (!shim.must_resync && expected != shim.last_number) {
            broken.push_back("R-LAW-7: the last decision of " + name + " is not kept");
        }
        if (shim.kept.size() > options_.unacknowledged_max || (shim.must_resync && !shim.kept.empty())) {
            broken.push_back("R-LAW-7: too much is kept for " + name);
        }
        if (shim.must_resync && shim.connection) {
            broken.push_back("R-LAW-7: " + name + " must resync and is connected");
        }
    }
    if (asks != asks_.size()) {
        broken.push_back("R-LAW-4: shims know another number of asks");
    }
}

}  // namespace bayplan::oracle
