// Amounts of memory, in bytes.
//
// Thread: any; constants.
#pragma once

#include <cstdint>

namespace bayplan::workload {

inline constexpr std::int64_t kMi = std::int64_t{1} << 20;
inline constexpr std::int64_t kGi = std::int64_t{1} << 30;

}  // namespace bayplan::workload
