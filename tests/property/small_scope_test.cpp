// What is selected ahead must follow every change between two runs. Random histories meet the edges
// of a batch rarely; here every small case is tried: some asks, a few attempts, one change to one
// of the asks or around them, and the rest of the attempts.
#include <gtest/gtest.h>

#include "lockstep.h"
#include "suite.h"

namespace bayplan::property {
namespace {

enum class Change {
    lower_priority,
    raise_priority,
    other_requests,
    release,
    state_as_placed,
    require_a_node,
    new_ask_above,
    new_ask_below,
    drain_node,
    fill_node,
    more_capacity,
    nack_first,
    acknowledge,
    disconnect,
    hold,
    tick,
};
constexpr int kChanges = static_cast<int>(Change::tick) + 1;

constexpr DictId kCpu = 1;
constexpr DictId kNode = 2;
constexpr DictId kApplication = 3;

struct Case {
    int asks = 0;
    int low = 0;     // this ask has a low priority; none if it is `asks`
    int first = 0;   // attempts before the change
    int target = 0;  // the ask that changes
    Change change = Change::release;
    EngineOptions options;
};

std::string key(int ask) { return "p" + std::to_string(ask); }

oracle::OwnedAsk plain_ask(const Case& one, int ask) {
    return {.key = key(ask),
            .application = kApplication,
            .priority = ask == one.low ? 5 : 10,
            .requests = {{kCpu, 1}}};
}

oracle::OwnedNodes node(NodeAction action, std::int64_t cpu) {
    return {{{kNode, action, {{kCpu, cpu}}}}};
}

Event changed(const Case& one) {
    StateEvent event{"s", 0, false, {}};
    oracle::OwnedAsk ask = plain_ask(one, one.target);
    switch (one.change) {
    case Change::lower_priority: ask.priority = 1; break;
    case Change::raise_priority: ask.priority = 20; break;
    case Change::other_requests: ask.requests[0].value = 2; break;
    case Change::state_as_placed: ask.node = kNode; break;
    case Change::require_a_node: ask.required_node = kApplication; break;
    case Change::new_ask_above:
        ask.key = "new";
        ask.priority = 15;
        break;
    case Change::new_ask_below:
        ask.key = "new";
        ask.priority = 0;
        break;
    case Change::fill_node:
        ask = {.key = "f", .node = kNode, .foreign = true, .requests = {{kCpu, 2}}};
        break;
    case Change::release: event.body = oracle::OwnedReleases{{{key(one.target), 0}}}; return event;
    case Change::nack_first: event.body = oracle::OwnedNacks{{key(one.target)}}; return event;
    case Change::drain_node: event.body = node(NodeAction::drain, 0); return event;
    case Change::more_capacity: event.body = node(NodeAction::update, 9); return event;
    case Change::acknowledge: return AcknowledgeEvent{"s", 1000, 0, false};
    case Change::disconnect: return DisconnectEvent{"s", false};
    case Change::hold: return HoldEvent{1, "n", 8, {{"cpu", 2}}};
    case Change::tick: return TickEvent{2'000'000'000};
    }
    event.body = oracle::OwnedAsks{{ask}};
    return event;
}

History history_of(const Case& one) {
    History history{0, one.options, {}};
    const auto send = [&](oracle::OwnedBody body) {
        history.events.push_back(StateEvent{"s", 0, false, std::move(body)});
    };
    history.events.push_back(ConnectEvent{"s", 1, true, Received::last, 0});
    send(oracle::OwnedDefine{{{kCpu, "cpu"}, {kNode, "n"}, {kApplication, "a"}}});
    send(oracle::OwnedResyncBegin{});
    send(oracle::OwnedApplications{{{kApplication, 0, 0}}, {}});
    send(node(NodeAction::create, 3));
    send(oracle::OwnedResyncEnd{});
    oracle::OwnedAsks asks;
    for (int ask = 0; ask < one.asks; ++ask) {
        asks.asks.push_back(plain_ask(one, ask));
    }
    send(asks);
    history.events.push_back(RunEvent{static_cast<std::uint64_t>(one.first)});
    history.events.push_back(changed(one));
    history.events.push_back(RunEvent{1});
    history.events.push_back(RunEvent{100});
    return history;
}

template <typename Try>
void for_each_case(Try attempt) {
    for (const std::uint32_t batch : {1, 2, 3, 4}) {
        for (const std::uint32_t depth : {1, 2}) {
            for (const BatchPath path : {BatchPath::inline_, BatchPath::graph}) {
                for (const std::uint32_t credit : {2U, 4U, 100U}) {
                    for (const int asks : {3, 5}) {
                        for (int mixed = 0; mixed < asks * asks * (asks + 1) * kChanges; ++mixed) {
                            Case one;
                            one.asks = asks;
                            one.target = mixed % asks;
                            one.first = mixed / asks % asks;
                            one.low = mixed / asks / asks % (asks + 1);
                            one.change = static_cast<Change>(mixed / asks / asks / (asks + 1));
                            one.options.executor = ExecutorKind::inline_;
                            one.options.batch = batch;
                            one.options.depth = depth;
                            one.options.path = path;
                            one.options.credit_window = credit;
                            attempt(one);
                        }
                    }
                }
            }
        }
    }
}

TEST(SmallScope, EveryChangeBetweenTwoRunsIsSeen) {
    const std::uint64_t stride = Suite::slowdown();
    std::uint64_t number = 0;
    int failures = 0;
    for_each_case([&](const Case& one) {
        if (failures >= 3 || ++number % stride != 0) {
            return;
        }
        const History history = history_of(one);
        const auto difference = first_difference(history);
        if (difference) {
            ADD_FAILURE() << "case " << number << "\n"
                          << to_text(history) << "at event " << difference->event << ": "
                          << difference->what;
            ++failures;
        }
    });
    EXPECT_GT(number, failures > 0 ? 0u : 100'000u);
}

}  // namespace
}  // namespace bayplan::property
