// See duration.h.
#include "cli/duration.h"

#include <array>
#include <charconv>
#include <cmath>
#include <utility>

namespace bayplan::cli {

std::optional<std::int64_t> parse_duration(std::string_view text) {
    static constexpr std::array<std::pair<std::string_view, double>, 7> kUnits{
        {{"", 1e9}, {"s", 1e9}, {"ms", 1e6}, {"us", 1e3}, {"ns", 1}, {"m", 60e9}, {"h", 3600e9}}};
    constexpr double kCenturyNs = 3.2e18;
    double value = 0;
    const char* const end = text.data() + text.size();
    const auto [rest, code] = std::from_chars(text.data(), end, value);
    if (code != std::errc() || !(value >= 0)) {
        return std::nullopt;
    }
    for (const auto& [unit, factor] : kUnits) {
        if (std::string_view(rest, static_cast<std::size_t>(end - rest)) == unit) {
            const double ns = value * factor;
            return ns <= kCenturyNs ? std::optional(std::llround(ns)) : std::nullopt;
        }
    }
    return std::nullopt;
}

CLI::Option* add_duration(CLI::App& app, const std::string& name, std::int64_t& ns, const std::string& preset,
                          const std::string& help) {
    if (const std::optional<std::int64_t> value = parse_duration(preset)) {
        ns = *value;
    }
    return app
        .add_option_function<std::string>(
            name,
            [&ns, name](const std::string& text) {
                const std::optional<std::int64_t> value = parse_duration(text);
                if (!value) {
                    throw CLI::ValidationError(name, "`" + text + "` is not a duration (10s, 500ms)");
                }
                ns = *value;
            },
            help)
        ->type_name("DURATION")
        ->default_str(preset);
}

}  // namespace bayplan::cli
