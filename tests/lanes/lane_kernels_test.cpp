// All levels give the same bits, and the scalar one gives what the formulas say.

#include <cmath>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "scoring/score.h"
#include "tests/lanes/random_lanes.h"

namespace bayplan {
namespace {

using testing::lanes_of;
using testing::levels_here;
using testing::RandomLanes;

constexpr int kBlocks = 20'000;

struct Block {
    ResourceColumns cpu;
    ResourceColumns memory;
    std::int64_t cpu_amount = 0;
    std::int64_t memory_amount = 0;

    explicit Block(RandomLanes& random) {
        random.fill(cpu);
        random.fill(memory);
        cpu_amount = random.below(2) == 0 ? random.amount() : random.below(cpu.capacity[0] + 1);
        memory_amount = random.below(2) == 0 ? random.amount() : random.below(memory.capacity[0] + 1);
    }
    ResourceLanes cpu_lanes() const { return lanes_of(cpu, cpu_amount); }
    ResourceLanes memory_lanes() const { return lanes_of(memory, memory_amount); }
    static std::int64_t taken(const ResourceColumns& columns, std::uint32_t lane, std::int64_t amount) {
        return columns.used[lane] + columns.foreign[lane] + amount;
    }
};

struct ResourceUse {
    std::int64_t requested = 0;
    std::int64_t capacity = 0;
};

// NodeResourcesBalancedAllocation as Kubernetes writes it down, in its order of operations.
std::int64_t balance(ResourceUse cpu, ResourceUse memory) {
    std::vector<double> fractions;
    for (const ResourceUse& use : {cpu, memory}) {
        if (use.capacity != 0) {
            const double fraction = static_cast<double>(use.requested) / static_cast<double>(use.capacity);
            fractions.push_back(fraction > 1 ? 1 : fraction);
        }
    }
    const double deviation = fractions.size() == 2 ? std::fabs((fractions[0] - fractions[1]) / 2) : 0;
    return static_cast<std::int64_t>((1 - deviation) * 100.0);
}

TEST(LaneKernels, this_machine_shows_which_levels_were_compared) {
    for (const LaneKernels* kernels : levels_here()) {
        RecordProperty("level_" + std::to_string(static_cast<int>(kernels->level)), 1);
    }
    EXPECT_EQ(lane_kernels(SimdLevel::scalar).level, SimdLevel::scalar);
}

TEST(LaneKernels, scores_are_those_of_the_formulas_at_every_level) {
    RandomLanes random(1);
    for (int number = 0; number < kBlocks; ++number) {
        const Block block(random);
        const std::int64_t weight = 1 + random.below(100);
        LaneScores least{}, most{}, balanced{};
        for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
            const std::int64_t cpu = Block::taken(block.cpu, lane, block.cpu_amount);
            const std::int64_t memory = Block::taken(block.memory, lane, block.memory_amount);
            std::int64_t sums[2] = {0, 0};
            std::int64_t resources = 0;
            for (const auto& [r, a] :
                 {std::pair{cpu, block.cpu.capacity[lane]}, {memory, block.memory.capacity[lane]}}) {
                if (a > 0) {
                    sums[0] += r > a ? 0 : (a - r) * 100 / a;
                    sums[1] += std::min(r, a) * 100 / a;
                    ++resources;
                }
            }
            least[lane] = 7 + weight * (resources == 0 ? 0 : sums[0] / resources);
            most[lane] = 7 + weight * (resources == 0 ? 0 : sums[1] / resources);
            balanced[lane] =
                7 + weight * balance({cpu, block.cpu.capacity[lane]}, {memory, block.memory.capacity[lane]});
        }
        const std::uint64_t some = random.bits() & random.bits() & random.bits() & random.bits();
        for (const LaneKernels* kernels : levels_here()) {
            // All lanes, and some: other eights are left alone, others of the same eight may get anything.
            const auto expect_scores = [&](auto add, const LaneScores& expected) {
                for (const std::uint64_t lanes : {~std::uint64_t{0}, some}) {
                    LaneScores scores;
                    scores.fill(7);
                    add(block.cpu_lanes(), block.memory_lanes(), lanes, weight, scores.data());
                    for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
                        const bool asked = (lanes >> lane & 1) != 0;
                        const bool beside = (whole_eights(lanes) >> lane & 1) != 0;
                        ASSERT_TRUE(beside || scores[lane] == 7) << number << static_cast<int>(kernels->level);
                        ASSERT_TRUE(!asked || scores[lane] == expected[lane])
                            << number << static_cast<int>(kernels->level);
                    }
                }
            };
            expect_scores(kernels->add_least_allocated, least);
            expect_scores(kernels->add_most_allocated, most);
            expect_scores(kernels->add_balanced, balanced);
        }
    }
}

