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

std::uint64_t with_room(const KindLanes& kind, std::uint64_t lanes) noexcept {
    return lanes & lanes_where([&](std::uint32_t lane) {
        return kind.capacity[lane] - kind.used[lane] - kind.foreign[lane] >= kind.amount;
    });
}

std::uint64_t named(const NameId* names, NameId name) noexcept {
    return lanes_where([&](std::uint32_t lane) { return names[lane] == name; });
}

std::int64_t taken(const KindLanes& kind, std::uint32_t lane) {
    return kind.used[lane] + kind.foreign[lane] + kind.amount;
}

template <typename PerKind>
void add_allocated(const KindLanes& cpu, const KindLanes& memory, std::uint64_t lanes, std::int64_t weight,
                   std::int64_t* scores, PerKind&& per_kind) {
    for (std::uint64_t left = lanes; left != 0; left &= left - 1) {
        const auto lane = static_cast<std::uint32_t>(std::countr_zero(left));
        std::int64_t sum = 0;
        std::int64_t kinds = 0;
        for (const KindLanes* kind : {&cpu, &memory}) {
            if (kind->capacity[lane] > 0) {
                sum += per_kind(taken(*kind, lane), kind->capacity[lane]);
                ++kinds;
            }
        }
        scores[lane] += weight * (kinds == 0 ? 0 : sum / kinds);
    }
}

void add_least_allocated(const KindLanes& cpu, const KindLanes& memory, std::uint64_t lanes, std::int64_t weight,
                         std::int64_t* scores) noexcept {
    add_allocated(cpu, memory, lanes, weight, scores, [](std::int64_t requested, std::int64_t capacity) {
        return requested > capacity ? 0 : (capacity - requested) * 100 / capacity;
    });
}

void add_most_allocated(const KindLanes& cpu, const KindLanes& memory, std::uint64_t lanes, std::int64_t weight,
                        std::int64_t* scores) noexcept {
    add_allocated(cpu, memory, lanes, weight, scores, [](std::int64_t requested, std::int64_t capacity) {
        return std::min(requested, capacity) * 100 / capacity;
    });
}

double fraction(const KindLanes& kind, std::uint32_t lane) {
    return std::min(static_cast<double>(taken(kind, lane)) / static_cast<double>(kind.capacity[lane]), 1.0);
}

void add_balanced(const KindLanes& cpu, const KindLanes& memory, std::uint64_t lanes, std::int64_t weight,
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

std::int64_t allocated_bound(const ShareLanes& shares, const ScoreTerms& terms, std::uint32_t lane) {
    const auto one = [&](std::int64_t share, const ShareRange& own) {
        if (terms.allocated == AllocatedScore::least) {
            return percent(std::max<std::int64_t>(0, kWhole - share - own.low));
        }
        // A share is rounded down by less than 1.
        return percent(std::min<std::int64_t>(kWhole, share + 1 + own.high));
    };
    return (one(shares.scored_cpu[lane], terms.own_cpu) + one(shares.scored_memory[lane], terms.own_memory)) / 2;
}

// The shares in use lie between `low` and `high`; one unit more than the rounding, for doubles round too.
std::int64_t balanced_bound(const ShareLanes& shares, const ScoreTerms& terms, std::uint32_t lane) {
    const auto low = [](std::int64_t share, const ShareRange& more) {
        return std::min<std::int64_t>(kWhole, share + more.low);
    };
    const auto high = [](std::int64_t share, const ShareRange& more) {
        return std::min<std::int64_t>(kWhole, share + 2 + more.high);
    };
    const std::int64_t apart =
        std::max(low(shares.cpu[lane], terms.cpu) - high(shares.memory[lane], terms.memory),
                 low(shares.memory[lane], terms.memory) - high(shares.cpu[lane], terms.cpu));
    return percent(2 * kWhole - std::max<std::int64_t>(0, apart)) / 2;
}

std::int64_t score_bound(const ShareLanes& shares, bool, const ScoreTerms& terms, std::uint64_t lanes) noexcept {
    std::int64_t best = -1;
    for (std::uint64_t left = lanes; left != 0; left &= left - 1) {
        const auto lane = static_cast<std::uint32_t>(std::countr_zero(left));
        if (shares.cpu[lane] > terms.cpu_max || shares.memory[lane] > terms.memory_max) {
            continue;
        }
        std::int64_t score = 0;
        if (terms.allocated != AllocatedScore::none) {
            score += terms.allocated_weight * allocated_bound(shares, terms, lane);
        }
        if (terms.balanced_weight != 0) {
            score += terms.balanced_weight * balanced_bound(shares, terms, lane);
        }
        best = std::max(best, score);
    }
    return best;
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

LaneRange range(std::uint64_t lanes, const std::int64_t* values) noexcept {
    LaneRange found{INT64_MAX, INT64_MIN};
    for (std::uint64_t left = lanes; left != 0; left &= left - 1) {
        const std::int64_t value = values[std::countr_zero(left)];
        found.min = std::min(found.min, value);
        found.max = std::max(found.max, value);
    }
    return found;
}

}  // namespace

const LaneKernels kScalarKernels = {
    SimdLevel::scalar, with_room, named, add_least_allocated, add_most_allocated, add_balanced,
    best_key,          largest,   coded, score_bound,
    best_short_key, add_numbers, equal, range,
};

}  // namespace bayplan
