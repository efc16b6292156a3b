// Durations on the command line: 10s, 500ms, 250us, 2m, 1h; a bare number is seconds.
//
// Thread: any, pure functions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <CLI/CLI.hpp>

namespace bayplan::cli {

// Nanoseconds; nothing if it is not a duration, or longer than a century.
std::optional<std::int64_t> parse_duration(std::string_view text);

// An option that holds nanoseconds. `preset` is what the help shows and what holds if it is not
// given.
CLI::Option* add_duration(CLI::App&, const std::string& name, std::int64_t& ns, const std::string& preset,
                          const std::string& help);

}  // namespace bayplan::cli
