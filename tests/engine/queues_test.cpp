// Queues in an engine: a refused text changes nothing, and a gang out of backoff needs room for all of it.
#include <gtest/gtest.h>

#include <memory>
#include <span>
#include <string>

#include "harness.h"

namespace bayplan::testing {
namespace {

EngineOptions with_queues() {
    EngineOptions made;
    made.executor = ExecutorKind::inline_;
    made.queues = true;
    return made;
}

class QueuesTest : public ::testing::Test {
protected:
    void give(const std::string& queues, const std::string& rules = "") {
        const std::string text =
            "partitions:\n- name: default\n" + rules + "  queues:\n  - name: root\n    queues:\n" + queues;
        engine_.apply(QueuesText{.partition = "default", .text = text});
    }

    void application(const std::string& name, const std::string& queue) {
        const ApplicationItem item{.application = shim_.id(name), .queue = shim_.id(queue), .user = shim_.id("ann")};
        shim_.send(ApplicationsMessage{.add = std::span(&item, 1), .remove = {}});
    }

    void gang_member(const std::string& key, std::uint32_t minimum, std::int64_t cpu) {
        const Amount amount{shim_.id("cpu"), cpu};
        AskItem item;
        item.key = key;
        item.application = shim_.id("app");
        item.group = shim_.id("gang");
        item.group_min_available = minimum;
        item.requests = std::span(&amount, 1);
        shim_.send(AsksMessage{std::span(&item, 1)});
    }

    QueueReport queue(const std::string& path) const {
        for (const QueueReport& report : engine_.queues()) {
            if (report.path == path) return report;
        }
        ADD_FAILURE() << path;
        return {};
    }

    KeepingSink sink_;
    Engine engine_{with_queues(), sink_};
    TestShim shim_{engine_, "s"};
};

TEST_F(QueuesTest, a_refused_text_leaves_the_placement_rules_as_they_were) {
    const std::string both = "    - {name: a, submitacl: '*'}\n    - {name: b, submitacl: '*'}\n";
    give(both);
    ASSERT_EQ(engine_.queues_fault(), "");
    application("first", "root.a");
    ASSERT_EQ(queue("root.a").applications, 1u);

    // It would make a leaf with applications a parent; its rule sends everybody elsewhere.
    give("    - {name: a, submitacl: '*', queues: [{name: below}]}\n    - {name: b, submitacl: '*'}\n",
         "  placementrules: [{name: fixed, value: root.b}]\n");
    EXPECT_NE(engine_.queues_fault(), "");
    application("second", "root.a");
    EXPECT_EQ(queue("root.a").applications, 2u);
    EXPECT_EQ(queue("root.b").applications, 0u);
}

TEST_F(QueuesTest, a_gang_that_would_be_tried_early_needs_room_for_all_its_members) {
    give("    - {name: a, submitacl: '*', resources: {max: {vcore: 4}}}\n");
    ASSERT_EQ(engine_.queues_fault(), "");
    application("app", "root.a");
    shim_.node("small", {{"cpu", 1000}, {"pods", 10}});
    gang_member("one", 2, 2000);
    gang_member("two", 2, 2000);
    EXPECT_GT(engine_.run(10), 0u);
    ASSERT_EQ(engine_.ask_state("s", "one"), "unschedulable");
    shim_.ask("alone", "app", {{"cpu", 1000}});
    EXPECT_EQ(engine_.run(1), 1u);
    ASSERT_EQ(engine_.ask_state("s", "alone"), "unacknowledged");

    // The queue has three left: room for one member.
    shim_.node("large", {{"cpu", 8000}, {"pods", 10}});
    ASSERT_EQ(engine_.ask_state("s", "one"), "backoff");
    EXPECT_FALSE(engine_.has_work());
    EXPECT_EQ(engine_.run(10), 0u);
    EXPECT_EQ(queue("root.a").used.at("vcore"), 1000);

    shim_.release("alone");
    EXPECT_GT(engine_.run(10), 0u);
    EXPECT_EQ(queue("root.a").used.at("vcore"), 4000);
}

// A full queue lets others in as soon as one of its pods has less; it may have more, room or not.
TEST_F(QueuesTest, a_placed_pod_that_is_resized_is_charged_what_it_has_now) {
    give("    - {name: a, submitacl: '*', resources: {max: {vcore: 4}}}\n");
    application("app", "root.a");
    shim_.node("n", {{"cpu", 10000}, {"pods", 10}});
    shim_.ask("one", "app", {{"cpu", 1000}});
    EXPECT_EQ(engine_.run(10), 1u);
    shim_.ask("one", "app", {{"cpu", 6000}});
    EXPECT_EQ(queue("root.a").used.at("vcore"), 6000);
    shim_.ask("two", "app", {{"cpu", 2000}});
    EXPECT_EQ(engine_.run(10), 0u) << "its queue is full";
    shim_.ask("one", "app", {{"cpu", 2000}});
    EXPECT_EQ(queue("root.a").used.at("vcore"), 2000);
    EXPECT_EQ(engine_.run(10), 1u);
    EXPECT_EQ(queue("root.a").used.at("vcore"), 4000);
    EXPECT_EQ(engine_.ask_state("s", "two"), "unacknowledged");
}

}  // namespace
}  // namespace bayplan::testing
