// A DaemonSet's rollout over full nodes: victims that the workers look for ahead are the same as those found one by one,
// also where a node changes after its victims were looked for and before they are told.
#include <gtest/gtest.h>

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/engine.h"
#include "harness.h"

namespace bayplan::testing {
namespace {

constexpr int kNodes = 100;

struct Rollout {
    explicit Rollout(VictimPath path, std::uint32_t workers) {
        EngineOptions options;
        options.executor = ExecutorKind::inline_;
        options.victim_path = path;
        options.victim_workers = workers;
        engine.emplace(options, sink);
        shim.emplace(*engine, "s");
        shim->application("app");
        for (int node = 0; node < kNodes; ++node) {
            const std::string name = "n" + std::to_string(node);
            shim->node(name, {{"cpu", 4000}, {"pods", 110}});
            for (int pod = 0; pod < 4; ++pod) state("low-" + name + "-" + std::to_string(pod), 1000, name, false);
        }
        for (int node = 0; node < kNodes; ++node) {
            state("daemon-" + std::to_string(node), 1500, "n" + std::to_string(node), true);
        }
        while (engine->run(100) > 0) {
        }
        engine->apply(Tick{DaemonsetOptions().delay_ns});
    }

    void state(const std::string& key, std::int64_t cpu, const std::string& node, bool daemon,
               std::int32_t priority = 0) {
        const std::vector<Amount> amounts = {{shim->id("cpu"), cpu}, {shim->id("pods"), 1}};
        AskItem item;
        item.key = key;
        item.application = shim->id("app");
        item.priority = daemon ? 10 : priority;
        (daemon ? item.required_node : item.node) = shim->id(node);
        item.daemonset = daemon;
        item.requests = amounts;
        shim->send(AsksMessage{std::span(&item, 1)});
    }

    // One is told its victims; then pods of a node behind it go, which its own victims would have been.
    void change_between() {
        EXPECT_EQ(engine->run(1), 1u);
        shim->release("low-n7-0");
        shim->release("low-n7-1");
        state("another", 500, "n8", false);
        // As much as before is missing there, of others.
        shim->release("low-n5-0");
        state("above-n5", 1000, "n5", false, 50);
        while (engine->run(100) > 0) {
        }
        engine->settle();
    }

    KeepingSink sink;
    std::optional<Engine> engine;
    std::optional<TestShim> shim;
};

TEST(VictimsAhead, AreThoseFoundOneByOneThoughNodesChangeBetween) {
    Rollout one_by_one(VictimPath::inline_, 0);
    one_by_one.change_between();
    EXPECT_EQ(one_by_one.engine->counters().reservations_together, 0u);
    EXPECT_EQ(one_by_one.engine->counters().reservations_preempted, std::uint64_t{kNodes - 1});
    for (const VictimPath path : {VictimPath::automatic, VictimPath::workers}) {
        Rollout ahead(path, 2);
        ahead.change_between();
        EXPECT_EQ(ahead.sink.log, one_by_one.sink.log);
        EXPECT_EQ(ahead.engine->digest(), one_by_one.engine->digest());
        EXPECT_GE(ahead.engine->counters().reservations_together, 2u);
    }
}

TEST(VictimsAhead, EachStepThatEndsALookIsCounted) {
    Rollout rollout(VictimPath::automatic, 1);
    const EngineCounters before = rollout.engine->counters();
    EXPECT_EQ(before.reservations, std::uint64_t{kNodes});
    EXPECT_EQ(before.reservations_made, std::uint64_t{kNodes});
    EXPECT_GE(before.reservation_looks_delay, std::uint64_t{kNodes});
    EXPECT_EQ(before.reservations_preempted, 0u);
    while (rollout.engine->run(100) > 0) {
    }
    const EngineCounters after = rollout.engine->counters();
    EXPECT_EQ(after.reservations_preempted, std::uint64_t{kNodes});
    EXPECT_EQ(after.reservation_victims, std::uint64_t{2 * kNodes});
    EXPECT_GE(after.reservation_looks_pending, std::uint64_t{kNodes});
    EXPECT_EQ(after.reservation_looks_nothing_found, 0u);
}

}  // namespace
}  // namespace bayplan::testing
