// Which nodes an ask is not tried on, and who is told when a reason for that goes. That decisions follow it is
// tests/property's business.

#include <gtest/gtest.h>

#include "preemption/nodes_left_out.h"

namespace bayplan {
namespace {

constexpr AskId kAsk{1};
constexpr AskId kOther{2};
constexpr AskId kStuck{7};
constexpr Slot kNode{3};

TEST(NodesLeftOut, a_node_that_refused_is_avoided_for_a_time_and_no_longer_than_the_ask_waits) {
    NodesLeftOut left_out;
    left_out.avoid(kAsk, kNode, 100);
    EXPECT_EQ(left_out.avoided(kAsk, 99), kNode);
    EXPECT_EQ(left_out.avoided(kAsk, 100), kNone<Slot>);
    EXPECT_EQ(left_out.avoided(kOther, 99), kNone<Slot>);
    EXPECT_FALSE(left_out.any_left_out(kAsk)) << "its failures are those of its class";
    left_out.ask_placed(kAsk);
    EXPECT_EQ(left_out.avoided(kAsk, 99), kNone<Slot>);
    left_out.avoid(kAsk, kNode, 100);
    left_out.node_gone(kNode);
    EXPECT_EQ(left_out.avoided(kAsk, 99), kNone<Slot>) << "another node may get its slot";
}

TEST(NodesLeftOut, the_end_of_a_stuck_pod_frees_those_who_left_its_node_out_for_it_and_nobody_else) {
    NodesLeftOut left_out;
    left_out.leave_out(kOther, kNode, kStuck);
    left_out.leave_out(kAsk, kNode, kStuck);
    left_out.leave_out(kAsk, Slot{4}, AskId{8});
    left_out.avoid(AskId{9}, kNode, 100);
    EXPECT_TRUE(left_out.pod_gone(AskId{9}).empty()) << "it avoids a node, it is not stuck";
    EXPECT_EQ(left_out.pod_gone(kStuck), (std::vector{kAsk, kOther}));
    EXPECT_FALSE(left_out.is_left_out(kAsk, kNode));
    EXPECT_TRUE(left_out.is_left_out(kAsk, Slot{4}));
    EXPECT_FALSE(left_out.any_left_out(kOther));
    EXPECT_TRUE(left_out.pod_gone(kStuck).empty()) << "another pod may get its id";
}

TEST(NodesLeftOut, an_ask_that_is_gone_is_not_freed_later_nor_does_another_with_its_id_leave_anything_out) {
    NodesLeftOut left_out;
    left_out.leave_out(kAsk, kNode, kStuck);
    left_out.avoid(kAsk, Slot{4}, 100);
    left_out.ask_gone(kAsk);
    EXPECT_FALSE(left_out.is_left_out(kAsk, kNode));
    EXPECT_EQ(left_out.avoided(kAsk, 0), kNone<Slot>);
    EXPECT_TRUE(left_out.pod_gone(kStuck).empty());
}

}  // namespace
}  // namespace bayplan
