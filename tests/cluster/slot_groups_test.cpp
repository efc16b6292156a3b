// Which slot a new node gets (R-WORLD-13).

#include <gtest/gtest.h>

#include "cluster/slot_groups.h"

namespace bayplan {
namespace {

Slot take(SlotGroups& groups, const std::string& group) {
    bool new_block = false;
    return groups.take(std::span(&group, 1), new_block);
}

TEST(SlotGroups, nodes_of_a_group_fill_its_blocks_from_the_lowest_slot) {
    SlotGroups groups;
    for (std::uint32_t count = 0; count < 64; ++count) {
        EXPECT_EQ(take(groups, "a"), slot_at(0, count));
    }
    EXPECT_EQ(take(groups, "b"), slot_at(1, 0));
    EXPECT_EQ(take(groups, "a"), slot_at(2, 0)) << "block 0 is full, block 1 is another group's";
    EXPECT_EQ(take(groups, "b"), slot_at(1, 1));
    EXPECT_EQ(groups.block_count(), 3u);
}

TEST(SlotGroups, a_slot_given_back_is_the_first_to_be_taken_again_by_its_group_only) {
    SlotGroups groups;
    for (int count = 0; count < 70; ++count) {
        take(groups, "a");
    }
    groups.give_back(slot_at(0, 9));
    EXPECT_EQ(take(groups, "b"), slot_at(2, 0));
    EXPECT_EQ(take(groups, "a"), slot_at(0, 9));
}

TEST(SlotGroups, an_empty_block_goes_to_whoever_needs_one_lowest_first) {
    SlotGroups groups;
    take(groups, "a");
    take(groups, "b");
    take(groups, "c");
    groups.give_back(slot_at(1, 0));
    groups.give_back(slot_at(0, 0));
    bool new_block = true;
    const std::string last[] = {"d", "e"};
    EXPECT_EQ(groups.take(std::span(last, 1), new_block), slot_at(0, 0));
    EXPECT_FALSE(new_block);
    EXPECT_EQ(take(groups, "b"), slot_at(1, 0));
    EXPECT_EQ(groups.take(std::span(last).subspan(1), new_block), slot_at(3, 0));
    EXPECT_TRUE(new_block);
}

// R-WORLD-40: nodes that all differ get blocks of their own up to a limit, then blocks of their shape, then the last group's.
TEST(SlotGroups, groups_are_no_more_than_nodes_need) {
    SlotGroups groups;
    bool new_block = false;
    const auto take_one = [&](const std::string& own, const std::string& shape) {
        const std::string names[] = {own, shape, "any"};
        return groups.take(names, new_block);
    };
    for (std::uint32_t node = 0; node < 65; ++node) {  // the limit is 64 + 64 / 64 at the last of these
        EXPECT_EQ(take_one("own-" + std::to_string(node), "shape"), slot_at(node, 0)) << node;
    }
    EXPECT_EQ(take_one("own-65", "shape"), slot_at(65, 0));
    EXPECT_EQ(take_one("own-66", "shape"), slot_at(65, 1));
    EXPECT_EQ(take_one("own-3", "shape"), slot_at(3, 1)) << "a group that has a block keeps its nodes together";
    for (std::uint32_t node = 0; node < 66; ++node) {
        take_one("own-other", "shape-" + std::to_string(node));
    }
    EXPECT_EQ(groups.group_count(), 132u) << "twice 64 + 134 / 64";
    EXPECT_EQ(take_one("own-other", "shape-other"), slot_at(132, 0));
    EXPECT_EQ(take_one("own-another", "shape-another"), slot_at(132, 1));
}

TEST(SlotGroups, a_group_goes_with_its_last_block) {
    SlotGroups groups;
    for (int count = 0; count < 65; ++count) {
        take(groups, "a");
    }
    take(groups, "b");
    groups.give_back(slot_at(1, 0));
    EXPECT_EQ(groups.group_count(), 2u) << "the other block of a is full, and there";
    groups.give_back(slot_at(2, 0));
    EXPECT_EQ(groups.group_count(), 1u);
    for (std::uint32_t lane = 0; lane < 64; ++lane) {
        groups.give_back(slot_at(0, lane));
    }
    EXPECT_EQ(groups.group_count(), 0u);
    EXPECT_EQ(take(groups, "a"), slot_at(0, 0));
}

}  // namespace
}  // namespace bayplan
