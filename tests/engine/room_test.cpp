// Room below a maximum: asks under their queue's guarantee that queues beside theirs have left no room, and who goes for them.
#include <gtest/gtest.h>

#include <algorithm>
#include <span>
#include <string>
#include <vector>

#include "leaves_of_a.h"

namespace bayplan::testing {
namespace {

// Below root.a, which may have 8 cores: poor is guaranteed 4, rich and greedy nothing unless said.
class RoomTest : public LeavesOfA {
protected:
    void SetUp() override {
        give();
        applications_in({"poor", "rich", "greedy"});
    }

    void give(const std::string& of_rich = "", const std::string& of_poor = "", const std::string& partition = "",
              int most = 8) {
        give_queues(partition,
                    "    - name: a\n      submitacl: '*'\n      resources: {max: {vcore: " + std::to_string(most) +
                        "}}\n      queues:\n"
                        "      - {name: poor, resources: {guaranteed: {vcore: 4}}, properties: {preemption.delay: 10s" +
                        of_poor + "}}\n      - {name: rich" + of_rich + "}\n      - {name: greedy}\n");
    }
    void node(const std::string& name, std::int64_t cores) {
        shim_.node(name, {{"cpu", cores * 1'000}, {"pods", 1'000}});
    }
    std::string why(const std::string& key) {
        std::string why;
        engine_.ask_state("s", key, &why);
        return why;
    }
};

// Asks of one application, priority and amount wait together, the member of a gang among them; gangs make no room.
TEST_F(RoomTest, an_ask_that_waits_behind_an_equal_member_of_a_gang_claims_its_room) {
    node("n", 100);
    pods("rich", 8);
    shim_.member("member", "poor", "gang", 1, {{"cpu", 2'000}, {"pods", 1}});
    at(1);
    EXPECT_EQ(engine_.counters().room_claims, 0u) << "a gang claims nothing";
    pods("poor", 1, 2);
    at(2);
    EXPECT_EQ(engine_.counters().room_claims, 1u);
    at(13);
    EXPECT_EQ(gone().size(), 2u);
    EXPECT_EQ(text_, "preempted by s/poor8 for the guarantee of root.a.poor");
}

TEST_F(RoomTest, a_queue_under_its_guarantee_takes_from_one_beside_it_below_a_maximum_that_is_used_up) {
    node("n", 100);
    pods("rich", 8);  // rich0 to rich7
    pods("poor", 1, 2);
    EXPECT_EQ(engine_.next_timer_ns(), kSecond) << "an attempt was made since the look";
    at(1);
    EXPECT_NE(why("poor8").find("queue root.a has not enough left"), std::string::npos) << why("poor8");
    EXPECT_NE(why("poor8").find("; pods of other queues may go for its guarantee at 11000000000 ns"), std::string::npos)
        << why("poor8");
    EXPECT_EQ(engine_.counters().room_claims, 1u);
    at(10);
    EXPECT_EQ(gone(), Names());
    EXPECT_EQ(engine_.next_timer_ns(), 11 * kSecond);
    at(11);
    const Names names = gone();
    EXPECT_EQ(names.size(), 2u);
    EXPECT_EQ(text_, "preempted by s/poor8 for the guarantee of root.a.poor");
    EXPECT_EQ(engine_.counters().guarantee_victims, 2u);
    EXPECT_EQ(engine_.counters().room_preemptions, 1u);
    EXPECT_EQ(engine_.counters().room_victims, 2u);
    EXPECT_EQ(engine_.ask_state("s", "poor8"), "pending");
    EXPECT_NE(why("poor8").find("it is nominated to node n"), std::string::npos) << why("poor8");
    at(20);
    EXPECT_EQ(gone(), Names()) << "room is being made";
    EXPECT_EQ(engine_.counters().room_claims, 1u) << "nothing has happened since the look";
    for (const std::string& name : names) {
        shim_.release(name);
    }
    EXPECT_EQ(engine_.counters().room_claims, 0u);
    engine_.run(1'000);
    EXPECT_EQ(engine_.ask_state("s", "poor8"), "unacknowledged");
}

TEST_F(RoomTest, victims_make_room_on_a_node_and_below_the_maximum_at_once) {
    node("full", 4);
    node("other", 4);
    pods("rich", 2, 4);  // one on each node
    pods("poor", 1, 2);
    at(1);
    at(11);
    EXPECT_EQ(gone().size(), 1u) << "its node's pod frees what the maximum lacks";
}

TEST_F(RoomTest, pods_elsewhere_go_beside_those_of_the_node_if_the_maximum_needs_more) {
    node("small", 2);
    node("large", 6);
    pods("rich", 2, 1);
    pods("rich", 3, 2);
    pods("poor", 1, 4);
    at(1);
    at(11);
    EXPECT_EQ(engine_.counters().guarantee_victims, gone().size());
    EXPECT_EQ(engine_.counters().guarantee_preemptions, 1u);
}

TEST_F(RoomTest, nobody_goes_for_more_than_the_guarantee_and_one_after_another_up_to_it) {
    node("n", 100);
    pods("rich", 8);
    pods("poor", 6);
    at(1);
    at(10);
    EXPECT_EQ(gone(), Names());
    at(11);
    EXPECT_EQ(gone().size(), 4u);
    at(20);
    EXPECT_EQ(gone(), Names());
}

TEST_F(RoomTest, an_ask_that_no_node_had_room_for_claims_in_its_turn) {
    node("n", 7);
    pods("rich", 7);
    pods("poor", 2, 2);  // poor7 and poor8
    at(1);
    at(5);
    pods("poor", 1, 1, 10);  // poor9: there is room below the maximum, and on no node
    EXPECT_EQ(engine_.ask_state("s", "poor9"), "unschedulable");
    give("", "", "", 7);
    at(11);
    EXPECT_EQ(gone().size(), 3u) << "for poor9, and for one of the others: the guarantee has no room for both";
    EXPECT_EQ(engine_.ask_state("s", "poor9"), "pending");
}

TEST_F(RoomTest, nobody_goes_where_the_others_hold_no_more_than_their_guarantee) {
    give(", resources: {guaranteed: {vcore: 4}}");
    node("n", 100);
    pods("rich", 4);
    pods("poor", 4);
    pods("poor", 1);
    at(1);
    at(60);
    EXPECT_EQ(gone(), Names());
}

TEST_F(RoomTest, nobody_goes_from_what_is_guaranteed_beside_it_but_from_what_is_over) {
    give(", resources: {guaranteed: {vcore: 3}}");
    node("n", 100);
    pods("rich", 5);
    pods("greedy", 3, 1, 5);  // above the ask's priority
    pods("poor", 3);
    at(1);
    at(11);
    const Names names = gone();
    EXPECT_EQ(names.size(), 2u);
    for (const std::string& name : names) {
        EXPECT_EQ(name.substr(0, 4), "rich");
    }
    EXPECT_NE(why("poor10").find("; for its guarantee no pods of other queues have gone yet"), std::string::npos)
        << why("poor10");
}

TEST_F(RoomTest, nobody_goes_in_vain_if_no_node_could_have_the_ask) {
    node("n", 3);
    node("m", 5);
    pods("rich", 8);
    pods("greedy", 1);
    shim_.node("n", {}, NodeAction::drain);
    shim_.node("m", {}, NodeAction::drain);
    pods("poor", 1);
    at(1);
    at(60);
    EXPECT_EQ(gone(), Names());
}

TEST_F(RoomTest, a_partition_or_a_queue_may_forbid_it) {
    give("", "", "  preemption: {enabled: false}\n");
    node("n", 100);
    pods("rich", 8);
    pods("poor", 1);
    at(1);
    at(60);
    EXPECT_EQ(gone(), Names());
    give(", properties: {preemption.policy: disabled}");
    at(61);
    at(90);
    EXPECT_EQ(gone(), Names());
    give("", ", preemption.policy: fence");
    at(91);
    at(120);
    EXPECT_EQ(gone(), Names());
    give();
    at(121);
    at(150);
    EXPECT_EQ(gone().size(), 1u);
}

TEST_F(RoomTest, an_application_rests_after_as_many_failures_as_its_queue_allows) {
    give(", properties: {application.unschedasks.backoff: 2, application.unschedasks.backoff.delay: 10s}");
    node("n", 4);
    pods("rich", 1, 4);  // rich0 fills the node
    pods("rich", 1, 2);
    EXPECT_EQ(engine_.counters().failed, 1u);
    pods("rich", 2, 2);
    EXPECT_EQ(engine_.counters().failed, 2u);
    EXPECT_EQ(engine_.counters().rests_begun, 1u);
    EXPECT_EQ(engine_.counters().applications_resting, 1u);
    EXPECT_EQ(engine_.ask_state("s", "rich3"), "pending");
    EXPECT_NE(why("rich3").find("its application rests until 10000000000 ns"), std::string::npos) << why("rich3");
    node("m", 4);
    engine_.run(1'000);
    EXPECT_EQ(engine_.ask_state("s", "rich3"), "pending") << "it rests, whatever nodes come";
    pods("greedy", 1, 1);
    EXPECT_EQ(engine_.ask_state("s", "greedy4"), "unacknowledged") << "others do not";
    at(9);
    EXPECT_EQ(engine_.counters().placed, 2u);
    at(10);
    EXPECT_EQ(engine_.counters().placed, 3u);
    EXPECT_EQ(engine_.counters().rests_begun, 1u);
    EXPECT_EQ(engine_.counters().applications_resting, 0u);
    EXPECT_EQ(engine_.ask_state("s", "rich1"), "unacknowledged");
}

TEST_F(RoomTest, a_pod_that_finds_a_node_ends_the_row_of_failures) {
    give(", properties: {application.unschedasks.backoff: 2}");
    node("n", 4);
    pods("rich", 1, 5);
    pods("rich", 1, 1);
    pods("rich", 1, 5);
    pods("rich", 1, 1);
    EXPECT_EQ(engine_.counters().placed, 2u);
    pods("rich", 3, 5);
    EXPECT_EQ(engine_.counters().failed, 4u) << "the second in a row begins a rest";
    EXPECT_EQ(engine_.ask_state("s", "rich6"), "pending");
}

}  // namespace
}  // namespace bayplan::testing
