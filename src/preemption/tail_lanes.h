// Comparing columns of 64 numbers, in searches for victims.
//
// Thread: pure functions.
#pragma once

#include <array>
#include <cstdint>

#include "cluster/node_block.h"
#include "lanes/lane_kernels.h"

namespace bayplan {

using LaneNumbers = std::array<std::int64_t, kLanes>;

alignas(64) inline constexpr LaneNumbers kZeroLanes{};

// The lanes of `lanes` where a - b >= least.
inline std::uint64_t at_least(const LaneKernels& kernels, const LaneNumbers& a, const LaneNumbers& b,
                              std::int64_t least, std::uint64_t lanes) {
    return kernels.with_room({a.data(), b.data(), kZeroLanes.data(), least}, lanes);
}

}  // namespace bayplan
