// Which nodes an ask is not tried on, and who is told when a reason for that goes. That decisions follow it is
// tests/property's business.

#include <gtest/gtest.h>

#include "preemption/excluded_by_victims.h"

namespace bayplan {
namespace {

constexpr AskId kAsk{1};
constexpr AskId kOther{2};
constexpr AskId kStuck{7};
constexpr Slot kNode{3};

TEST(ExcludedByVictims, a_node_that_refused_is_avoided_for_a_time_and_no_longer_than_the_ask_waits) {
    ExcludedByVictims excluded;
    excluded.avoid(kAsk, kNode, 100);
    EXPECT_EQ(excluded.avoided(kAsk, 99), kNode);
    EXPECT_EQ(excluded.avoided(kAsk, 100), kNone<Slot>);
    EXPECT_EQ(excluded.avoided(kOther, 99), kNone<Slot>);
    EXPECT_FALSE(excluded.any_excluded(kAsk)) << "its failures are those of its class";
    excluded.ask_placed(kAsk);
    EXPECT_EQ(excluded.avoided(kAsk, 99), kNone<Slot>);
    excluded.avoid(kAsk, kNode, 100);
    excluded.node_gone(kNode);
    EXPECT_EQ(excluded.avoided(kAsk, 99), kNone<Slot>) << "another node may get its slot";
}

TEST(ExcludedByVictims, the_end_of_a_stuck_pod_frees_those_who_left_its_node_out_for_it_and_nobody_else) {
    ExcludedByVictims excluded;
    excluded.exclude(kOther, kNode, kStuck);
    excluded.exclude(kAsk, kNode, kStuck);
    excluded.exclude(kAsk, Slot{4}, AskId{8});
    excluded.avoid(AskId{9}, kNode, 100);
    EXPECT_TRUE(excluded.pod_gone(AskId{9}).empty()) << "it avoids a node, it is not stuck";
    EXPECT_EQ(excluded.pod_gone(kStuck), (std::vector{kAsk, kOther}));
    EXPECT_FALSE(excluded.is_excluded(kAsk, kNode));
    EXPECT_TRUE(excluded.is_excluded(kAsk, Slot{4}));
    EXPECT_FALSE(excluded.any_excluded(kOther));
    EXPECT_TRUE(excluded.pod_gone(kStuck).empty()) << "another pod may get its id";
}

TEST(ExcludedByVictims, a_node_with_two_stuck_pods_is_let_in_when_both_are_gone) {
    ExcludedByVictims excluded;
    excluded.exclude(kAsk, kNode, kStuck);
    excluded.exclude(kAsk, kNode, AskId{8});
    excluded.exclude(kAsk, Slot{4}, kStuck);
    EXPECT_EQ(excluded.pod_gone(kStuck), (std::vector{kAsk, kAsk}));
    EXPECT_TRUE(excluded.is_excluded(kAsk, kNode)) << "the other is there still";
    EXPECT_FALSE(excluded.is_excluded(kAsk, Slot{4}));
    excluded.let_in(kAsk, kNode, AskId{8});
    EXPECT_EQ(excluded.of(kAsk), nullptr);
}

TEST(ExcludedByVictims, an_ask_that_is_gone_is_not_freed_later_nor_does_another_with_its_id_leave_anything_out) {
    ExcludedByVictims excluded;
    excluded.exclude(kAsk, kNode, kStuck);
    excluded.avoid(kAsk, Slot{4}, 100);
    excluded.ask_gone(kAsk);
    EXPECT_FALSE(excluded.is_excluded(kAsk, kNode));
    EXPECT_EQ(excluded.avoided(kAsk, 0), kNone<Slot>);
    EXPECT_TRUE(excluded.pod_gone(kStuck).empty());
}

}  // namespace
}  // namespace bayplan
