// The ranges over a block's nodes against a recount, on both sides of a shard, while use goes up and down.

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "cluster/kinds.h"
#include "cluster/node_state.h"

namespace bayplan {
namespace {

constexpr std::uint32_t kNodes = 6;
constexpr std::int64_t kCapacity = 1'000;

void expect_ranges(const ShardSide& side, std::uint32_t present, int step) {
    const ShareLanes& shares = side.bounds.shares(0);
    const ShareRanges ranges = side.bounds.ranges(side.versions.data());
    const auto [least, most] = std::minmax_element(shares.cpu, shares.cpu + present);
    ASSERT_EQ(ranges.cpu_least[0], *least) << "step " << step;
    ASSERT_EQ(ranges.cpu_most[0], *most) << "step " << step;
    const auto [memory_least, memory_most] = std::minmax_element(shares.memory, shares.memory + present);
    ASSERT_EQ(ranges.memory_least[0], *memory_least) << "step " << step;
    ASSERT_EQ(ranges.memory_most[0], *memory_most) << "step " << step;
}

TEST(ShardBounds, ranges_are_those_of_the_nodes_after_every_change_on_both_sides) {
    std::mt19937_64 random(7);
    NodeState state(1, 1);
    state.add_block();
    const std::vector<KindAmount> capacity = {{kCpu, kCapacity}, {kMemory, kCapacity}};
    for (std::uint32_t lane = 0; lane < kNodes; ++lane) {
        state.put_node(slot_at(0, lane), static_cast<NameId>(lane), capacity, true);
    }
    std::vector<std::int64_t> used(kNodes, 0);
    for (int step = 0; step < 3'000; ++step) {
        const auto lane = static_cast<std::uint32_t>(random() % kNodes);
        const std::int64_t wanted = static_cast<std::int64_t>(random() % 10) * 100;  // few values, so that ends are shared
        const KindAmount both[] = {{kCpu, wanted - used[lane]}, {kMemory, wanted - used[lane]}};
        if (step % 3 == 0) {
            state.add_foreign(slot_at(0, lane), both, +1);
        } else {
            state.add_used(slot_at(0, lane), both, +1);
        }
        used[lane] = wanted;
        expect_ranges(state.side_of(0), kNodes, step);
        if (random() % 4 == 0) {
            state.publish();
            state.shard(0).read(state.reader(0), [&](const ShardSide& side) { expect_ranges(side, kNodes, step); });
        }
    }
}

}  // namespace
}  // namespace bayplan
