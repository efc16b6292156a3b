// Columns of 64 numbers that lean towards trouble: zeros, equal numbers, one off, the largest there are.
//
// Thread: one.
#pragma once

#include <cstdint>
#include <random>
#include <vector>

#include "cluster/node_block.h"
#include "lanes/lane_kernels.h"

namespace bayplan::testing {

class RandomLanes {
public:
    explicit RandomLanes(std::uint64_t seed) : random_(seed) {}

    std::uint64_t bits() { return random_(); }
    std::int64_t below(std::int64_t bound) {
        return static_cast<std::int64_t>(random_() % static_cast<std::uint64_t>(bound));
    }

    // 0 to 2^53, of any magnitude.
    std::int64_t amount() {
        const std::int64_t top = std::int64_t{1} << below(54);
        switch (below(8)) {
            case 0: return 0;
            case 1: return top;
            case 2: return top - 1;
            default: return below(top + 1);
        }
    }

    // Capacities of one shape or of any, and as much of each in use as makes the quotients interesting.
    void fill(ResourceColumns& columns) {
        const std::int64_t shape = amount();
        const bool alike = below(2) == 0;
        for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
            const std::int64_t capacity = below(16) == 0 ? 0 : alike ? shape : amount();
            columns.capacity[lane] = capacity;
            const std::int64_t used = below(4) == 0 ? amount() : below(capacity + 2);
            columns.foreign[lane] = below(3) == 0 ? below(used + 1) : 0;
            columns.used[lane] = used - columns.foreign[lane];
        }
    }

private:
    std::mt19937_64 random_;
};

// The levels that this CPU has, the scalar one first.
inline std::vector<const LaneKernels*> levels_here() {
    std::vector<const LaneKernels*> levels = {&lane_kernels(SimdLevel::scalar)};
    for (const SimdLevel level : {SimdLevel::avx2, SimdLevel::avx512}) {
        if (lane_kernels(level).level == level) {
            levels.push_back(&lane_kernels(level));
        }
    }
    return levels;
}

inline ResourceLanes lanes_of(const ResourceColumns& columns, std::int64_t amount) {
    return {columns.capacity.data(), columns.used.data(), columns.foreign.data(), amount};
}

}  // namespace bayplan::testing
