// Foreign pods, by the steps of the document on tracking non-YuniKorn pods: counted on their node and nowhere else, silently,
// and sent away only where a setting lets foreign pods be victims.
#include <gtest/gtest.h>

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "harness.h"

namespace bayplan::testing {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;

struct ForeignPod {
    std::string key = "f";
    std::string node = "n1";
    TestShim::Amounts requests = {};
    int priority = 0;
    bool is_static = false;
};

class ForeignPodsTest : public ::testing::Test {
protected:
    void make(bool victims = false) {
        EngineOptions options;
        options.executor = ExecutorKind::inline_;
        options.preemption.daemonset.foreign_victims = victims;
        engine_ = std::make_unique<Engine>(options, sink_);
        shim_ = std::make_unique<TestShim>(*engine_, "s");
        shim_->application("app");
    }

    void state(const ForeignPod& pod) {
        std::vector<Amount> amounts;
        for (const auto& [resource, value] : pod.requests) {
            amounts.push_back({shim_->id(resource), value});
        }
        AskItem item;
        item.key = pod.key;
        item.node = shim_->id(pod.node);
        item.foreign = true;
        item.is_static = pod.is_static;
        item.priority = pod.priority;
        item.requests = amounts;
        shim_->send(AsksMessage{std::span(&item, 1)});
    }

    void run() {
        now_ns_ += 60 * kSecond;  // past any backoff
        engine_->apply(Tick{now_ns_});
        while (engine_->run(100) > 0) {
        }
        engine_->settle();
        engine_->flush();
        std::vector<std::string> broken;
        engine_->audit(broken);
        EXPECT_TRUE(broken.empty()) << broken.front();
    }

    std::string state_of(const std::string& key) { return engine_->ask_state("s", key); }
    // Tries a pod of so much cpu, and lets it go again: whether there is room.
    bool has_room(std::int64_t cpu) {
        const std::string key = "probe" + std::to_string(++probes_);
        shim_->ask(key, "app", {{"cpu", cpu}}, -10);
        run();
        const bool placed = state_of(key) == "unacknowledged";
        shim_->release(key);
        return placed;
    }
    std::vector<std::string> told_of(const std::string& key) {
        std::vector<std::string> texts;
        for (const auto& decision : sink_.kept[1]) {
            if (decision.name == key) {
                texts.push_back(decision.text);
            }
        }
        return texts;
    }

