// Bounds bound: shares and codes against the amounts they stand for, score bounds against exact scores; and
// they are the same at every level.

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <vector>

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
    ResourceColumns cpu, memory, scored_cpu, scored_memory;
    ShareLanes shares, scored;
    bool alike = false;
    std::int64_t min[2] = {INT64_MAX, INT64_MAX};
    std::int64_t max[2] = {0, 0};

    explicit Block(RandomLanes& random) : alike(random.below(3) == 0) {
        fill(random, 0, cpu, scored_cpu, shares.cpu, scored.cpu);
        fill(random, 1, memory, scored_memory, shares.memory, scored.memory);
    }

    void fill(RandomLanes& random, int resource, ResourceColumns& real, ResourceColumns& scored,
              std::uint16_t* real_shares, std::uint16_t* scored_shares) {
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
            min[resource] = std::min(min[resource], capacity);
            max[resource] = std::max(max[resource], capacity);
        }
    }

    ShareRange range(int resource, std::int64_t amount) const {
        return {std::min<std::uint16_t>(kWhole, share_of(amount, max[resource])), share_above(amount, min[resource])};
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
        // In a row with others, which must not matter.
        const BoundedBlock one = {&block.shares, block.alike ? &block.shares : &block.scored, allowed};
        const BoundedBlock none = {&block.scored, &block.shares, 0};
        const BoundedBlock row[] = {none, one, {&block.scored, &block.shares, random.bits()}, one};
        std::uint16_t bounds[4];
        plain.score_bounds(row, 4, terms, bounds);
        const std::int64_t bound = std::int64_t{bounds[1]} - 1;
        ASSERT_GE(bound, best) << number;
        ASSERT_EQ(bounds[0], 0);
        ASSERT_EQ(bounds[3], bounds[1]);
        // No lane reaches more than the bound, and a lane that scores so much reaches it.
        const auto wanted = static_cast<std::uint16_t>(1 + std::max<std::int64_t>(0, bound - random.below(3)));
        const std::uint64_t reaching = plain.reaching(one, terms, wanted);
        ASSERT_EQ(reaching & ~allowed, 0u);
        ASSERT_EQ(reaching != 0, wanted <= bounds[1]);
        ASSERT_EQ(plain.reaching(one, terms, static_cast<std::uint16_t>(bounds[1] + 1)), 0u);
        for (std::uint64_t left = lanes; left != 0; left &= left - 1) {
            const auto lane = static_cast<std::uint32_t>(std::countr_zero(left));
            ASSERT_TRUE(scores[lane] + 1 < wanted || (reaching >> lane & 1) != 0) << number << " " << lane;
        }
        for (const LaneKernels* kernels : levels_here()) {
            std::uint16_t same[4];
            kernels->score_bounds(row, 4, terms, same);
            ASSERT_TRUE(std::equal(same, same + 4, bounds)) << number;
            ASSERT_EQ(kernels->reaching(one, terms, wanted), reaching) << number;
        }
        if (best >= 0 && block.min[0] == block.max[0] && block.min[1] == block.max[1]) {
            exact_sum += best;
            bound_sum += bound;
        }
    }
    // Where machines are alike the bound is of use: within two hundredths on average.
    EXPECT_LT(bound_sum, exact_sum + exact_sum / 50);
}

// Ranges of three runs of blocks: nodes alike, nodes of any use, nobody, blocks of which nothing is known.
struct Ranges {
    static constexpr std::uint32_t kRuns = 3;
    static constexpr std::uint32_t kCount = kRuns * kBlocksOfRun;

    std::uint16_t cpu_least[kCount], cpu_most[kCount], memory_least[kCount], memory_most[kCount];
    std::uint16_t scored_cpu_least[kCount], scored_memory_least[kCount];
    float cpu_unit_least[kCount], cpu_unit_most[kCount], memory_unit_least[kCount], memory_unit_most[kCount];
    std::uint64_t versions[kCount];

    explicit Ranges(RandomLanes& random) {
        for (std::uint32_t at = 0; at < kCount; ++at) {
            fill(random, cpu_least[at], cpu_most[at], cpu_unit_least[at], cpu_unit_most[at]);
            fill(random, memory_least[at], memory_most[at], memory_unit_least[at], memory_unit_most[at]);
            scored_cpu_least[at] = random.below(2) == 0 ? cpu_least[at] : share(random);
            scored_memory_least[at] = random.below(2) == 0 ? memory_least[at] : share(random);
            versions[at] = static_cast<std::uint64_t>(random.below(10));
        }
    }