TEST(LaneKernels, balance_worked_by_hand) {
    const struct {
        ResourceUse cpu;
        ResourceUse memory;
        std::int64_t score;
        const char* why;
    } rows[] = {
        {{2000, 4000}, {3000, 10000}, 90, "S2"},
        {{0, 0}, {0, 0}, 100, "no kind at all"},
        {{1, 2}, {5, 0}, 100, "one kind deviates from nothing"},
        {{5, 0}, {1, 2}, 100, "likewise"},
        {{0, 10}, {10, 10}, 50, "as far apart as can be"},
        {{30, 10}, {10, 10}, 100, "a share is at most 1"},
        {{15, 10}, {10, 10}, 100, "from just above 1 on"},
        {{30, 10}, {0, 10}, 50, ""},
        {{999, 1000}, {0, 1000}, 50, "truncates"},
        {{1, 1000}, {0, 1000}, 99, "truncates"},
        {{3, 10},
         {1, 10},
         static_cast<std::int64_t>((1 - std::fabs((0.3 - 0.1) / 2)) * 100.0),
         "the double as it comes out"},
    };
    for (const auto& row : rows) {
        EXPECT_EQ(balance(row.cpu, row.memory), row.score) << row.why;
        ResourceColumns cpu, memory;
        cpu.used.fill(row.cpu.requested);
        cpu.capacity.fill(row.cpu.capacity);
        memory.used.fill(row.memory.requested);
        memory.capacity.fill(row.memory.capacity);
        for (const LaneKernels* kernels : levels_here()) {
            LaneScores scores{};
            kernels->add_balanced(lanes_of(cpu, 0), lanes_of(memory, 0), ~std::uint64_t{0}, 1, scores.data());
            for (const std::int64_t score : scores) {
                ASSERT_EQ(score, row.score) << row.why << static_cast<int>(kernels->level);
            }
        }
    }
}

// Every part of some wholes whose hundredths do not come out even, and all near the ends of large ones.
TEST(LaneKernels, percents_are_exact_for_every_part_of_a_whole) {
    std::vector<std::pair<std::int64_t, std::int64_t>> divisions;
    for (std::int64_t whole = 1; whole <= 300; ++whole) {
        for (std::int64_t part = 0; part <= whole; ++part) {
            divisions.emplace_back(part, whole);
        }
    }
    for (const std::int64_t whole : {std::int64_t{1} << 53, (std::int64_t{1} << 53) - 1, (std::int64_t{1} << 46) + 1,
                                     std::int64_t{9'007'199'254'740'881}}) {
        for (std::int64_t hundredths = 0; hundredths <= 100; ++hundredths) {
            for (std::int64_t off = -2; off <= 2; ++off) {
                const auto part = static_cast<std::int64_t>(static_cast<__int128>(whole) * hundredths / 100) + off;
                if (part >= 0 && part <= whole) {
                    divisions.emplace_back(part, whole);
                }
            }
        }
    }
    while (divisions.size() % kLanes != 0) {
        divisions.emplace_back(0, 1);
    }
    for (std::size_t first = 0; first < divisions.size(); first += kLanes) {
        ResourceColumns columns, none;
        for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
            columns.used[lane] = divisions[first + lane].first;
            columns.capacity[lane] = divisions[first + lane].second;
        }
        for (const LaneKernels* kernels : levels_here()) {
            LaneScores scores{};
            kernels->add_most_allocated(lanes_of(columns, 0), lanes_of(none, 0), ~std::uint64_t{0}, 1, scores.data());
            for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
                const auto [part, whole] = divisions[first + lane];
                ASSERT_EQ(scores[lane], part * 100 / whole) << part << " of " << whole;
            }
        }
    }
}

TEST(LaneKernels, amounts_of_other_eights_may_be_anything) {
    constexpr std::uint64_t kSecondEight = 0xff00;
    std::array<std::int64_t, kLanes> capacity;
    std::array<std::int64_t, kLanes> used;
    const std::array<std::int64_t, kLanes> foreign{};
    capacity.fill(INT64_MIN);  // less anything: overflow, which a sanitizer reports
    used.fill(INT64_MAX);
    for (std::uint32_t lane = 8; lane < 16; ++lane) {
        capacity[lane] = 10;
        used[lane] = lane;
    }
    for (const LaneKernels* kernels : levels_here()) {
        EXPECT_EQ(kernels->with_room({capacity.data(), used.data(), foreign.data(), 1}, kSecondEight), 0x0300u);
    }
}

