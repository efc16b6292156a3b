// Deltas of asks that wait: their states, the lists in which they wait, their failures. See commit.h.

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "commit/commit.h"

namespace bayplan {

void Commit::end_waiting(AskId id, AskEvent event) {
    Ask& ask = tables_.asks[id];
    const AskState before = ask.state;
    change_state(ask, event);
    const std::uint32_t waiting = tables_.asks.take_waiting(id, 0);
    taken_waitings_.push_back(waiting);
    log_.note({.kind = Kind::ended_waiting, .state = before, .ask = id, .number = waiting});
}

void Commit::confirm(AskId id, AskEvent event) {
    Ask& ask = tables_.asks[id];
    const AskState before = ask.state;
    change_state(ask, event);
    log_.note({.kind = Kind::confirmed, .state = before, .ask = id});
}

void Commit::begin_waiting(AskId id) {
    const Ask& ask = tables_.asks[id];
    const std::uint32_t decision = ask.waiting_or_decision;
    const bool grouped = is_plain_group(ask.group);
    tables_.asks.begin_waiting(
        id, grouped ? tables_.applications[ask.application].groups[ask.group].number : std::uint64_t{ask.sequence});
    log_.note({.kind = Kind::began_waiting, .ask = id, .number = decision});
}

// --- lists

std::uint64_t Commit::leave_list(AskId id, AskState state) {
    switch (state) {
        case AskState::pending: tables_.order.remove(id); break;
        case AskState::selected: tables_.pipeline.forget_selected(id); break;
        case AskState::backoff: (tables_.asks.waiting(id).nacked ? tables_.nacked : tables_.backoff).remove(id); break;
        case AskState::unschedulable: return tables_.unschedulable.remove(id);
        default: break;
    }
    return 0;
}

void Commit::enter_list(AskId id, AskState state) {
    switch (state) {
        case AskState::pending: tables_.order.insert(id); break;
        case AskState::selected: tables_.pipeline.remember_selected(id); break;
        case AskState::backoff: (tables_.asks.waiting(id).nacked ? tables_.nacked : tables_.backoff).insert(id); break;
        case AskState::unschedulable: tables_.unschedulable.insert(id); break;
        default: break;
    }
    if (state == AskState::gated) {
        tables_.order.ask_leaves(id);
    } else if ((state == AskState::backoff || state == AskState::unschedulable || state == AskState::reserved ||
                state == AskState::asking) &&
               !tables_.asks[id].foreign) {
        tables_.order.ask_waits(id);
    }
}

void Commit::withdraw(AskId id) {
    const AskState state = tables_.asks[id].state;
    std::uint64_t entry = 0;
    if (state == AskState::awaiting_node) {
        keep(awaited_, AwaitedNode{std::string(tables_.awaited_nodes.node_of(id)), tables_.devices.expected(id)});
        tables_.awaited_nodes.remove(id);
    } else {
        entry = leave_list(id, state);
    }
    log_.note({.kind = Kind::withdrew, .ask = id, .value = static_cast<std::int64_t>(entry)});
}

void Commit::join(AskId id, AskEvent event) {
    Ask& ask = tables_.asks[id];
    const AskState before = ask.state;
    const AskState state = change_state(ask, event);
    Waiting& waiting = tables_.asks.waiting(id);
    const bool nacked = waiting.nacked;
    waiting.nacked = nacked && state != AskState::pending;
    enter_list(id, state);
    log_.note({.kind = Kind::joined, .state = before, .nacked = nacked, .ask = id});
}

void Commit::queue(Element element) {
    for (const AskId id : element) {
        Ask& ask = tables_.asks[id];
        Waiting& waiting = tables_.asks.waiting(id);
        log_.note({.kind = Kind::joined, .state = ask.state, .nacked = waiting.nacked, .ask = id});
        change_state(ask, AskEvent::restate);
        waiting.nacked = false;
    }
    tables_.order.insert(element);
}

void Commit::await_node(AskId id, std::string_view node, std::string_view stated_devices) {
    Ask& ask = tables_.asks[id];
    const AskState before = ask.state;
    change_state(ask, AskEvent::await_node);
    tables_.order.ask_leaves(id);
    tables_.devices.expect(id, stated_devices);
    tables_.awaited_nodes.insert(id, node);
    log_.note({.kind = Kind::awaited, .state = before, .ask = id});
}

void Commit::count_failure(AskId id, std::uint32_t failed_predicates, std::int64_t backoff_until_ns, bool nacked) {
    Ask& ask = tables_.asks[id];
    Waiting& waiting = tables_.asks.waiting(id);
    log_.note({.kind = Kind::failure_counted,
               .bits = static_cast<std::uint8_t>(ask.failures),
               .nacked = waiting.nacked,
               .ask = id,
               .number = waiting.failed_predicates,
               .value = waiting.backoff_until_ns});
    ask.failures = std::min(ask.failures + 1u, kFailuresMax);
    waiting.failed_predicates = failed_predicates;
    waiting.backoff_until_ns = backoff_until_ns;
    waiting.nacked = nacked;
}

// --- charges

void Commit::charge(AskId id) {
    tables_.order.charge(id);
    log_.note({.kind = Kind::charged, .ask = id});
}

void Commit::refund(AskId id) {
    const bool was_placed = tables_.order.is_placed(id);
    tables_.order.refund(id);
    log_.note({.kind = Kind::refunded, .bits = was_placed, .ask = id});
}

// --- undoing

void Commit::undo_waiting(const Delta& delta) {
    Ask& ask = tables_.asks[delta.ask];
    switch (delta.kind) {
        case Kind::ended_waiting:
            restore_state(ask, delta.state);
            ask.waiting_or_decision = delta.number;
            taken_waitings_.pop_back();
            break;
        case Kind::confirmed: restore_state(ask, delta.state); break;
        case Kind::began_waiting: tables_.asks.free_waiting(tables_.asks.take_waiting(delta.ask, delta.number)); break;
        case Kind::withdrew:
            if (ask.state == AskState::awaiting_node) {
                tables_.devices.expect(delta.ask, awaited_.back().devices);
                tables_.awaited_nodes.insert(delta.ask, awaited_.back().node);
                awaited_.pop_back();
            } else if (ask.state == AskState::unschedulable) {
                tables_.unschedulable.put_back(delta.ask, static_cast<std::uint64_t>(delta.value));
            } else {
                enter_list(delta.ask, ask.state);
            }
            break;
        case Kind::joined:
            leave_list(delta.ask, ask.state);
            restore_state(ask, delta.state);
            tables_.asks.waiting(delta.ask).nacked = delta.nacked;
            break;
        case Kind::awaited:
            tables_.devices.expected(delta.ask);
            tables_.awaited_nodes.remove(delta.ask);
            restore_state(ask, delta.state);
            break;
        case Kind::failure_counted: {
            Waiting& waiting = tables_.asks.waiting(delta.ask);
            ask.failures = delta.bits;
            waiting.nacked = delta.nacked;
            waiting.failed_predicates = delta.number;
            waiting.backoff_until_ns = delta.value;
            break;
        }
        case Kind::charged: tables_.order.refund(delta.ask); break;
        case Kind::refunded:
            tables_.order.charge(delta.ask);
            if (delta.bits != 0) {
                tables_.order.ask_placed(delta.ask);
            }
            break;
        default: BP_CHECK(false);
    }
}

}  // namespace bayplan
