// Times of a timeline: milliseconds since its start, written in seconds ("1.5s").
//
// Thread: any, pure functions.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

namespace bayplan::sim {

inline constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();
inline constexpr std::int64_t kNsPerMs = 1'000'000;

// The engine's timers are due in the instant in which their nanosecond lies. In milliseconds; kNever stays that.
constexpr std::int64_t instant_of(std::int64_t ns) { return ns == kNever ? kNever : (ns + kNsPerMs - 1) / kNsPerMs; }

std::string seconds_text(std::int64_t ms);

// "1.5s", "250ms", "10m", "1h", and several in a row ("1m30s"). None: no such time, a part of a millisecond, or more
// than a year.
std::optional<std::int64_t> parse_ms(std::string_view text);

}  // namespace bayplan::sim
