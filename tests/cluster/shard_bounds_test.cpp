// The shares of a block's nodes, and the ranges over them, against a recount on both sides of a shard, while use goes up and
// down.

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <random>
#include <vector>

#include "cluster/node_state.h"
#include "cluster/resources.h"

namespace bayplan {
namespace {

constexpr std::uint32_t kNodes = 6;
constexpr std::int64_t kCapacity = 1'000;

// A block of them.
void put_nodes(NodeState& state) {
    state.add_block();
    const std::vector<ResourceAmount> capacity = {{kCpu, kCapacity}, {kMemory, kCapacity}};
    for (std::uint32_t lane = 0; lane < kNodes; ++lane) {
        state.put_node(slot_at(0, lane), static_cast<NameId>(lane), capacity, true);
    }
}

// In use of cpu and of memory alike; scored: what resource scores count of both.
struct Use {
    std::int64_t real = 0;
    std::int64_t scored = 0;
};

void expect_range(const std::uint16_t* shares, std::uint16_t least, std::uint16_t most) {
    const auto [smallest, largest] = std::minmax_element(shares, shares + kNodes);
    ASSERT_EQ(least, *smallest);
    ASSERT_EQ(most, *largest);
}

void expect_bounds(const ShardSide& side, const std::vector<Use>& use) {
    const ShareLanes& real = side.bounds.shares(0);
    const ShareLanes& scored = side.bounds.scored_shares(0);
    for (std::uint32_t lane = 0; lane < kNodes; ++lane) {
        const std::uint16_t share = share_of(use[lane].real, kCapacity);
        const std::uint16_t scored_share = share_of(use[lane].scored, kCapacity);
        ASSERT_EQ(real.cpu[lane], share);
        ASSERT_EQ(real.memory[lane], share);
        ASSERT_EQ(scored.cpu[lane], scored_share);
        ASSERT_EQ(scored.memory[lane], scored_share);
        ASSERT_EQ((side.bounds.block(0).apart >> lane & 1) != 0, share != scored_share);
    }
    const ShareRanges ranges = side.bounds.ranges(side.versions.data());
    ASSERT_NO_FATAL_FAILURE(expect_range(real.cpu, ranges.cpu_least[0], ranges.cpu_most[0]));
    ASSERT_NO_FATAL_FAILURE(expect_range(real.memory, ranges.memory_least[0], ranges.memory_most[0]));
    ASSERT_EQ(ranges.scored_cpu_least[0], *std::min_element(scored.cpu, scored.cpu + kNodes));
    ASSERT_EQ(ranges.scored_memory_least[0], *std::min_element(scored.memory, scored.memory + kNodes));
}

TEST(ShardBounds, shares_and_ranges_are_those_of_the_nodes_after_every_change_on_both_sides) {
    std::mt19937_64 random(7);
    NodeState state(1, 1);
    put_nodes(state);
    std::vector<Use> use(kNodes);
    // Few values, so that ends are shared; more than there is, too.
    const auto some = [&] { return static_cast<std::int64_t>(random() % 12) * 100; };
    for (int step = 0; step < 3'000; ++step) {
        const auto lane = static_cast<std::uint32_t>(random() % kNodes);
        const Use before = use[lane];
        use[lane].real = some();
        use[lane].scored = random() % 2 == 0 ? use[lane].real : some();
        const std::int64_t real = use[lane].real - before.real;
        const std::int64_t scored = use[lane].scored - before.scored;
        const ResourceAmount all[] = {{kCpu, real}, {kMemory, real}, {kScoredCpu, scored}, {kScoredMemory, scored}};
        if (step % 3 == 0) {
            state.add_foreign(slot_at(0, lane), all, +1);
        } else {
            state.add_used(slot_at(0, lane), all, +1);
        }
        ASSERT_NO_FATAL_FAILURE(expect_bounds(state.side_of(0), use)) << "step " << step;
        if (random() % 4 == 0) {
            state.publish();
            state.shard(0).read(state.reader(0), [&](const ShardSide& side) {
                ASSERT_NO_FATAL_FAILURE(expect_bounds(side, use)) << "step " << step;
            });
        }
    }
}

// Asks that respect every hold of a block are told of the cpu beside them.
void expect_beside_holds(const ShardSide& side) {
    const NodeBlock& block = side.blocks[0];
    const BlockBounds& bounds = side.bounds.block(0);
    if (block.holding == 0) {
        ASSERT_EQ(bounds.respected_below, BlockBounds::kNoHolds);
        return;
    }
    ASSERT_EQ(bounds.respected_below, std::min<std::int64_t>(block.hold_floor, INT32_MAX));
    const RoomLanes& codes = side.bounds.cpu_beside_holds(0);
    for (std::uint32_t lane = 0; lane < kNodes; ++lane) {
        ASSERT_EQ(codes.code[lane], room_code(block.free_for(lane, kCpu, -1))) << "lane " << lane;
    }
}

TEST(ShardBounds, cpu_beside_holds_is_that_of_the_nodes_after_every_change_on_both_sides) {
    std::mt19937_64 random(8);
    NodeState state(1, 1);
    put_nodes(state);
    const auto some = [&] { return static_cast<std::int64_t>(random() % 12) * 100; };
    std::vector<std::int64_t> used(kNodes);
    int without = 0;
    for (int step = 0; step < 3'000; ++step) {
        const auto lane = static_cast<std::uint32_t>(random() % kNodes);
        const Slot slot = slot_at(0, lane);
        if (random() % 3 == 0) {
            const ResourceAmount more[] = {{kCpu, some() - used[lane]}};
            used[lane] += more[0].value;
            state.add_used(slot, more, +1);
        } else if (random() % 2 == 0) {
            state.set_holds(slot, nullptr);
        } else {
            const std::int64_t floor = random() % 9 == 0 ? std::int64_t{INT32_MAX} + 1 : some();
            const auto resource = random() % 2 == 0 ? kCpu : kMemory;
            state.set_holds(slot, std::make_shared<HoldList>(HoldList{{floor, resource, some(), kNoDevices}}));
        }
        without += state.side_of(0).blocks[0].holding == 0 ? 1 : 0;
        ASSERT_NO_FATAL_FAILURE(expect_beside_holds(state.side_of(0))) << "step " << step;
        if (random() % 4 == 0) {
            state.publish();
            state.shard(0).read(state.reader(0), [&](const ShardSide& side) {
                ASSERT_NO_FATAL_FAILURE(expect_beside_holds(side)) << "step " << step;
            });
        }
    }
    EXPECT_GT(without, 10);
}

}  // namespace
}  // namespace bayplan
