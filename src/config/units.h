// Numbers with units, read and printed: 64Ki, 10s.
//
// Thread: any.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace bayplan::config {

inline constexpr std::int64_t kMillisecond = 1'000'000;  // of nanoseconds
inline constexpr std::int64_t kSecond = 1'000 * kMillisecond;

// A whole number with an optional factor: k M G T (thousands), Ki Mi Gi Ti (1024s). Nothing if the
// text is anything else or the value does not fit 63 bits.
std::optional<std::int64_t> parse_size(std::string_view text);
// The largest 1024-factor that divides the value: 65536 is 64Ki.
std::string print_size(std::int64_t value);

// A whole number with a unit: ns us ms s m h d. "0" needs none. In nanoseconds.
std::optional<std::int64_t> parse_duration(std::string_view text);
std::string print_duration(std::int64_t nanoseconds);

}  // namespace bayplan::config
