// See percent.h.
#include "config/percent.h"

#include <algorithm>
#include <charconv>

namespace bayplan::config {

namespace {

constexpr std::size_t kDecimalsMax = 6;
constexpr std::int64_t kMillionths = 1'000'000;
constexpr std::int64_t kWholeMax = 10'000'000'000;

std::optional<std::int64_t> digits(std::string_view text) {
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    const bool good = !text.empty() && text.front() != '-' && error == std::errc() && end == text.data() + text.size();
    return good ? std::optional(value) : std::nullopt;
}

}  // namespace

std::optional<std::int64_t> parse_percent(std::string_view text) {
    const std::size_t point = std::min(text.find('.'), text.size());
    const std::optional<std::int64_t> whole = digits(text.substr(0, point));
    std::string decimals(text.substr(std::min(point + 1, text.size())));
    if (!whole || *whole > kWholeMax || decimals.size() > kDecimalsMax || (point < text.size() && decimals.empty())) {
        return std::nullopt;
    }
    decimals.resize(kDecimalsMax, '0');
    const std::optional<std::int64_t> rest = digits(decimals);
    return rest ? std::optional(*whole * kMillionths + *rest) : std::nullopt;
}

std::string percent_text(std::int64_t millionths) {
    std::string text = std::to_string(millionths / kMillionths);
    if (const std::int64_t rest = millionths % kMillionths; rest != 0) {
        std::string decimals = std::to_string(kMillionths + rest).substr(1);
        decimals.erase(decimals.find_last_not_of('0') + 1);
        text += "." + decimals;
    }
    return text;
}

}  // namespace bayplan::config
