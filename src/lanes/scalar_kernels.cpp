// One lane after the other: what each function means, for CPUs without vectors and for comparison.

#include <algorithm>
#include <bit>
#include <cmath>

#include "lanes/level_tables.h"

namespace bayplan {

namespace {

constexpr std::uint32_t kCount = 64;

template <typename Test>
std::uint64_t lanes_where(Test&& test) {
    std::uint64_t lanes = 0;
    for (std::uint32_t lane = 0; lane < kCount; ++lane) {
        lanes |= std::uint64_t{test(lane)} << lane;
    }
    return lanes;
}

std::uint64_t with_room(const ResourceLanes& resource, std::uint64_t lanes) noexcept {
    for (std::uint64_t left = lanes; left != 0; left &= left - 1) {
        const auto lane = static_cast<std::uint32_t>(std::countr_zero(left));
        const std::int64_t free = resource.capacity[lane] - resource.used[lane] - resource.foreign[lane];
        lanes ^= free < resource.amount ? left & -left : 0;
    }
    return lanes;
}

std::uint64_t with_room_for_all(const ResourceLanes* resources, std::size_t count, std::uint64_t lanes) noexcept {
    for (std::size_t at = 0; at < count && lanes != 0; ++at) {
        lanes = with_room(resources[at], lanes);
    }
    return lanes;
}

void clear_eights(std::uint64_t eights, std::int64_t* scores) noexcept {
    for (std::uint64_t left = eights; left != 0; left &= left - 1) {
        scores[std::countr_zero(left)] = 0;
    }
}

std::uint64_t named(const NameId* names, NameId name) noexcept {
    return lanes_where([&](std::uint32_t lane) { return names[lane] == name; });
}

std::int64_t taken(const ResourceLanes& resource, std::uint32_t lane) {
    return resource.used[lane] + resource.foreign[lane] + resource.amount;
}

template <typename PerResource>
void add_allocated(const ResourceLanes& cpu, const ResourceLanes& memory, std::uint64_t lanes, std::int64_t weight,
                   std::int64_t* scores, PerResource&& per_resource) {
    for (std::uint64_t left = lanes; left != 0; left &= left - 1) {
        const auto lane = static_cast<std::uint32_t>(std::countr_zero(left));
        std::int64_t sum = 0;
        std::int64_t resources = 0;
        for (const ResourceLanes* resource : {&cpu, &memory}) {
            if (resource->capacity[lane] > 0) {
                sum += per_resource(taken(*resource, lane), resource->capacity[lane]);
                ++resources;
            }
        }
        scores[lane] += weight * (resources == 0 ? 0 : sum / resources);
    }
}

void add_least_allocated(const ResourceLanes& cpu, const ResourceLanes& memory, std::uint64_t lanes,
                         std::int64_t weight, std::int64_t* scores) noexcept {
    add_allocated(cpu, memory, lanes, weight, scores, [](std::int64_t requested, std::int64_t capacity) {
        return requested > capacity ? 0 : (capacity - requested) * 100 / capacity;
    });
}

void add_most_allocated(const ResourceLanes& cpu, const ResourceLanes& memory, std::uint64_t lanes, std::int64_t weight,
                        std::int64_t* scores) noexcept {
    add_allocated(cpu, memory, lanes, weight, scores, [](std::int64_t requested, std::int64_t capacity) {
        return std::min(requested, capacity) * 100 / capacity;
    });
}

double fraction(const ResourceLanes& resource, std::uint32_t lane) {
    return std::min(static_cast<double>(taken(resource, lane)) / static_cast<double>(resource.capacity[lane]), 1.0);
}

void add_balanced(const ResourceLanes& cpu, const ResourceLanes& memory, std::uint64_t lanes, std::int64_t weight,
                  std::int64_t* scores) noexcept {
    for (std::uint64_t left = lanes; left != 0; left &= left - 1) {
        const auto lane = static_cast<std::uint32_t>(std::countr_zero(left));
        const bool both = cpu.capacity[lane] != 0 && memory.capacity[lane] != 0;
        const double deviation = both ? std::fabs((fraction(cpu, lane) - fraction(memory, lane)) / 2) : 0.0;
        scores[lane] += weight * static_cast<std::int64_t>((1 - deviation) * 100.0);
    }
}

std::uint64_t best_key(std::uint64_t lanes, const std::int64_t* scores, std::uint32_t first_slot) noexcept {
    std::uint64_t best = 0;
    for (std::uint64_t left = lanes; left != 0; left &= left - 1) {
        const auto lane = static_cast<std::uint32_t>(std::countr_zero(left));
        best = std::max(best, static_cast<std::uint64_t>(scores[lane] + 1) << 32 |
                                  static_cast<std::uint32_t>(~(first_slot + lane)));
    }
    return best;
}

std::uint64_t largest(const std::uint64_t* keys, std::size_t count) noexcept {
    return count == 0 ? 0 : *std::max_element(keys, keys + count);
}

std::uint64_t coded(const std::uint16_t* codes, std::uint16_t code) noexcept {
    return lanes_where([&](std::uint32_t lane) { return codes[lane] >= code; });
}

// Floor of 100 * share / kWhole.
std::int64_t percent(std::int64_t share) { return share * 100 / kWhole; }

std::int64_t allocated_bound(const ShareLanes& scored, const ScoreTerms& terms, std::uint32_t lane) {
    const auto one = [&](std::int64_t share, const ShareRange& own) {
        if (terms.allocated == AllocatedScore::least) {
            return percent(std::max<std::int64_t>(0, kWhole - share - own.low));
        }
        // A share is rounded down by less than 1.
        return percent(std::min<std::int64_t>(kWhole, share + 1 + own.high));
    };
    return (one(scored.cpu[lane], terms.own_cpu) + one(scored.memory[lane], terms.own_memory)) / 2;
}

// The shares in use lie between `low` and `high`; one unit more than the rounding, for doubles round too.
std::int64_t balanced_bound(const ShareLanes& shares, const ScoreTerms& terms, std::uint32_t lane) {
    const auto low = [](std::int64_t share, const ShareRange& more) {
        return std::min<std::int64_t>(kWhole, share + more.low);
    };
    const auto high = [](std::int64_t share, const ShareRange& more) {
        return std::min<std::int64_t>(UINT16_MAX, share + 2 + more.high);
    };
    const std::int64_t apart = std::max(low(shares.cpu[lane], terms.cpu) - high(shares.memory[lane], terms.memory),
                                        low(shares.memory[lane], terms.memory) - high(shares.cpu[lane], terms.cpu));
    return percent(2 * kWhole - std::max<std::int64_t>(0, apart)) / 2;
}

// 1 + the bound of a lane; 0: it has no room.
std::uint16_t lane_bound(const BoundedBlock& block, const ScoreTerms& terms, std::uint32_t lane) {
    if ((block.lanes >> lane & 1) == 0 || block.shares->cpu[lane] > terms.cpu_max ||
        block.shares->memory[lane] > terms.memory_max) {
        return 0;
    }
    std::int64_t score = 0;
    if (terms.allocated != AllocatedScore::none) {
        score += terms.allocated_weight * allocated_bound(*block.scored, terms, lane);
    }
    if (terms.balanced_weight != 0) {
        score += terms.balanced_weight * balanced_bound(*block.shares, terms, lane);
    }
    return static_cast<std::uint16_t>(score + 1);
}

std::uint16_t score_bound(const BoundedBlock& block, const ScoreTerms& terms) {
    std::uint16_t best = 0;
    for (std::uint32_t lane = 0; lane < kCount; ++lane) {
        best = std::max(best, lane_bound(block, terms, lane));
    }
    return best;
}

std::uint64_t reaching(const BoundedBlock& block, const ScoreTerms& terms, std::uint16_t bound) noexcept {
    return lanes_where([&](std::uint32_t lane) { return lane_bound(block, terms, lane) >= bound; });
}

void score_bounds(const BoundedBlock* blocks, std::size_t count, const ScoreTerms& terms,
                  std::uint16_t* bounds) noexcept {
    std::transform(blocks, blocks + count, bounds,
                   [&](const BoundedBlock& block) { return score_bound(block, terms); });
}

float ranged_percent(float share, float own) {
    return std::trunc(std::max(0.0f, kWhole - share - own) * (100.0f / kWhole) + kPercentSlack);
}

// 1 + the bound, 0: no room.
std::uint64_t range_bound(const ShareRanges& ranges, const RangeTerms& terms, std::size_t at) {
    const auto least = [](float amount, float unit) { return std::max(0.0f, amount * unit - kShareSlack); };
    const auto most = [](float amount, float unit) { return amount * unit + (1 + kShareSlack); };
    const float cpu_low = ranges.cpu_least[at] + least(terms.cpu, ranges.cpu_unit_least[at]);
    const float memory_low = ranges.memory_least[at] + least(terms.memory, ranges.memory_unit_least[at]);
    if (cpu_low > terms.cpu_max || memory_low > terms.memory_max) {
        return 0;
    }
    const float of_cpu = ranged_percent(ranges.scored_cpu_least[at], least(terms.own_cpu, ranges.cpu_unit_least[at]));
    const float of_memory =
        ranged_percent(ranges.scored_memory_least[at], least(terms.own_memory, ranges.memory_unit_least[at]));
    const float cpu_high = ranges.cpu_most[at] + most(terms.cpu, ranges.cpu_unit_most[at]);
    const float memory_high = ranges.memory_most[at] + most(terms.memory, ranges.memory_unit_most[at]);
    const float apart = std::max(
        0.0f, std::max(std::min<float>(kWhole, cpu_low) - memory_high, std::min<float>(kWhole, memory_low) - cpu_high));
    const float balanced = std::trunc((100.0f + kPercentSlack) - apart * (50.0f / kWhole));
    const float score =
        std::trunc((of_cpu + of_memory) * 0.5f) * terms.allocated_weight + balanced * terms.balanced_weight;
    return static_cast<std::uint64_t>(score) + 1;
}

void range_bounds(const ShareRanges& ranges, const RangeTerms& terms, const BlockRuns& runs, std::uint64_t* keys,
                  std::uint16_t* changed) noexcept {
    for (std::uint32_t run = 0; run < runs.count; ++run) {
        changed[run] = 0;
        for (std::uint32_t in_run = 0; in_run < kBlocksOfRun; ++in_run) {
            const std::size_t at = std::size_t{run} * kBlocksOfRun + in_run;
            if (ranges.versions[at] <= terms.version) {
                continue;
            }
            const std::uint32_t block = runs.first + run * runs.step + in_run;
            const std::uint64_t bound = range_bound(ranges, terms, at);
            keys[block] = bound == 0 ? 0 : bound << 32 | static_cast<std::uint32_t>(~(block * kCount));
            changed[run] = static_cast<std::uint16_t>(changed[run] | 1u << in_run);
        }
    }
}

std::uint64_t best_short_key(std::uint64_t lanes, const std::int32_t* scores, std::uint32_t first_slot) noexcept {
    std::int64_t wide[kCount];
    std::copy_n(scores, kCount, wide);
    return best_key(lanes, wide, first_slot);
}

void add_numbers(const std::int32_t* numbers, std::int64_t weight, std::int64_t* sums) noexcept {
    for (std::uint32_t lane = 0; lane < kCount; ++lane) {
        sums[lane] += weight * numbers[lane];
    }
}

std::uint64_t equal(const std::int64_t* values, std::int64_t value) noexcept {
    return lanes_where([&](std::uint32_t lane) { return values[lane] == value; });
}

template <typename Value>
LaneRange range_of(std::uint64_t lanes, Value&& value_at) {
    LaneRange found{INT64_MAX, INT64_MIN};
    for (std::uint64_t left = lanes; left != 0; left &= left - 1) {
        const std::int64_t value = value_at(std::countr_zero(left));
        found.min = std::min(found.min, value);
        found.max = std::max(found.max, value);
    }
    return found;
}

LaneRange range(std::uint64_t lanes, const std::int64_t* values) noexcept {
    return range_of(lanes, [&](int lane) { return values[lane]; });
}

LaneRange range_of_difference(std::uint64_t lanes, const std::int64_t* values, const std::int64_t* less) noexcept {
    return range_of(lanes, [&](int lane) { return values[lane] - less[lane]; });
}

}  // namespace

const LaneKernels kScalarKernels = {
    SimdLevel::scalar,
    with_room,
    with_room_for_all,
    named,
    clear_eights,
    add_least_allocated,
    add_most_allocated,
    add_balanced,
    best_key,
    largest,
    coded,
    score_bounds,
    reaching,
    range_bounds,
    best_short_key,
    add_numbers,
    equal,
    range,
    range_of_difference,
};

}  // namespace bayplan