    KeepingSink sink_;
    std::unique_ptr<Engine> engine_;
    std::unique_ptr<TestShim> shim_;
    std::int64_t now_ns_ = 0;
    int probes_ = 0;
};

TEST_F(ForeignPodsTest, is_counted_on_its_node_until_it_is_released_without_a_word_to_its_shim) {
    make();
    shim_->node("n1", {{"cpu", 10}, {"pods", 5}});
    state({.requests = {{"cpu", 4}}});
    EXPECT_EQ(state_of("f"), "allocated");
    EXPECT_EQ(engine_->counters().allocations, 0u) << "none of ours";
    EXPECT_FALSE(has_room(7));
    EXPECT_TRUE(has_room(6));
    shim_->release("f");
    EXPECT_EQ(state_of("f"), "");
    EXPECT_TRUE(has_room(10));
    EXPECT_EQ(engine_->counters().allocations, 0u);
    EXPECT_TRUE(told_of("f").empty());
}

TEST_F(ForeignPodsTest, is_one_of_the_pods_that_its_node_may_have) {
    make();
    shim_->node("n1", {{"cpu", 10}, {"pods", 1}});
    state({.requests = {{"cpu", 1}, {"pods", 1}}});
    shim_->ask("a", "app", {{"cpu", 1}, {"pods", 1}});
    run();
    EXPECT_EQ(state_of("a"), "unschedulable");
    shim_->release("f");
    run();
    EXPECT_EQ(state_of("a"), "unacknowledged");
}

TEST_F(ForeignPodsTest, waits_for_a_node_that_is_not_known_yet) {
    make();
    state({.requests = {{"cpu", 4}}});
    EXPECT_EQ(state_of("f"), "waiting_for_node");
    shim_->node("n1", {{"cpu", 10}});
    EXPECT_EQ(state_of("f"), "allocated");
    EXPECT_FALSE(has_room(7));
}

TEST_F(ForeignPodsTest, ends_silently_with_its_node_and_is_counted_anew_when_both_are_back) {
    make();
    shim_->node("n1", {{"cpu", 10}});
    state({.requests = {{"cpu", 4}}});
    shim_->node("n1", {}, NodeAction::decommission);
    EXPECT_EQ(state_of("f"), "");
    EXPECT_TRUE(told_of("f").empty());
    shim_->node("n1", {{"cpu", 10}});
    EXPECT_TRUE(has_room(10));
    state({.requests = {{"cpu", 4}}});
    EXPECT_FALSE(has_room(7));
}

TEST_F(ForeignPodsTest, is_resized_where_it_is_room_or_not) {
    make();
    shim_->node("n1", {{"cpu", 10}});
    state({.requests = {{"cpu", 4}}});
    state({.requests = {{"cpu", 9}}});
    EXPECT_FALSE(has_room(2));
    EXPECT_TRUE(has_room(1));
    state({.requests = {{"cpu", 30}, {"gpu", 1}}});
    EXPECT_EQ(engine_->counters().nodes_overcommitted, 1u);
    EXPECT_FALSE(has_room(1));
    shim_->ask("waits", "app", {{"cpu", 8}});
    run();
    EXPECT_EQ(state_of("waits"), "unschedulable");
    state({.requests = {{"cpu", 2}}});
    EXPECT_EQ(engine_->counters().nodes_overcommitted, 0u);
    run();
    EXPECT_EQ(state_of("waits"), "unacknowledged") << "it was woken by what came free";
    EXPECT_TRUE(told_of("f").empty());
}

TEST_F(ForeignPodsTest, two_on_a_node_are_counted_one_by_one) {
    make();
    shim_->node("n1", {{"cpu", 10}});
    state({.key = "f", .requests = {{"cpu", 3}}});
    state({.key = "g", .requests = {{"cpu", 4}}});
    EXPECT_TRUE(has_room(3));
    EXPECT_FALSE(has_room(4));
    shim_->release("f");
    EXPECT_TRUE(has_room(6));
    EXPECT_FALSE(has_room(7));
    shim_->release("g");
    EXPECT_TRUE(has_room(10));
}

TEST_F(ForeignPodsTest, that_waits_for_its_node_is_counted_as_it_was_stated_last) {
    make();
    state({.requests = {{"cpu", 4}}});
    state({.requests = {{"cpu", 7}}});
    shim_->node("n1", {{"cpu", 10}});
    EXPECT_TRUE(has_room(3));
    EXPECT_FALSE(has_room(4));
}

TEST_F(ForeignPodsTest, is_a_victim_only_by_the_setting_and_never_if_static) {
    for (const bool victims : {false, true}) {
        for (const bool is_static : {false, true}) {
            shim_.reset();
            engine_.reset();
            sink_ = {};
            make(victims);
            shim_->node("n1", {{"cpu", 10}});
            state({.requests = {{"cpu", 10}}, .is_static = is_static});
            state({.requests = {{"cpu", 10}}, .is_static = !is_static});  // too late: it stays as it came
            shim_->ask("a", "app", {{"cpu", 5}}, 100);
            run();
            const bool sent_away = !told_of("f").empty();
            EXPECT_EQ(sent_away, victims && !is_static) << victims << is_static;
            shim_->release("f");
            run();
            EXPECT_EQ(state_of("a"), "unacknowledged");
        }
    }
}

}  // namespace
}  // namespace bayplan::testing
