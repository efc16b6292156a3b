// How much of each node its pods use, by resource, in ten buckets as YuniKorn counts them: 0 to 10 percent, more than 10 to
// 20, ...
//
// Thread: any; pure.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>

#include "read_model/version.h"

namespace bayplan::answers {

inline constexpr std::size_t kBuckets = 10;

inline std::size_t bucket_of(std::int64_t percent) {
    const std::int64_t above = (percent + 9) / 10;
    return static_cast<std::size_t>(std::clamp<std::int64_t>(above - 1, 0, kBuckets - 1));
}

// Nodes in each bucket. Every pod is looked at; pods of other schedulers do not count.
using NodeCounts = std::array<std::uint64_t, kBuckets>;
std::map<std::string, NodeCounts, std::less<>> node_use(const read_model::Version&);

}  // namespace bayplan::answers
