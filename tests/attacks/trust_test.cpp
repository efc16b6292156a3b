// A second shim of a partition, with a certificate of its own and no rights, that would have more than its share: by
// priority, by pods that it says run on another's node, by another's objects, by queues without number.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/engine/harness.h"

namespace bayplan::attacks {
namespace {

using testing::KeepingSink;
using testing::TestShim;

EngineOptions options_of_trust() {
    EngineOptions options;
    options.executor = ExecutorKind::inline_;
    options.queues = true;
    options.made_queues_max = 20;
    options.shim_rights = {{"first", INT32_MAX, true, true}};
    return options;
}

class Trust : public ::testing::Test {
protected:
    Trust() {
        engine.apply(QueuesText{.partition = "default",
                                .text = "partitions:\n- name: default\n"
                                        "  placementrules: [{name: provided, create: true}]\n"
                                        "  queues: [{name: root, submitacl: '*'}]\n"});
        EXPECT_EQ(engine.queues_fault(), "");
        application(first, "app");
        application(second, "app");
        first.node("n", {{"cpu", 1'000}});
        second.node("own", {{"cpu", 1'000}});
        first.ask("a", "app", {{"cpu", 1'000}}, 0, "n");
        while (engine.run(100) > 0) {
        }
        EXPECT_EQ(engine.ask_state("first", "a"), "unacknowledged");
    }

    static void application(TestShim& shim, const std::string& name) {
        const ApplicationItem item{.application = shim.id(name), .queue = shim.id("q-" + name), .user = shim.id("ann")};
        shim.send(ApplicationsMessage{.add = std::span(&item, 1), .remove = {}});
    }
    // By its shim's word, the pod runs there.
    static void runs(TestShim& shim, const std::string& key, const std::string& node) {
        const Amount amount{shim.id("cpu"), 1'000};
        AskItem item;
        item.key = key;
        item.application = shim.id("app");
        item.node = shim.id(node);
        item.requests = std::span(&amount, 1);
        shim.send(AsksMessage{std::span(&item, 1)});
    }
    static void budget(TestShim& shim, bool removed) {
        PodBudget budget;
        budget.name = shim.id("budget");
        budget.name_space = shim.id("space");
        const ObjectItem item{.object = budget, .removed = removed};
        shim.send(ObjectsMessage{.objects = std::span(&item, 1)});
    }
    // How often the connection was told the text.
    std::ptrdiff_t told(ConnectionId connection, const std::string& text) {
        engine.flush();
        return std::ranges::count(sink.kept[connection], text, &KeepingSink::Kept::text);
    }

    KeepingSink sink;
    Engine engine{options_of_trust(), sink};
    TestShim first{engine, "first", 1};
    TestShim second{engine, "second", 2};
};

TEST_F(Trust, nobody_is_preempted_by_a_shim_that_states_a_priority_which_it_may_not_have) {
    second.ask("greedy", "app", {{"cpu", 1'000}}, 2'000'000'000, "n");
    while (engine.run(100) > 0) {
    }
    EXPECT_EQ(told(2, "priority 2000000000 is above 0"), 1);
    EXPECT_EQ(engine.ask_state("second", "greedy"), "");
    EXPECT_EQ(engine.ask_state("first", "a"), "unacknowledged");
}

TEST_F(Trust, no_pod_is_forced_onto_a_node_of_another_shim) {
    runs(second, "forced", "n");
    EXPECT_EQ(told(2, "node n is of another shim"), 1);
    EXPECT_EQ(engine.ask_state("second", "forced"), "");
    runs(second, "at-home", "own");
    EXPECT_EQ(engine.ask_state("second", "at-home"), "allocated");
    runs(first, "guest", "own");
    EXPECT_EQ(engine.ask_state("first", "guest"), "allocated") << "it has the right";
}

TEST_F(Trust, no_pod_waits_for_a_node_that_another_shim_then_states) {
    runs(second, "early", "later");
    runs(first, "owner", "later");
    EXPECT_EQ(engine.ask_state("second", "early"), "waiting_for_node");
    first.node("later", {{"cpu", 1'000}});
    EXPECT_EQ(told(2, "node later is of another shim"), 1);
    EXPECT_EQ(engine.ask_state("second", "early"), "");
    EXPECT_EQ(engine.ask_state("first", "owner"), "allocated");
}

TEST_F(Trust, objects_of_another_shim_stay) {
    budget(first, false);
    budget(second, true);
    budget(second, false);
    EXPECT_EQ(told(2, "is of another shim"), 2);
    budget(first, true);
    budget(second, false);
    EXPECT_EQ(told(2, "is of another shim"), 2) << "there is none any more";
    budget(first, true);
    EXPECT_EQ(told(1, "is of another shim"), 0) << "it has the right";
}

TEST_F(Trust, a_shim_has_no_more_queues_made_than_it_may) {
    const std::size_t before = engine.queues().size();
    for (int number = 0; number < 200; ++number) {
        application(second, "more" + std::to_string(number));
    }
    EXPECT_EQ(engine.queues().size(), before + 20);
    EXPECT_EQ(told(2, "more than 20 queues made"), 180);
    application(first, "another");
    EXPECT_EQ(engine.queues().size(), before + 21) << "others are not kept out";
}

// Of the second shim a queue keeps out what the queue does not take; nothing of it reaches the recovery queue.
TEST_F(Trust, no_application_is_forced_past_the_queues_by_a_shim_without_the_right) {
    engine.apply(QueuesText{.partition = "default",
                            .text = "partitions:\n- name: default\n  placementrules: [{name: provided}]\n"
                                    "  queues: [{name: root, submitacl: bob, queues: [{name: a}]}]\n"});
    ASSERT_EQ(engine.queues_fault(), "");
    const auto forced = [](TestShim& shim) {
        const Attribute tag{shim.id("application.create.force"), shim.id("true")};
        ApplicationItem item;
        item.application = shim.id("forced");
        item.queue = shim.id("root.a");
        item.user = shim.id("ann");
        item.tags = std::span(&tag, 1);
        shim.send(ApplicationsMessage{.add = std::span(&item, 1), .remove = {}});
    };
    const auto recovered = [this] {
        return std::ranges::count(engine.queues(), "root.@recovery@", &QueueReport::path);
    };
    forced(second);
    EXPECT_EQ(told(2, "no placement rule matched; its shim may not force it"), 1);
    EXPECT_EQ(recovered(), 0);
    forced(first);
    EXPECT_EQ(recovered(), 1) << "it has the right";
}

}  // namespace
}  // namespace bayplan::attacks
