// Percentages as people write them, exact: "10", "7.5".
//
// Thread: any, pure functions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace bayplan::config {

// In millionths of a percent; nothing if it is negative, not a number, above ten billion, or has more than six decimals.
std::optional<std::int64_t> parse_percent(std::string_view);
std::string percent_text(std::int64_t millionths);

}  // namespace bayplan::config
