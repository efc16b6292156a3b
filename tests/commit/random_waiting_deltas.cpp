// Steps of asks that wait: they fail, are woken, gated, or await a node. See random_deltas.h.

#include "random_deltas.h"

#include <algorithm>

namespace bayplan::testing {

bool RandomDeltas::fail() {
    const AskId id = any([&](AskId ask, const Ask&) { return in_hand(ask); });
    if (id == kNone<AskId>) {
        return false;
    }
    commit_.refund(id);
    commit_.count_failure(id, static_cast<std::uint32_t>(random_.below(8)), world_.now_ns + random_.between(0, 100),
                          false);
    commit_.join(id, AskEvent::fail);
    return true;
}

bool RandomDeltas::wake() {
    const std::vector<AskId> of_gangs = commit_.withdraw_unschedulable_of_gangs([](std::uint32_t) { return true; });
    std::ranges::for_each(of_gangs, [&](AskId id) { commit_.join(id, AskEvent::wake); });
    const AskId id = any([](AskId, const Ask& one) { return one.state == AskState::unschedulable; });
    if (id != kNone<AskId>) {
        commit_.withdraw(id);
        commit_.join(id, random_.chance(50) ? AskEvent::wake : AskEvent::wake_early);
    }
    return id != kNone<AskId> || !of_gangs.empty();
}

bool RandomDeltas::await() {
    const AskId id = any_waiting();
    if (id == kNone<AskId>) {
        return false;
    }
    commit_.withdraw(id);
    commit_.drop_reservation(id);
    commit_.drop_nomination(id);
    commit_.await_node(id, random_.chance(50) ? "never stated" : "never stated either",
                       random_.chance(50) ? "gpu=0" : "");
    return true;
}

// An ask that came with devices waits for another node, with none.
bool RandomDeltas::await_another() {
    const AskId id = any([&](AskId ask, const Ask& one) {
        return one.state == AskState::awaiting_node && !world_.devices.expects(ask).empty();
    });
    if (id == kNone<AskId>) {
        return false;
    }
    commit_.withdraw(id);
    commit_.await_node(id, "never stated at all", "");
    return true;
}

bool RandomDeltas::gate() {
    const AskId id = any([&](AskId ask, const Ask& one) {
        return !one.foreign && !in_hand(ask) && !is_on_node(one.state) && one.state != AskState::awaiting_node &&
               one.state != AskState::reserved && one.state != AskState::asking;
    });
    if (id == kNone<AskId>) {
        return false;
    }
    commit_.withdraw(id);
    commit_.join(id, random_.chance(50) ? AskEvent::gate : AskEvent::restate);
    return true;
}

}  // namespace bayplan::testing
