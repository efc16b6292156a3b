// Queues in an engine: a refused text changes nothing, and a gang out of backoff needs room for all of it.
#include <gtest/gtest.h>

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "harness.h"
#include "queue_config/load.h"

namespace bayplan::testing {
namespace {

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

    void gang_member(const std::string& key, std::uint32_t minimum, std::int64_t cpu,
                     const std::string& group = "gang") {
        shim_.member(key, "app", group, minimum, {{"cpu", cpu}});
    }

    QueueReport queue(const std::string& path) const {
        for (const QueueReport& report : engine_.queues()) {
            if (report.path == path) return report;
        }
        ADD_FAILURE() << path;
        return {};
    }

    KeepingSink sink_;
    Engine engine_{options_with_queues(), sink_};
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

// Reading takes long, and is done on another thread: here the text is none that could be read.
TEST_F(QueuesTest, a_text_that_was_read_elsewhere_is_not_read_again) {
    const std::string text = "partitions:\n- name: default\n  queues: [{name: root, queues: [{name: a}]}]\n";
    std::string fault;
    const auto read = queue_config::read_own_partition(text, "default", fault);
    ASSERT_NE(read, nullptr) << fault;
    engine_.apply(QueuesText{.partition = "default", .text = "no queues", .read = read});
    EXPECT_EQ(engine_.queues_fault(), "");
    EXPECT_EQ(queue("root.a").path, "root.a");
    engine_.apply(QueuesText{.partition = "default", .text = "no queues"});
    EXPECT_NE(engine_.queues_fault(), "");
    EXPECT_EQ(queue_config::read_own_partition(text, "other", fault)->root().queues->size(), 1u) << "the only one";
    EXPECT_EQ(queue_config::read_own_partition("partitions: 7", "default", fault), nullptr);
    EXPECT_EQ(fault.substr(0, 7), "queues:");
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

class DaemonPodsOfQueues : public QueuesTest {
protected:
    // In an application of the queue; of a DaemonSet if it has a node of its own, else running there.
    void pod(const std::string& key, const std::string& application, std::int64_t cpu, const std::string& node,
             bool daemonset) {
        const std::vector<Amount> amounts = {{shim_.id("cpu"), cpu}, {shim_.id("pods"), 1}};
        AskItem item;
        item.key = key;
        item.application = shim_.id(application);
        item.node = daemonset ? 0 : shim_.id(node);
        item.daemonset = daemonset;
        item.required_node = daemonset ? shim_.id(node) : 0;
        item.requests = amounts;
        shim_.send(AsksMessage{std::span(&item, 1)});
    }

    void set_up(const std::string& of_parent, const std::string& of_leaf) {
        give("    - {name: p, submitacl: '*', properties: {" + of_parent + "}, queues: [{name: a, properties: {" +
             of_leaf + "}}]}\n    - {name: b, submitacl: '*'}\n");
        ASSERT_EQ(engine_.queues_fault(), "");
    }

    std::string waiting_for(const std::string& key) {
        for (const std::string& line : sink_.log) {
            const std::size_t at = line.find("reserve s/" + key);
            if (at != std::string::npos) {
                const std::size_t from = line.find("; ", at);
                return line.substr(from + 2);
            }
        }
        return "";
    }
};

TEST_F(DaemonPodsOfQueues, the_nearest_queue_says_when_a_reservation_may_preempt) {
    set_up("preemption_start_delay: 7s, reservation_expiry: 20s",
           "preemption_start_delay: 0s, preemption_victim_pods_selection_strategy: single");
    application("of-a", "root.p.a");
    application("of-b", "root.b");
    for (const std::string node : {"n1", "n2"}) {
        shim_.node(node, {{"cpu", 4000}, {"pods", 10}});
    }
    pod("on-1", "of-b", 4000, "n1", false);
    pod("on-2", "of-b", 4000, "n2", false);
    pod("x", "of-a", 1000, "n1", true);
    pod("y", "of-b", 1000, "n2", true);
    engine_.run(10);
    EXPECT_EQ(waiting_for("x"), "no victims found that would make room.");  // 4000 is more than a tenth too large
    EXPECT_EQ(waiting_for("y"), "preemption may begin at the age of 30s.");
    engine_.apply(Tick{20'000'000'000});
    engine_.run(10);
    EXPECT_EQ(engine_.ask_state("s", "x"), "backoff");  // expired
    EXPECT_EQ(engine_.ask_state("s", "y"), "reserved");
}

TEST_F(DaemonPodsOfQueues, victims_are_chosen_as_the_queue_says_and_a_reload_changes_no_reservation) {
    set_up("preemption_single_victim_deviation: \"300\"", "preemption_start_delay: 10s");
    application("of-a", "root.p.a");
    shim_.node("n1", {{"cpu", 4000}, {"pods", 10}});
    pod("large", "of-a", 4000, "n1", false);
    pod("x", "of-a", 1000, "n1", true);
    engine_.run(10);
    EXPECT_EQ(waiting_for("x"), "preemption may begin at the age of 10s.");
    set_up("", "preemption_start_delay: 50s");
    engine_.apply(Tick{10'000'000'000});
    engine_.run(10);
    engine_.settle();
    EXPECT_NE(sink_.log.back().find("reserve s/x n1 s/large"), std::string::npos) << sink_.log.back();
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

TEST_F(QueuesTest, a_pod_that_left_its_group_when_it_was_placed_comes_back_to_a_place_of_its_own) {
    give("    - {name: a, submitacl: '*'}\n");
    application("app", "root.a");
    shim_.node("n", {{"cpu", 2000}, {"pods", 10}});
    gang_member("eldest", 0, 1000, "group");
    shim_.ask("between", "app", {{"cpu", 1000}});
    gang_member("leaves", 0, 1000, "group");
    EXPECT_GT(engine_.run(10), 0u);
    ASSERT_EQ(engine_.ask_state("s", "leaves"), "unacknowledged") << "pods of a group follow one another";
    ASSERT_EQ(engine_.ask_state("s", "between"), "unschedulable");

    gang_member("leaves", 1, 1000);
    shim_.ask("leaves", "app", {{"cpu", 1000}});
    shim_.nack("leaves");
    engine_.apply(Tick{100'000'000'000});
    EXPECT_GT(engine_.run(10), 0u);
    EXPECT_EQ(engine_.ask_state("s", "between"), "unacknowledged");
    EXPECT_EQ(engine_.ask_state("s", "leaves"), "unschedulable");
}

}  // namespace
}  // namespace bayplan::testing
