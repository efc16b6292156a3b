// Bounds bound: shares and codes against the amounts they stand for, score bounds against exact scores; and
// they are the same at every level.

#include <gtest/gtest.h>

#include <bit>

#include "scoring/score.h"
#include "tests/lanes/random_lanes.h"

namespace bayplan {
namespace {

using testing::lanes_of;
using testing::levels_here;
using testing::RandomLanes;

TEST(LaneBounds, codes_rise_with_amounts) {
    RandomLanes random(3);
    for (int number = 0; number < 200'000; ++number) {
        const std::int64_t a = random.amount();
        const std::int64_t b = random.below(2) == 0 ? random.amount() : a + random.below(3);
        ASSERT_EQ(room_code(std::max(a, b)) >= room_code(std::min(a, b)), true) << a << " " << b;
    }
    for (std::int64_t amount = 0; amount < 2048; ++amount) {
        ASSERT_EQ(room_code(amount), amount) << "small ones are exact";
    }
    EXPECT_EQ(room_code(-1), 0);
    EXPECT_GT(room_code(std::int64_t{1} << 53), room_code((std::int64_t{1} << 53) - (std::int64_t{1} << 42)));
}

TEST(LaneBounds, shares_are_rounded_as_they_say) {
    RandomLanes random(4);
    for (int number = 0; number < 200'000; ++number) {
        const std::int64_t capacity = 1 + random.below(kShareCapacityMax);
        const std::int64_t amount = random.below(capacity + 1);
        const __int128 exact = static_cast<__int128>(amount) * kWhole;  // times capacity
        ASSERT_LE(static_cast<__int128>(share_of(amount, capacity)) * capacity, exact);
        ASSERT_GT(static_cast<__int128>(share_of(amount, capacity) + 1) * capacity, exact);
        ASSERT_GE(static_cast<__int128>(share_above(amount, capacity)) * capacity, exact);
    }
    EXPECT_EQ(share_of(11, 10), kWhole + 1);
    EXPECT_EQ(share_of(10, 10), kWhole);
    EXPECT_EQ(share_of(0, 0), 0);
    EXPECT_EQ(share_of(1, 0), kWhole + 1);
}

// A block as nodes come: capacities alike or within a factor of two, pods of any size on them.
struct Block {
    KindColumns cpu, memory, scored_cpu, scored_memory;
    ShareLanes shares;
    bool alike = false;
    std::int64_t min[2] = {INT64_MAX, INT64_MAX};
    std::int64_t max[2] = {0, 0};

    explicit Block(RandomLanes& random) : alike(random.below(3) == 0) {
        fill(random, 0, cpu, scored_cpu, shares.cpu, shares.scored_cpu);
        fill(random, 1, memory, scored_memory, shares.memory, shares.scored_memory);
    }

    void fill(RandomLanes& random, int kind, KindColumns& real, KindColumns& scored, std::uint16_t* real_shares,
              std::uint16_t* scored_shares) {
        const std::int64_t shape = 1 + random.below(std::int64_t{1} << (1 + random.below(46)));
        const bool one_shape = random.below(2) == 0;
        const std::int64_t level = random.below(shape + 1);
        for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
            const std::int64_t capacity = one_shape ? shape : shape + random.below(shape);
            real.capacity[lane] = scored.capacity[lane] = capacity;
            real.used[lane] = random.below(3) == 0 ? level : random.below(capacity + capacity / 50 + 1);
            scored.used[lane] = alike || random.below(3) == 0 ? real.used[lane] : random.below(2 * capacity);
            real_shares[lane] = share_of(real.used[lane], capacity);
            scored_shares[lane] = share_of(scored.used[lane], capacity);
            min[kind] = std::min(min[kind], capacity);
            max[kind] = std::max(max[kind], capacity);
        }
    }

    ShareRange range(int kind, std::int64_t amount) const {
        return {std::min<std::uint16_t>(kWhole, share_of(amount, max[kind])), share_above(amount, min[kind])};
    }
};

TEST(LaneBounds, no_node_scores_better_than_the_bound) {
    RandomLanes random(5);
    std::int64_t exact_sum = 0;
    std::int64_t bound_sum = 0;
    for (int number = 0; number < 20'000; ++number) {
        const Block block(random);
        const std::int64_t cpu = random.below(4) == 0 ? 0 : random.below(block.max[0] / (1 + random.below(20)) + 1);
        const std::int64_t memory = random.below(4) == 0 ? 0 : random.below(block.max[1] / (1 + random.below(20)) + 1);
        ScoreTerms terms;
        terms.cpu = block.range(0, cpu);
        terms.memory = block.range(1, memory);
        terms.own_cpu = terms.cpu;
        terms.own_memory = terms.memory;
        terms.cpu_max = cpu == 0 ? UINT16_MAX : static_cast<std::uint16_t>(kWhole - terms.cpu.low);
        terms.memory_max = memory == 0 ? UINT16_MAX : static_cast<std::uint16_t>(kWhole - terms.memory.low);
        terms.allocated = static_cast<AllocatedScore>(random.below(3));
        terms.allocated_weight = static_cast<std::uint16_t>(1 + random.below(100));
        terms.balanced_weight = static_cast<std::uint16_t>(random.below(100));

        const LaneKernels& plain = lane_kernels(SimdLevel::scalar);
        LaneScores scores{};
        if (terms.allocated == AllocatedScore::least) {
            plain.add_least_allocated(lanes_of(block.scored_cpu, cpu), lanes_of(block.scored_memory, memory),
                                      ~std::uint64_t{0}, terms.allocated_weight, scores.data());
        } else if (terms.allocated == AllocatedScore::most) {
            plain.add_most_allocated(lanes_of(block.scored_cpu, cpu), lanes_of(block.scored_memory, memory),
                                     ~std::uint64_t{0}, terms.allocated_weight, scores.data());
        }
        plain.add_balanced(lanes_of(block.cpu, cpu), lanes_of(block.memory, memory), ~std::uint64_t{0},
                           terms.balanced_weight, scores.data());
        std::uint64_t lanes = number % 2 == 0 ? ~std::uint64_t{0} : random.bits();
        const std::uint64_t allowed = lanes;
        lanes = cpu == 0 ? lanes : plain.with_room(lanes_of(block.cpu, cpu), lanes);
        lanes = memory == 0 ? lanes : plain.with_room(lanes_of(block.memory, memory), lanes);
        std::int64_t best = -1;
        for (std::uint64_t left = lanes; left != 0; left &= left - 1) {
            best = std::max(best, scores[static_cast<std::size_t>(std::countr_zero(left))]);
        }
        const std::int64_t bound = plain.score_bound(block.shares, block.alike, terms, allowed);
        ASSERT_GE(bound, best) << number;
        for (const LaneKernels* kernels : levels_here()) {
            ASSERT_EQ(kernels->score_bound(block.shares, block.alike, terms, allowed), bound) << number;
        }
        if (best >= 0 && block.min[0] == block.max[0] && block.min[1] == block.max[1]) {
            exact_sum += best;
            bound_sum += bound;
        }
    }
    // Where machines are alike the bound is of use: within two hundredths on average.
    EXPECT_LT(bound_sum, exact_sum + exact_sum / 50);
}

}  // namespace
}  // namespace bayplan
