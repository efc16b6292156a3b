// Raw scores of the feasible nodes to 0..100. Source: Kubernetes 1.35: DefaultNormalizeScore, and the NormalizeScore of
// InterPodAffinity and of PodTopologySpread.
//
// One score at a time, given the extremes over the feasible nodes, so that a caller may normalise only the nodes that
// it looks at. Integer divisions truncate. Thread: any.
#pragma once

#include <cmath>
#include <cstdint>

namespace bayplan {

// NodeAffinity: the largest gets 100. `max` is the largest raw score, 0 if all are 0 or below.
inline std::int64_t normalised(std::int64_t raw, std::int64_t max) noexcept { return max == 0 ? raw : 100 * raw / max; }

// TaintToleration: the largest gets 0, and all 100 if it is 0.
inline std::int64_t normalised_reverse(std::int64_t raw, std::int64_t max) noexcept {
    return max == 0 ? 100 : 100 - 100 * raw / max;
}

// InterPodAffinity: from the smallest (0) to the largest (100); all 0 if they are equal.
inline std::int64_t normalised_between(std::int64_t raw, std::int64_t min, std::int64_t max) noexcept {
    const std::int64_t range = max - min;
    if (range <= 0) {
        return 0;
    }
    return static_cast<std::int64_t>(100.0 * (static_cast<double>(raw - min) / static_cast<double>(range)));
}

// PodTopologySpread: the fewer pods the better; min and max over nodes that are not left out. A node that
// is left out (it lacks a topology key) gets 0 from the caller.
inline std::int64_t normalised_spread(std::int64_t raw, std::int64_t min, std::int64_t max) noexcept {
    return max == 0 ? 100 : 100 * (max + min - raw) / max;
}

// Weight of a soft spread constraint with so many domains among the feasible nodes (hostname: so many
// feasible nodes that are not left out).
inline double spread_weight(std::int64_t domains) noexcept { return std::log(static_cast<double>(domains + 2)); }

// The share that one constraint adds to a node's raw score, in the order of constraints, from 0.0.
inline double spread_share(std::int64_t pods, double weight, std::int32_t max_skew) noexcept {
    return static_cast<double>(pods) * weight + static_cast<double>(max_skew - 1);
}

// The sum as a raw score: half away from zero.
inline std::int64_t spread_raw(double sum) noexcept { return static_cast<std::int64_t>(std::round(sum)); }

}  // namespace bayplan
