// Plain scalars as flags and numbers.
//
// Thread: any.
#include "queue_config/scalars.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <initializer_list>
#include <string>
#include <string_view>

namespace bayplan::queue_config {
namespace {

using config::YamlNode;

bool is_one_of(std::string_view text, std::initializer_list<std::string_view> words) {
    return std::ranges::find(words, text) != words.end();
}

std::string without_underscores(std::string_view text) {
    std::string plain(text);
    std::erase(plain, '_');
    return plain;
}

// The digits behind a sign and a prefix of the base: 0x1f, 0b11, 0o17, and 017, which is octal too.
struct Whole {
    bool negative = false;
    std::uint64_t value = 0;
};

std::optional<Whole> parse_whole(std::string_view text) {
    Whole whole;
    if (!text.empty() && (text[0] == '-' || text[0] == '+')) {
        whole.negative = text[0] == '-';
        text.remove_prefix(1);
    }
    int base = 10;
    if (text.size() > 1 && text[0] == '0') {
        const char mark = static_cast<char>(text[1] | 0x20);
        base = mark == 'x' ? 16 : mark == 'b' ? 2 : 8;
        text.remove_prefix(mark == 'x' || mark == 'b' || mark == 'o' ? 2 : 1);
    }
    const char* const end = text.data() + text.size();
    const auto [stopped, error] = std::from_chars(text.data(), end, whole.value, base);
    if (text.empty() || error != std::errc() || stopped != end) return std::nullopt;
    return whole;
}

// 1.5, .5, 5., 1e3; no sign words, no infinities.
std::optional<double> parse_decimal(std::string_view text) {
    std::string_view digits = text;
    if (!digits.empty() && (digits[0] == '-' || digits[0] == '+')) digits.remove_prefix(1);
    const bool starts_well = !digits.empty() && (digits[0] == '.' || (digits[0] >= '0' && digits[0] <= '9'));
    if (!starts_well || digits == "." || digits.find_first_not_of("0123456789.eE+-") != std::string_view::npos) {
        return std::nullopt;
    }
    double value = 0;
    const std::string_view number = text[0] == '+' ? text.substr(1) : text;
    const auto [stopped, error] = std::from_chars(number.data(), number.data() + number.size(), value);
    if (error != std::errc() || stopped != number.data() + number.size()) return std::nullopt;
    return value;
}

bool is_plain_scalar(const YamlNode& node) { return node.kind == YamlNode::Kind::scalar && node.plain; }

}  // namespace

std::optional<bool> to_flag(const YamlNode& node) {
    if (node.kind != YamlNode::Kind::scalar) return std::nullopt;
    // The words of YAML 1.1 count quoted too; true and false are booleans of the file itself.
    if (is_one_of(node.text, {"y", "Y", "yes", "Yes", "YES", "on", "On", "ON"})) return true;
    if (is_one_of(node.text, {"n", "N", "no", "No", "NO", "off", "Off", "OFF"})) return false;
    if (node.plain && is_one_of(node.text, {"true", "True", "TRUE"})) return true;
    if (node.plain && is_one_of(node.text, {"false", "False", "FALSE"})) return false;
    return std::nullopt;
}

std::optional<std::uint64_t> to_count(const YamlNode& node) {
    if (!is_plain_scalar(node)) return std::nullopt;
    const std::string text = without_underscores(node.text);
    if (const std::optional<Whole> whole = parse_whole(text)) {
        if (whole->negative && whole->value > 0) return std::nullopt;
        return whole->value;
    }
    const std::optional<double> number = parse_decimal(text);
    constexpr double kTwoTo64 = 18446744073709551616.0;
    if (!number || *number < 0 || *number >= kTwoTo64 || *number != std::floor(*number)) return std::nullopt;
    return static_cast<std::uint64_t>(*number);
}

std::optional<double> to_number(const YamlNode& node) {
    if (!is_plain_scalar(node)) return std::nullopt;
    const std::string text = without_underscores(node.text);
    if (const std::optional<Whole> whole = parse_whole(text)) {
        const auto value = static_cast<double>(whole->value);
        return whole->negative ? -value : value;
    }
    return parse_decimal(text);
}

}  // namespace bayplan::queue_config
