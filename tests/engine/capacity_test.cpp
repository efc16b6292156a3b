// A shrinking node, a stated pod and a foreign pod may go beyond the capacity, as a placement may not unless nobody looks at
// amounts; and that it shows.

#include <gtest/gtest.h>

#include "tests/engine/harness.h"

namespace bayplan {
namespace {

using testing::KeepingSink;
using testing::TestShim;

TEST(Capacity, shrunk_below_its_use_a_node_is_overcommitted_until_enough_has_gone) {
    KeepingSink sink;
    EngineOptions options;
    options.executor = ExecutorKind::inline_;
    Engine engine(options, sink);
    TestShim shim(engine, "s");
    shim.node("n1", {{"cpu", 100}});
    shim.application("app");
    shim.ask("a", "app", {{"cpu", 40}});
    shim.ask("b", "app", {{"cpu", 40}});
    engine.run(2);
    EXPECT_EQ(engine.counters().nodes_overcommitted, 0u);
    shim.node("n1", {{"cpu", 50}}, NodeAction::update);
    EXPECT_EQ(engine.counters().nodes_overcommitted, 1u);
    EXPECT_EQ(engine.counters().allocations, 2u) << "what runs stays";
    shim.ask("c", "app", {{"cpu", 1}});
    engine.run(1);
    EXPECT_EQ(engine.ask_state("s", "c"), "unschedulable");
    shim.release("a");
    EXPECT_EQ(engine.counters().nodes_overcommitted, 0u);
    engine.apply(Tick{2'000'000'000});
    engine.run(1);
    EXPECT_EQ(engine.ask_state("s", "c"), "unacknowledged");
    std::vector<std::string> broken;
    engine.audit(broken);
    EXPECT_TRUE(broken.empty());
}

TEST(Capacity, without_a_look_at_amounts_a_placement_may_go_beyond_the_capacity_and_that_shows) {
    KeepingSink sink;
    EngineOptions options;
    options.executor = ExecutorKind::inline_;
    options.predicates = {"NodeUnschedulable", "NodeName"};
    Engine engine(options, sink);
    TestShim shim(engine, "s");
    shim.node("n1", {{"cpu", 100}});
    shim.application("app");
    shim.ask("a", "app", {{"cpu", 60}});
    engine.run(1);
    EXPECT_EQ(engine.counters().nodes_overcommitted, 0u);
    shim.ask("b", "app", {{"cpu", 60}});
    engine.run(1);
    EXPECT_EQ(engine.ask_state("s", "b"), "unacknowledged");
    EXPECT_EQ(engine.counters().nodes_overcommitted, 1u);
    shim.release("a");
    EXPECT_EQ(engine.counters().nodes_overcommitted, 0u);
}

TEST(Capacity, a_lost_node_releases_its_allocations_towards_the_shim_in_order) {
    KeepingSink sink;
    EngineOptions options;
    options.executor = ExecutorKind::inline_;
    Engine engine(options, sink);
    TestShim shim(engine, "s");
    shim.node("n1", {{"cpu", 100}});
    shim.application("app");
    shim.ask("a", "app", {{"cpu", 40}}, 1);
    shim.ask("b", "app", {{"cpu", 40}}, 2);
    engine.run(2);
    shim.node("n1", {}, NodeAction::decommission);
    engine.flush();
    std::vector<std::string> released;
    for (const auto& decision : sink.kept[1]) {
        if (decision.kind == DecisionKind::released) {
            released.push_back(decision.name + ": " + decision.text);
        }
    }
    EXPECT_EQ(released, (std::vector<std::string>{"a: node n1 was decommissioned", "b: node n1 was decommissioned"}));
    EXPECT_EQ(engine.counters().nodes, 0u);
    EXPECT_EQ(engine.ask_state("s", "a"), "");
}

TEST(Why, an_ask_that_waits_says_what_for) {
    KeepingSink sink;
    EngineOptions options;
    options.executor = ExecutorKind::inline_;
    options.credit_window = 1;
    Engine engine(options, sink);
    TestShim shim(engine, "s");
    shim.node("n1", {{"cpu", 100}});
    shim.application("app");
    shim.ask("big", "app", {{"cpu", 500}}, 9);
    shim.ask("a", "app", {{"cpu", 1}});
    shim.ask("b", "app", {{"cpu", 1}});
    engine.run(10);
    std::string why;
    EXPECT_EQ(engine.ask_state("s", "big", &why), "unschedulable");
    EXPECT_EQ(why,
              "no node takes it: NodeResourcesFit; woken by: a node added, a node or its holds changed, "
              "a pod gone");
    EXPECT_EQ(engine.ask_state("s", "b", &why), "pending");
    EXPECT_EQ(why, "its shim has no credit left: it must acknowledge decisions first");
    shim.nack("a");
    EXPECT_EQ(engine.ask_state("s", "a", &why), "backoff");
    EXPECT_EQ(why, "waits until 1000000000 ns after 1 failures");
}

TEST(Early, a_shim_without_credit_keeps_no_other_from_being_tried_out_of_backoff) {
    KeepingSink sink;
    EngineOptions options;
    options.executor = ExecutorKind::inline_;
    options.credit_window = 1;
    Engine engine(options, sink);
    TestShim slow(engine, "slow", 1);
    TestShim other(engine, "other", 2);
    slow.node("n1", {{"cpu", 100}});
    slow.application("app");
    other.application("app");
    slow.ask("big", "app", {{"cpu", 500}}, 9);
    other.ask("other-big", "app", {{"cpu", 500}}, 8);
    slow.ask("small", "app", {{"cpu", 1}});
    engine.run(10);
    EXPECT_EQ(engine.ask_state("slow", "small"), "unacknowledged");
    slow.node("n2", {{"cpu", 600}});
    EXPECT_EQ(engine.ask_state("slow", "big"), "backoff");
    EXPECT_EQ(engine.ask_state("other", "other-big"), "backoff");
    ASSERT_TRUE(engine.has_work());
    engine.run(10);
    EXPECT_EQ(engine.ask_state("other", "other-big"), "unacknowledged") << "it waits for nobody's acknowledgements";
    EXPECT_EQ(engine.ask_state("slow", "big"), "backoff");
    EXPECT_FALSE(engine.has_work());
}

}  // namespace
}  // namespace bayplan