TEST(LaneKernels, masks_and_keys_are_the_same_at_every_level) {
    RandomLanes random(2);
    const LaneKernels& plain = lane_kernels(SimdLevel::scalar);
    for (int number = 0; number < kBlocks; ++number) {
        const Block block(random);
        std::array<NameId, kLanes> names;
        std::array<std::uint16_t, kLanes> codes;
        LaneScores scores{};
        for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
            names[lane] = static_cast<NameId>(random.below(9) - 1);
            codes[lane] = static_cast<std::uint16_t>(random.below(4) == 0 ? random.bits() : 3 + random.bits() % 3);
            scores[lane] = random.below(random.below(2) == 0 ? 4 : std::int64_t{1} << 29);
        }
        std::vector<std::uint64_t> keys(static_cast<std::size_t>(random.below(70)));
        for (std::uint64_t& key : keys) {
            key = random.bits() >> 1;
        }
        const std::uint64_t lanes = number % 3 == 0 ? random.bits() & random.bits() & random.bits() : random.bits();
        const auto first_slot = static_cast<std::uint32_t>(random.below(1 << 20)) * kLanes;
        for (const LaneKernels* kernels : levels_here()) {
            ASSERT_EQ(kernels->with_room(block.cpu_lanes(), lanes), plain.with_room(block.cpu_lanes(), lanes));
            ASSERT_EQ(kernels->with_room(block.cpu_lanes(), lanes),
                      lanes & kernels->with_room(block.cpu_lanes(), ~std::uint64_t{0}));
            const std::array both = {block.cpu_lanes(), block.memory_lanes()};
            ASSERT_EQ(kernels->with_room_for_all(both.data(), 2, lanes),
                      plain.with_room(both[0], lanes) & plain.with_room(both[1], lanes));
            ASSERT_EQ(kernels->with_room_for_all(both.data(), 0, lanes), lanes);
            ASSERT_EQ(kernels->named(names.data(), names[3]), plain.named(names.data(), names[3]));
            ASSERT_EQ(kernels->coded(codes.data(), codes[5]), plain.coded(codes.data(), codes[5]));
            ASSERT_EQ(kernels->best_key(lanes, scores.data(), first_slot),
                      plain.best_key(lanes, scores.data(), first_slot));
            ASSERT_EQ(kernels->best_key(0, scores.data(), first_slot), 0u);
            ASSERT_EQ(kernels->largest(keys.data(), keys.size()), plain.largest(keys.data(), keys.size()));
            LaneScores cleared = scores;
            kernels->clear_eights(whole_eights(lanes), cleared.data());
            for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
                ASSERT_EQ(cleared[lane], (whole_eights(lanes) >> lane & 1) != 0 ? 0 : scores[lane]);
            }
        }
    }
}

TEST(LaneKernels, numbers_of_nodes_are_added_and_compared_alike_at_every_level) {
    RandomLanes random(3);
    for (int number = 0; number < kBlocks; ++number) {
        const std::int64_t bound = random.below(2) == 0 ? 3 : INT32_MAX;
        const std::int64_t weight = random.below(201) - 100;
        alignas(64) std::array<std::int32_t, kLanes> numbers;
        alignas(64) std::array<std::int64_t, kLanes> sums;
        for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
            numbers[lane] = static_cast<std::int32_t>(random.below(bound));
            sums[lane] = random.below(7) - 3;
        }
        const std::uint64_t lanes = number % 5 == 0 ? 0 : random.bits() & random.bits();
        std::array<std::int64_t, kLanes> expected = sums;
        LaneRange difference{INT64_MAX, INT64_MIN};  // of what is added
        LaneRange range{INT64_MAX, INT64_MIN};
        std::uint64_t like_the_first = 0;
        std::uint64_t best = 0;
        for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
            expected[lane] += weight * numbers[lane];
            like_the_first |= std::uint64_t{expected[lane] == expected[0]} << lane;
            if ((lanes >> lane & 1) != 0) {
                range = {std::min(range.min, expected[lane]), std::max(range.max, expected[lane])};
                const std::int64_t more = weight * numbers[lane];
                difference = {std::min(difference.min, more), std::max(difference.max, more)};
                const auto score = static_cast<std::uint64_t>(numbers[lane] % (1 << 29));
                best = std::max(best, (score + 1) << 32 | (UINT32_MAX - 640 - lane));
            }
        }
        std::array<std::int32_t, kLanes> scores = numbers;
        for (std::int32_t& score : scores) {
            score %= 1 << 29;
        }
        for (const LaneKernels* kernels : levels_here()) {
            alignas(64) std::array<std::int64_t, kLanes> mine = sums;
            kernels->add_numbers(numbers.data(), weight, mine.data());
            ASSERT_EQ(mine, expected);
            ASSERT_EQ(kernels->equal(mine.data(), mine[0]), like_the_first);
            const LaneRange found = kernels->range(lanes, mine.data());
            ASSERT_EQ(found.min, range.min);
            ASSERT_EQ(found.max, range.max);
            const LaneRange more = kernels->range_of_difference(lanes, mine.data(), sums.data());
            ASSERT_EQ(more.min, difference.min);
            ASSERT_EQ(more.max, difference.max);
            ASSERT_EQ(kernels->best_short_key(lanes, scores.data(), 640), best);
        }
    }
}

TEST(LaneKernels, eights_are_whole) {
    RandomLanes random(9);
    for (int number = 0; number < 10'000; ++number) {
        const std::uint64_t lanes = random.bits() & random.bits() & random.bits() & random.bits() & random.bits();
        for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
            const bool any = (lanes >> (lane / 8 * 8) & 0xff) != 0;
            ASSERT_EQ((whole_eights(lanes) >> lane & 1) != 0, any);
        }
    }
}

}  // namespace
}  // namespace bayplan
