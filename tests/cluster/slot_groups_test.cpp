// Which slot a new node gets (R-WORLD-13).

#include <gtest/gtest.h>

#include "cluster/slot_groups.h"

namespace bayplan {
namespace {

Slot take(SlotGroups& groups, const std::string& group) {
    bool new_block = false;
    return groups.take(group, new_block);
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
    EXPECT_EQ(groups.take("d", new_block), slot_at(0, 0));
    EXPECT_FALSE(new_block);
    EXPECT_EQ(take(groups, "b"), slot_at(1, 0));
    EXPECT_EQ(groups.take("e", new_block), slot_at(3, 0));
    EXPECT_TRUE(new_block);
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
