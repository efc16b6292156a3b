// ImageLocality on plain numbers: how many bytes of the pod's images lie on the node already? Source:
// Kubernetes 1.35.
//
// Thread: any.
#pragma once

#include <algorithm>
#include <cstdint>

namespace bayplan {

inline constexpr std::int64_t kMebibyte = 1024 * 1024;

// One image that the node has: its bytes, less the fewer nodes have it. Doubles, truncated.
inline std::int64_t image_share(std::int64_t bytes, std::int64_t nodes_having_it, std::int64_t all_nodes) noexcept {
    const double spread = static_cast<double>(nodes_having_it) / static_cast<double>(all_nodes);
    return static_cast<std::int64_t>(static_cast<double>(bytes) * spread);
}

// `shares`: sum of image_share over the init and main containers (an image used twice counts twice);
// `containers`: their number, with images or without.
inline std::int64_t image_locality(std::int64_t shares, std::int64_t containers) noexcept {
    const std::int64_t least = 23 * kMebibyte;
    const std::int64_t most = 1000 * kMebibyte * containers;
    if (most <= least) {
        return 0;  // no containers: nothing to fetch
    }
    return 100 * (std::clamp(shares, least, most) - least) / (most - least);
}

}  // namespace bayplan
