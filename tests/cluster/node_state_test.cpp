// NodeState: where blocks lie, what each change does to the writer's view, the readers' view and the log.

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <random>
#include <vector>

#include "cluster/node_state.h"

namespace bayplan {
namespace {

constexpr auto kCpuResource = static_cast<ResourceId>(0);

std::int64_t used_as_readers_see_it(NodeState& state, Slot slot) {
    std::int64_t used = -1;
    const std::uint32_t block = block_of(slot);
    state.shard(state.shard_of(block)).read(state.reader(0), [&](const ShardSide& side) {
        const std::uint32_t index = state.index_in_shard(block);
        if (index < side.blocks.size() && side.blocks[index].columns(kCpuResource) != nullptr) {
            used = side.blocks[index].columns(kCpuResource)->used[lane_of(slot)];
        }
    });
    return used;
}

TEST(NodeState, every_block_has_one_place_in_one_shard_and_back) {
    for (const std::uint32_t shards : {1u, 3u, 4u, 16u}) {
        NodeState state(shards, 1);
        std::vector<std::uint32_t> filled(shards, 0);
        for (std::uint32_t block = 0; block < 500; ++block) {
            const std::uint32_t shard = state.shard_of(block);
            EXPECT_EQ(state.index_in_shard(block), filled[shard]++) << "blocks must fill a shard in order";
            EXPECT_EQ(state.block_at(shard, state.index_in_shard(block)), block);
        }
    }
}

TEST(NodeState, blocks_of_the_largest_cluster_lie_where_division_says) {
    constexpr std::uint32_t kBlocksMax = 1u << 26;  // of 64 slots with 32 bits
    for (const std::uint32_t shards : {1u, 3u, 7u, 641u, 1'023u, 1'024u}) {
        const NodeState state(shards, 1);
        for (std::uint32_t block = kBlocksMax - 1; block > 0; block -= block / 1'000 + 1) {
            const std::uint32_t run = block / NodeState::kRun;
            ASSERT_EQ(state.shard_of(block), run % shards) << block << " of " << shards;
            ASSERT_EQ(state.index_in_shard(block), run / shards * NodeState::kRun + block % NodeState::kRun);
        }
    }
}

TEST(NodeState, a_change_is_seen_by_the_writer_at_once_and_by_readers_after_publish) {
    NodeState state(4, 1);
    state.add_block();
    const std::vector<ResourceAmount> capacity{{kCpuResource, 1000}};
    state.put_node(slot_at(0, 5), static_cast<NameId>(9), capacity, true);
    state.publish();
    const std::vector<ResourceAmount> request{{kCpuResource, 300}};
    state.add_used(slot_at(0, 5), request, +1);
    EXPECT_EQ(state.block(0).columns(kCpuResource)->used[5], 300);
    EXPECT_EQ(used_as_readers_see_it(state, slot_at(0, 5)), 0);
    state.publish();
    EXPECT_EQ(used_as_readers_see_it(state, slot_at(0, 5)), 300);
    EXPECT_EQ(state.block(0).columns(kCpuResource)->used[5], 300) << "the other side got the same deltas";
}

TEST(NodeState, each_change_is_logged_once_and_versions_follow) {
    NodeState state(1, 1);
    state.add_block();
    state.add_block();
    const std::vector<ResourceAmount> capacity{{kCpuResource, 1000}, {static_cast<ResourceId>(1), 5}};
    state.put_node(slot_at(1, 0), static_cast<NameId>(1), capacity, true);
    const std::uint64_t before = state.log().head();
    state.add_used(slot_at(1, 0), capacity, +1);
    EXPECT_EQ(state.log().head(), before + 1);
    EXPECT_EQ(state.log().block_at(before + 1), 1u);
    EXPECT_EQ(state.version(1), before + 1);
    EXPECT_LT(state.version(0), before);
}

TEST(NodeState, capacity_is_replaced_as_a_whole) {
    NodeState state(1, 1);
    state.add_block();
    const std::vector<ResourceAmount> two{{kCpuResource, 1000}, {static_cast<ResourceId>(1), 5}};
    const std::vector<ResourceAmount> one{{kCpuResource, 400}};
    state.put_node(slot_at(0, 0), static_cast<NameId>(1), two, true);
    state.set_capacity(slot_at(0, 0), one);
    EXPECT_EQ(state.block(0).columns(kCpuResource)->capacity[0], 400);
    EXPECT_EQ(state.block(0).columns(static_cast<ResourceId>(1))->capacity[0], 0);
}

TEST(NodeState, holds_show_by_priority_and_as_a_sum) {
    NodeState state(1, 1);
    state.add_block();
    const std::vector<ResourceAmount> capacity{{kCpuResource, 1000}};
    state.put_node(slot_at(0, 3), static_cast<NameId>(1), capacity, true);
    state.set_holds(slot_at(0, 3),
                    std::make_shared<HoldList>(HoldList{{10, kCpuResource, 200}, {5, kCpuResource, 50}}));
    const NodeBlock& block = state.block(0);
    EXPECT_EQ(block.columns(kCpuResource)->held[3], 250);
    EXPECT_EQ(block.held_from(3, kCpuResource, 4), 250);
    EXPECT_EQ(block.held_from(3, kCpuResource, 5), 200) << "a hold is kept from lower priorities only";
    EXPECT_EQ(block.held_from(3, kCpuResource, 10), 0);
    EXPECT_EQ(block.holding, 1u << 3);
    state.set_holds(slot_at(0, 3), nullptr);
    EXPECT_EQ(state.block(0).columns(kCpuResource)->held[3], 0);
    EXPECT_EQ(state.block(0).holding, 0u);
}

TEST(ChangeLog, says_how_far_back_it_reaches) {
    ChangeLog log;
    for (std::uint64_t count = 0; count < ChangeLog::kEntries + 10; ++count) {
        log.append(slot_at(static_cast<std::uint32_t>(count % 7), 5));
    }
    EXPECT_TRUE(log.reaches_back_to(log.head()));
    EXPECT_TRUE(log.reaches_back_to(log.head() - ChangeLog::kEntries + 1));
    EXPECT_FALSE(log.reaches_back_to(log.head() - ChangeLog::kEntries));
    // The oldest position that a caller then reads is the one after: it must not be overwritten.
    const std::uint64_t oldest = log.head() - ChangeLog::kEntries + 2;
    EXPECT_EQ(log.block_at(oldest), (oldest - 1) % 7);
}

TEST(ChangeLog, lists_blocks_by_their_last_change) {
    constexpr std::uint32_t kBlocks = 9;
    ChangeLog log;
    std::vector<std::uint64_t> changed(kBlocks, 0);
    std::mt19937_64 random(11);
    for (int step = 0; step < 2'000; ++step) {
        const auto block = static_cast<std::uint32_t>(random() % kBlocks);
        changed[block] = step % 5 == 0 ? log.append_block(block) : log.append(slot_at(block, 3));
        const std::uint64_t position = log.head() - std::min<std::uint64_t>(log.head(), random() % 20);
        std::vector<std::uint32_t> expected;
        for (std::uint64_t at = log.head(); at > position; --at) {
            const auto last = std::find(changed.begin(), changed.end(), at);
            if (last != changed.end()) {
                expected.push_back(static_cast<std::uint32_t>(last - changed.begin()));
            }
        }
        std::vector<std::uint32_t> found(1 + random() % kBlocks);
        const std::size_t count = log.list_blocks_after(position, found);
        ASSERT_EQ(count, std::min(expected.size(), found.size() + 1)) << "step " << step;
        found.resize(std::min(count, found.size()));
        expected.resize(found.size());
        ASSERT_EQ(found, expected) << "step " << step;
    }
}

TEST(ChangeLog, says_which_nodes_of_a_block) {
    ChangeLog log;
    EXPECT_EQ(log.lanes_at(log.append(slot_at(3, 17))), std::uint64_t{1} << 17);
    EXPECT_EQ(log.block_at(log.head()), 3u);
    EXPECT_EQ(log.lanes_at(log.append_block(4)), ~std::uint64_t{0});
    EXPECT_EQ(log.block_at(log.head()), 4u);
}

}  // namespace
}  // namespace bayplan
