// A shim with a certificate that states many DaemonSet pods of one node: each would reserve it, and each is judged against
// all before it.
#include <gtest/gtest.h>

#include "tests/engine/harness.h"
#include "work.h"

namespace bayplan::attacks {
namespace {

EngineOptions options_of_reservations() {
    EngineOptions options;
    options.executor = ExecutorKind::inline_;
    options.preemption.daemonset.delay_ns = 0;
    return options;
}

// The work for so many DaemonSet pods of a node that is full of pods of higher priority.
std::uint64_t cost_of_daemon_pods(std::size_t pods) {
    testing::KeepingSink sink;
    Engine engine(options_of_reservations(), sink);
    testing::TestShim shim(engine, "shim");
    shim.application("app");
    shim.node("n", {{"cpu", 110'000}, {"pods", 10'000}});
    const auto state = [&](const std::string& key, std::int64_t cpu, bool daemonset) {
        const std::vector<Amount> amounts = {{shim.id("cpu"), cpu}, {shim.id("pods"), 1}};
        AskItem item;
        item.key = key;
        item.application = shim.id("app");
        item.priority = daemonset ? 0 : 5;
        item.node = daemonset ? 0 : shim.id("n");
        item.daemonset = daemonset;
        item.required_node = daemonset ? shim.id("n") : 0;
        item.requests = amounts;
        shim.send(AsksMessage{std::span(&item, 1)});
    };
    for (int pod = 0; pod < 110; ++pod) {
        state("r" + std::to_string(pod), 1'000, false);
    }
    const std::uint64_t before = work();
    for (std::size_t pod = 0; pod < pods; ++pod) {
        state("d" + std::to_string(pod), 2'000, true);
    }
    engine.apply(Tick{1'000'000'000});
    while (engine.run(1'000) > 0) {
    }
    EXPECT_EQ(engine.ask_state("shim", "d0"), "reserved");
    return work() - before;
}

TEST(Reservations, of_one_node_cost_no_more_than_their_number) {
    const std::uint64_t of_200 = cost_of_daemon_pods(200);
    const std::uint64_t of_400 = cost_of_daemon_pods(400);
    EXPECT_GT(of_200, 10'000u);  // the work is counted at all
    EXPECT_LT(of_400, 5 * of_200 / 2);
}

}  // namespace
}  // namespace bayplan::attacks