    static std::uint16_t share(RandomLanes& random) {
        return static_cast<std::uint16_t>(random.below(8) == 0 ? 0 : random.below(kWhole + 2));
    }

    static void fill(RandomLanes& random, std::uint16_t& least, std::uint16_t& most, float& unit_least,
                     float& unit_most) {
        least = share(random);
        most = random.below(2) == 0 ? least : std::max(least, share(random));
        const auto capacity = static_cast<float>(1 + random.below(std::int64_t{1} << random.below(40)));
        unit_least = kWhole / capacity;
        unit_most = random.below(2) == 0 ? unit_least : unit_least * 2;
        if (random.below(16) == 0) {
            least = UINT16_MAX;
            most = 0;
        } else if (random.below(16) == 0) {
            unit_least = unit_most = 0;
        }
    }

    ShareRanges columns() const {
        return {
            cpu_least,      cpu_most,      memory_least,      memory_most,      scored_cpu_least, scored_memory_least,
            cpu_unit_least, cpu_unit_most, memory_unit_least, memory_unit_most, versions};
    }
};

// Bounds by ranges are checked on clusters (tests/placement); here that every level finds the same, for changed blocks.
TEST(LaneBounds, ranges_are_bounded_the_same_at_every_level) {
    RandomLanes random(6);
    constexpr std::uint32_t kBlocks = 7 * kBlocksOfRun;
    for (int number = 0; number < 5'000; ++number) {
        const Ranges ranges(random);
        RangeTerms terms;
        terms.cpu = static_cast<float>(random.below(3) == 0 ? 0 : random.amount());
        terms.memory = static_cast<float>(random.below(std::int64_t{1} << random.below(40)));
        terms.own_cpu = static_cast<float>(random.below(std::int64_t{1} << random.below(40)));
        terms.own_memory = random.below(2) == 0 ? terms.memory : static_cast<float>(random.amount());
        terms.cpu_max = static_cast<float>(kWhole + random.below(2));
        terms.memory_max = static_cast<float>(kWhole + random.below(2));
        terms.allocated_weight = static_cast<float>(random.below(328));
        terms.balanced_weight = static_cast<float>(random.below(328));
        terms.version = static_cast<std::uint64_t>(random.below(10));
        const BlockRuns runs = {Ranges::kRuns, kBlocksOfRun, 2 * kBlocksOfRun};
        std::vector<std::uint64_t> before(kBlocks);
        std::generate(before.begin(), before.end(), [&] { return random.bits() >> 1; });
        std::vector<std::uint64_t> keys = before;
        std::uint16_t changed[Ranges::kRuns];
        lane_kernels(SimdLevel::scalar).range_bounds(ranges.columns(), terms, runs, keys.data(), changed);
        for (std::uint32_t block = 0; block < kBlocks; ++block) {
            const std::uint32_t run = block / kBlocksOfRun;
            const std::uint32_t at = run / 2 * kBlocksOfRun + block % kBlocksOfRun;
            const bool touched = run % 2 == 1 && run < 6 && ranges.versions[at] > terms.version;
            ASSERT_TRUE(touched || keys[block] == before[block]) << block;
            if (run % 2 == 1 && run < 6) {
                ASSERT_EQ((changed[run / 2] >> block % kBlocksOfRun & 1) != 0, touched);
            }
            if (touched && keys[block] != 0) {
                ASSERT_EQ(static_cast<std::uint32_t>(keys[block]), ~(block * kLanes));
            }
        }
        for (const LaneKernels* kernels : levels_here()) {
            std::vector<std::uint64_t> same = before;
            std::uint16_t same_changed[Ranges::kRuns];
            kernels->range_bounds(ranges.columns(), terms, runs, same.data(), same_changed);
            ASSERT_EQ(same, keys) << number;
            ASSERT_TRUE(std::equal(changed, changed + Ranges::kRuns, same_changed));
        }
    }
}

}  // namespace
}  // namespace bayplan
