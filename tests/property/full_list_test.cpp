// A node takes so many reservations of DaemonSet pods and no more. A pod that came too late for that is tried again when one of
// them has become a placement.
#include <gtest/gtest.h>

#include "lockstep.h"

namespace bayplan::property {
namespace {

TEST(FullList, a_daemon_pod_that_found_no_room_in_it_is_woken_by_a_placement) {
    enum Text : DictId { kCpuKind = 1, kJobName, kItsNode };
    EngineOptions options;
    options.executor = ExecutorKind::inline_;
    options.preemption.daemonset.of_node_max = 1;
    Lockstep lockstep(options);
    const auto step = [&](const Event& event) { ASSERT_EQ(lockstep.step(event), ""); };
    const auto send = [&](oracle::OwnedBody body) { step(StateEvent{"s", 0, false, std::move(body)}); };
    const auto daemon = [&](const std::string& key, std::int64_t cpu) {
        oracle::OwnedAsk ask{
            .key = key, .application = kJobName, .required_node = kItsNode, .requests = {{kCpuKind, cpu}}};
        ask.daemonset = true;
        send(oracle::OwnedAsks{{ask}});
        step(RunEvent{100});
    };
    step(ConnectEvent{"s", 1, true, Received::last, 0});
    send(oracle::OwnedDefine{{{kCpuKind, "cpu"}, {kJobName, "job"}, {kItsNode, "n"}}});
    send(oracle::OwnedResyncBegin{});
    send(oracle::OwnedApplications{{{kJobName, 0, 0}}, {}});
    send(oracle::OwnedNodes{{{kItsNode, NodeAction::create, {{kCpuKind, 4}}}}});
    send(oracle::OwnedAsks{{{.key = "runs", .application = kJobName, .node = kItsNode, .requests = {{kCpuKind, 2}}},
                            {.key = "ends", .application = kJobName, .node = kItsNode, .requests = {{kCpuKind, 1}}}}});
    send(oracle::OwnedResyncEnd{});
    daemon("first", 2);
    ASSERT_EQ(lockstep.oracle().ask_state("s", "first"), "reserved");
    daemon("late", 2);
    ASSERT_EQ(lockstep.oracle().ask_state("s", "late"), "unschedulable");

    send(oracle::OwnedReleases{{{"ends", 0}}});
    step(TickEvent{100'000 * kMs});
    step(RunEvent{100});
    EXPECT_EQ(lockstep.oracle().ask_state("s", "first"), "unacknowledged");
    EXPECT_EQ(lockstep.oracle().ask_state("s", "late"), "reserved");
}

}  // namespace
}  // namespace bayplan::property
