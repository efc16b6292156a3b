// Ranges of free amounts against a recount of the nodes, after every change.

#include "cluster/room_ranges.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/cluster/node_history.h"

namespace bayplan {
namespace {

// Lane by lane, holds from their lists.
RoomRanges::Range recount(const NodeBlock& block, ResourceId resource) {
    RoomRanges::Range range;
    for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
        if ((block.present >> lane & 1) == 0) {
            continue;
        }
        const ResourceColumns* const columns = block.columns(resource);
        std::int64_t held = 0;
        if (const HoldList* const list = block.holds_of(lane)) {
            for (const HeldAmount& hold : *list) {
                held += hold.resource == resource ? hold.amount : 0;
            }
        }
        range.most = std::max(range.most, block.unused(lane, resource));
        range.least_beside_holds = std::min(range.least_beside_holds, block.unused(lane, resource) - held);
        range.least_capacity = std::min(range.least_capacity, columns == nullptr ? 0 : columns->capacity[lane]);
    }
    return range;
}

TEST(RoomRanges, are_those_of_the_nodes_after_every_change_of_random_histories) {
    for (std::uint64_t seed = 1; seed <= 4; ++seed) {
        NodeState state(3, 1);
        NodeHistory history(state, seed);
        RoomRanges ranges(state);
        for (int step = 0; step < 4'000; ++step) {
            history.step();
            for (std::uint32_t block = 0; block < state.block_count(); block += 1 + step % 7) {
                for (const ResourceId resource : kKindsHere) {
                    const RoomRanges::Range& shown = ranges.of(block, resource);
                    const RoomRanges::Range counted = recount(state.block(block), resource);
                    ASSERT_EQ(shown.most, counted.most) << "seed " << seed << ", step " << step;
                    ASSERT_EQ(shown.least_beside_holds, counted.least_beside_holds);
                    ASSERT_EQ(shown.least_capacity, counted.least_capacity);
                }
            }
        }
    }
}

}  // namespace
}  // namespace bayplan
