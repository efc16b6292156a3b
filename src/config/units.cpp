// Units from one table each, used in both directions.
//
// Thread: any.
#include "config/units.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <span>

namespace bayplan::config {
namespace {

struct Unit {
    std::string_view name;
    std::int64_t factor;
    bool printed;  // chosen when printing
};

// Largest first: printing takes the first that divides the value.
constexpr std::array<Unit, 9> kSizes{{
    {"Ti", std::int64_t{1} << 40, true},
    {"T", 1'000'000'000'000, false},
    {"Gi", std::int64_t{1} << 30, true},
    {"G", 1'000'000'000, false},
    {"Mi", std::int64_t{1} << 20, true},
    {"M", 1'000'000, true},
    {"Ki", std::int64_t{1} << 10, true},
    {"k", 1'000, true},
    {"", 1, true},
}};
constexpr std::array<Unit, 7> kDurations{{
    {"d", 86'400'000'000'000, true},
    {"h", 3'600'000'000'000, true},
    {"m", 60'000'000'000, true},
    {"s", 1'000'000'000, true},
    {"ms", 1'000'000, true},
    {"us", 1'000, true},
    {"ns", 1, true},
}};

std::optional<std::int64_t> parse(std::string_view text, std::span<const Unit> units) {
    std::int64_t number = 0;
    const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (code != std::errc()) return std::nullopt;
    const std::string_view suffix = text.substr(static_cast<std::size_t>(end - text.data()));
    if (suffix.empty() && number == 0) return 0;
    for (const Unit& unit : units) {
        std::int64_t value = 0;
        if (unit.name != suffix) continue;
        if (__builtin_mul_overflow(number, unit.factor, &value)) return std::nullopt;
        return value;
    }
    return std::nullopt;
}

std::string print(std::int64_t value, std::span<const Unit> units) {
    if (value == 0) return "0";
    for (const Unit& unit : units) {
        if (unit.printed && value % unit.factor == 0) return fmt::format("{}{}", value / unit.factor, unit.name);
    }
    return fmt::format("{}", value);
}

}  // namespace

std::optional<std::int64_t> parse_size(std::string_view text) { return parse(text, kSizes); }
std::string print_size(std::int64_t value) { return print(value, kSizes); }
std::optional<std::int64_t> parse_duration(std::string_view text) { return parse(text, kDurations); }
std::string print_duration(std::int64_t nanoseconds) { return print(nanoseconds, kDurations); }

}  // namespace bayplan::config
