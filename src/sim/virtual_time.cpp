// See virtual_time.h.
#include "sim/virtual_time.h"

#include <fmt/format.h>

namespace bayplan::sim {

namespace {

constexpr std::int64_t kYearMs = 366LL * 24 * 3'600'000;

// Digits with an optional point, times the unit: exact, in nanoseconds. Nothing is read of a text that has none.
std::optional<std::int64_t> take_part(std::string_view& text) {
    std::int64_t whole = 0;
    std::int64_t parts = 0;  // behind the point
    std::int64_t scale = 1;  // 10 per digit of them
    std::size_t digits = 0;
    bool point = false;
    std::size_t at = 0;
    for (; at < text.size() && (text[at] == '.' || (text[at] >= '0' && text[at] <= '9')); ++at) {
        if (text[at] == '.') {
            if (point) {
                return std::nullopt;
            }
            point = true;
            continue;
        }
        if (++digits > 15) {
            return std::nullopt;
        }
        if (point && scale >= 1'000'000'000) {
            if (text[at] != '0') {
                return std::nullopt;
            }
            continue;
        }
        (point ? parts : whole) = (point ? parts : whole) * 10 + (text[at] - '0');
        scale *= point ? 10 : 1;
    }
    text.remove_prefix(at);
    constexpr std::pair<std::string_view, std::int64_t> kUnits[] = {
        {"ms", 1'000'000},    {"us", 1'000},         {"ns", 1},
        {"s", 1'000'000'000}, {"m", 60'000'000'000}, {"h", 3'600'000'000'000}};
    for (const auto& [unit, ns] : kUnits) {
        if (digits > 0 && text.starts_with(unit)) {
            text.remove_prefix(unit.size());
            const __int128 all = static_cast<__int128>(whole) * ns + static_cast<__int128>(parts) * ns / scale;
            const bool exact = static_cast<__int128>(parts) * ns % scale == 0;
            const bool fits = all <= static_cast<__int128>(kYearMs) * kNsPerMs;
            return exact && fits ? std::optional(static_cast<std::int64_t>(all)) : std::nullopt;
        }
    }
    return std::nullopt;
}

}  // namespace

std::string seconds_text(std::int64_t ms) {
    std::string text = fmt::format("{}", ms / 1'000);
    if (const std::int64_t rest = ms % 1'000; rest != 0) {
        text += fmt::format(".{:03}", rest);
        text.erase(text.find_last_not_of('0') + 1);
    }
    return text + "s";
}

std::optional<std::int64_t> parse_ms(std::string_view text) {
    if (text == "0") {
        return 0;
    }
    std::int64_t sum = 0;
    do {
        const std::optional<std::int64_t> part = take_part(text);
        if (!part || (sum += *part) > kYearMs * kNsPerMs) {
            return std::nullopt;
        }
    } while (!text.empty());
    return sum % kNsPerMs == 0 ? std::optional(sum / kNsPerMs) : std::nullopt;
}

}  // namespace bayplan::sim
