// Both sides of every shard are the same after a publish, after any changes and any time without a reader.
//
// Random histories of everything that a node state can be told; now and then a publish, and then every field of the
// readers' side against the writer's. Missing columns are not zeros here: a side has what the other has.

#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "tests/cluster/node_history.h"

namespace bayplan {
namespace {

template <typename Column>
using Columns = std::vector<std::unique_ptr<Column>>;

template <typename Column>
void expect_same_columns(const Columns<Column>& readers, const Columns<Column>& writers) {
    ASSERT_EQ(readers.size(), writers.size());
    for (std::size_t resource = 0; resource < writers.size(); ++resource) {
        ASSERT_EQ(readers[resource] == nullptr, writers[resource] == nullptr) << "kind " << resource;
    }
}

void expect_same_amounts(const ResourceColumns& readers, const ResourceColumns& writers) {
    ASSERT_EQ(readers.capacity, writers.capacity);
    ASSERT_EQ(readers.used, writers.used);
    ASSERT_EQ(readers.foreign, writers.foreign);
    ASSERT_EQ(readers.held, writers.held);
}

void expect_same_block(const NodeBlock& readers, const NodeBlock& writers) {
    ASSERT_EQ(readers.present, writers.present);
    ASSERT_EQ(readers.schedulable, writers.schedulable);
    ASSERT_EQ(readers.holding, writers.holding);
    ASSERT_EQ(readers.names, writers.names);
    ASSERT_EQ(readers.holds, writers.holds);
    ASSERT_EQ(readers.hold_floor, writers.hold_floor);
    ASSERT_NO_FATAL_FAILURE(expect_same_columns(readers.resources, writers.resources));
    ASSERT_NO_FATAL_FAILURE(expect_same_columns(readers.reaches, writers.reaches));
    for (std::size_t resource = 0; resource < writers.resources.size(); ++resource) {
        if (writers.resources[resource]) {
            ASSERT_NO_FATAL_FAILURE(expect_same_amounts(*readers.resources[resource], *writers.resources[resource]))
                << "kind " << resource;
        }
    }
    for (std::size_t resource = 0; resource < writers.reaches.size(); ++resource) {
        ASSERT_TRUE(!writers.reaches[resource] || *readers.reaches[resource] == *writers.reaches[resource])
            << "kind " << resource;
    }
}

void expect_same_sides(NodeState& state) {
    for (std::uint32_t number = 0; number < state.shard_count(); ++number) {
        const ShardSide& writers = state.shard(number).back();
        state.shard(number).read(state.reader(0), [&](const ShardSide& readers) {
            ASSERT_NE(&readers, &writers);
            ASSERT_EQ(readers.blocks.size(), writers.blocks.size());
            ASSERT_EQ(readers.versions, writers.versions);
            ASSERT_TRUE(readers.bounds == writers.bounds);
            for (std::size_t block = 0; block < writers.blocks.size(); ++block) {
                ASSERT_NO_FATAL_FAILURE(expect_same_block(readers.blocks[block], writers.blocks[block]))
                    << "block " << block;
            }
        });
    }
}

// Mostly a few changes between publishes, and sometimes so many that lanes are copied a block at a time.
TEST(ShardSides, are_the_same_after_every_publish_of_random_histories) {
    for (const std::uint32_t shards : {1u, 3u}) {
        for (std::uint64_t seed = 1; seed <= 6; ++seed) {
            NodeState state(shards, 1);
            NodeHistory history(state, seed);
            const std::uint64_t between = seed % 2 == 0 ? 12 : 1'500;
            for (int step = 0; step < 6'000; ++step) {
                history.step();
                if (history.chance(between)) {
                    state.publish();
                    EXPECT_EQ(state.published(), state.log().head());
                    ASSERT_NO_FATAL_FAILURE(expect_same_sides(state)) << "seed " << seed << ", step " << step;
                }
            }
        }
    }
}

// The readers' side stands still until a publish, and takes no memory before the first.
TEST(ShardSides, what_readers_see_is_left_alone_until_a_publish) {
    NodeState state(1, 1);
    NodeHistory history(state, 3);
    for (int step = 0; step < 10'000; ++step) {
        history.step();
    }
    EXPECT_EQ(state.published(), 0u);
    state.shard(0).read(state.reader(0), [](const ShardSide& side) { EXPECT_TRUE(side.blocks.empty()); });
    state.publish();
    ASSERT_NO_FATAL_FAILURE(expect_same_sides(state));
    std::vector<std::uint64_t> versions;
    state.shard(0).read(state.reader(0), [&](const ShardSide& side) { versions = side.versions; });
    for (int step = 0; step < 1'000; ++step) {
        history.step();
    }
    state.shard(0).read(state.reader(0), [&](const ShardSide& side) { EXPECT_EQ(side.versions, versions); });
}

}  // namespace
}  // namespace bayplan
