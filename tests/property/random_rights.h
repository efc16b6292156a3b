// Rights of shims by chance.
//
// Thread: one.
#pragma once

#include <vector>

#include "options/engine_options.h"
#include "random.h"

namespace bayplan::property {

// For one shim, or all; others have the least.
inline std::vector<ShimRights> random_rights(Random& random) {
    std::vector<ShimRights> out;
    for (const char* const shim : {"shim-a", "shim-*"}) {
        if (random.chance(75)) {
            const std::int32_t most = random.pick(std::vector<std::int32_t>{0, 1000, INT32_MAX, INT32_MAX, INT32_MAX});
            out.push_back({shim, most, random.chance(30), random.chance(50)});
        }
    }
    return out;
}

}  // namespace bayplan::property
