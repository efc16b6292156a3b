// Queues that shrink to their maxima: when, whom they send away, and what people are told of it.
#include <gtest/gtest.h>

#include <algorithm>
#include <span>
#include <string>
#include <vector>

#include "leaves_of_a.h"

namespace bayplan::testing {
namespace {

class QuotasTest : public LeavesOfA {
protected:
    static constexpr const char* kOn = "  preemption: {quotapreemptionenabled: true}\n";

    void SetUp() override {
        give("{name: a, submitacl: '*', queues: [{name: x}, {name: y}]}");
        applications_in({"x", "y"});
        shim_.node("n", {{"cpu", 100'000}, {"pods", 1'000}});
    }

    void give(const std::string& queue, const std::string& partition = kOn) {
        give_queues(partition, "    - " + queue + "\n");
    }
    // Leaf x may have so many cores, and shrinks after ten seconds.
    void limit_x(std::int64_t cores, const std::string& partition = kOn) {
        give("{name: a, submitacl: '*', queues: [{name: x, properties: {quota.preemption.delay: 10s}, " +
                 ("resources: {max: {vcore: " + std::to_string(cores)) + "}}}, {name: y}]}",
             partition);
    }
    void group(const std::string& name, int members, std::uint32_t minimum) {
        for (int i = 0; i < members; ++i) {
            shim_.member(name + std::to_string(i), "x", name, minimum, {{"cpu", 1'000}, {"pods", 1}});
        }
        engine_.run(1'000);
    }
    std::uint64_t over() const { return engine_.counters().queues_over; }
};

TEST_F(QuotasTest, a_queue_whose_maximum_falls_sends_away_as_many_as_it_takes_after_its_delay) {
    pods("x", 6);
    limit_x(4);
    EXPECT_EQ(over(), 1u);
    EXPECT_EQ(engine_.next_timer_ns(), 10 * kSecond);
    at(9);
    EXPECT_EQ(gone(), Names());
    at(10);
    EXPECT_EQ(gone().size(), 2u);
    EXPECT_EQ(text_, "preempted for the maximum of root.a.x");
    EXPECT_EQ(engine_.counters().quota_preemptions, 1u);
    EXPECT_EQ(engine_.counters().quota_victims, 2u);
    EXPECT_EQ(over(), 0u);
    at(60);
    EXPECT_EQ(engine_.counters().quota_victims, 2u);
    EXPECT_EQ(std::count_if(sink_.log.begin(), sink_.log.end(),
                            [](const std::string& line) { return line.find(" release s/x") != std::string::npos; }),
              2);
}

TEST_F(QuotasTest, nobody_goes_unless_the_partition_and_the_queue_ask_for_it) {
    pods("x", 6);
    limit_x(4, "");
    at(100);
    give("{name: a, submitacl: '*', queues: [{name: x, resources: {max: {vcore: 4}}}, {name: y}]}");
    at(200);
    EXPECT_EQ(gone(), Names());
    EXPECT_EQ(over(), 0u);
}

TEST_F(QuotasTest, a_maximum_that_rises_again_in_time_sends_nobody_away) {
    pods("x", 6);
    limit_x(4);
    at(9);
    limit_x(6);
    EXPECT_EQ(over(), 0u);
    at(9);
    limit_x(4);
    at(18);
    EXPECT_EQ(gone(), Names());
    at(19);
    EXPECT_EQ(gone().size(), 2u);
}

TEST_F(QuotasTest, the_lowest_priorities_go_and_a_large_pod_only_if_small_ones_do_not_suffice) {
    pods("x", 1, 8, 0);  // x0
    pods("x", 2, 1, 0);  // x1, x2
    pods("x", 1, 4, 5);  // x3
    limit_x(12);
    at(10);
    EXPECT_EQ(gone(), (Names{"x1", "x2"}));
    limit_x(11);
    at(20);
    EXPECT_EQ(gone(), (Names{"x0"}));
}

TEST_F(QuotasTest, children_shrink_first_and_parents_by_what_is_left) {
    pods("x", 5, 1, 10);
    pods("y", 3, 1, 0);
    give(
        "{name: a, submitacl: '*', properties: {quota.preemption.delay: 10s}, resources: {max: {vcore: 5}}, "
        "queues: [{name: x, resources: {max: {vcore: 3}}}, {name: y}]}");
    EXPECT_EQ(over(), 2u);
    at(10);
    const Names names = gone();
    EXPECT_EQ(names.size(), 3u);
    EXPECT_EQ(std::count_if(names.begin(), names.end(), [](const std::string& name) { return name[0] == 'x'; }), 2);
    EXPECT_EQ(over(), 0u);
}

TEST_F(QuotasTest, what_is_guaranteed_below_stays_and_the_queue_tries_again) {
    pods("x", 4, 1, 0);
    pods("y", 4, 1, 10);
    const auto limit = [&](const std::string& guaranteed) {
        give(
            "{name: a, submitacl: '*', properties: {quota.preemption.delay: 10s}, resources: {max: {vcore: 4}}, "
            "queues: [{name: x, resources: {guaranteed: {vcore: " +
            guaranteed +
            "}}}, "
            "{name: y, properties: {preemption.policy: disabled}}]}");
    };
    limit("3");
    at(10);
    EXPECT_EQ(gone().size(), 1u);  // of x, which has what it is guaranteed then; y's may not go
    EXPECT_EQ(over(), 1u);
    limit("1");
    at(19);
    EXPECT_EQ(gone(), Names());
    at(20);
    EXPECT_EQ(gone().size(), 2u);
    EXPECT_EQ(over(), 1u);
    EXPECT_EQ(engine_.next_timer_ns(), 30 * kSecond);
}

// Operators see since when without a break, however often the clock begins anew, and when it is over next.
TEST_F(QuotasTest, it_is_told_since_when_a_queue_is_over) {
    pods("x", 4, 1, 0);
    const auto over_since = [&](const std::string& path) {
        for (const QueueReport& report : engine_.queues()) {
            if (report.path == path) return report.over_since_ns;
        }
        return std::optional<std::int64_t>(-1);
    };
    const auto limit = [&](const std::string& policy) {
        give("{name: a, submitacl: '*', queues: [{name: x, properties: {quota.preemption.delay: 10s" + policy +
             "}, resources: {max: {vcore: 2}}}, {name: y}]}");
    };
    at(3);
    EXPECT_EQ(over_since("root.a.x"), std::nullopt);
    limit(", preemption.policy: disabled");
    pods("x", 1);
    const std::string from_3 = "; queue root.a.x is over its maximum since 3000000000 ns, and sends pods away at ";
    std::string why;
    EXPECT_EQ(engine_.ask_state("s", "x4", &why), "pending");
    EXPECT_TRUE(why.ends_with(from_3 + "13000000000 ns")) << why;
    at(13);
    EXPECT_EQ(gone(), Names());
    engine_.ask_state("s", "x4", &why);
    EXPECT_TRUE(why.ends_with(from_3 + "23000000000 ns")) << why;
    EXPECT_EQ(over_since("root.a.x"), 3 * kSecond);
    EXPECT_EQ(over_since("root.a"), std::nullopt);
    limit("");
    at(23);
    EXPECT_EQ(gone().size(), 2u);
    EXPECT_EQ(over_since("root.a.x"), std::nullopt);
    engine_.ask_state("s", "x4", &why);
    EXPECT_EQ(why.find("over its maximum"), std::string::npos) << why;
}

TEST_F(QuotasTest, a_pod_group_keeps_its_minimum_or_goes_whole) {
    group("group", 5, 3);
    limit_x(3);
    at(10);
    EXPECT_EQ(gone().size(), 2u);
    EXPECT_EQ(over(), 0u);
    limit_x(2);
    at(20);
    EXPECT_EQ(gone().size(), 3u);
    EXPECT_EQ(over(), 0u);
}

TEST_F(QuotasTest, of_pod_groups_no_more_go_than_it_takes_and_single_pods_before_them) {
    pods("x", 1);  // x0
    group("elder", 2, 2);
    group("younger", 3, 3);
    limit_x(5);
    at(10);
    EXPECT_EQ(gone(), Names{"x0"});
    limit_x(3);
    at(20);
    EXPECT_EQ(gone().size(), 3u);  // the younger one: it alone suffices
    EXPECT_EQ(over(), 0u);
    pods("x", 1);
    limit_x(1);
    at(30);
    EXPECT_EQ(gone(), (Names{"elder0", "elder1"}));  // and the single pod, which is not enough, stays
    EXPECT_EQ(over(), 0u);
}

TEST_F(QuotasTest, a_pod_group_of_which_anybody_must_stay_stays_whole) {
    group("group", 3, 3);
    give(
        "{name: a, submitacl: '*', properties: {quota.preemption.delay: 10s}, resources: {max: {vcore: 2}}, "
        "queues: [{name: x, resources: {guaranteed: {vcore: 1}}}, {name: y}]}");
    at(10);
    EXPECT_EQ(gone(), Names());
    EXPECT_EQ(over(), 1u);
}

TEST_F(QuotasTest, pods_that_run_by_their_shims_word_bring_a_queue_over_its_maximum) {
    limit_x(2);
    pods("x", 2);
    const Amount amount{shim_.id("cpu"), 1'000};
    AskItem item;
    item.key = "forced";
    item.application = shim_.id("x");
    item.priority = 3;
    item.node = shim_.id("n");
    item.requests = std::span(&amount, 1);
    shim_.send(AsksMessage{std::span(&item, 1)});
    EXPECT_EQ(over(), 1u);
    at(10);
    EXPECT_EQ(gone().size(), 1u);
    EXPECT_EQ(over(), 0u);
}

TEST_F(QuotasTest, a_running_pod_that_grows_brings_its_queue_over_its_maximum) {
    limit_x(3);
    pods("x", 2);
    EXPECT_EQ(over(), 0u);
    shim_.ask("x0", "x", {{"cpu", 3'000}, {"pods", 1}});
    EXPECT_EQ(over(), 1u);
    at(10);
    EXPECT_EQ(gone(), Names{"x1"});  // the younger of equals, and it suffices
    EXPECT_EQ(over(), 0u);
}

}  // namespace
}  // namespace bayplan::testing
