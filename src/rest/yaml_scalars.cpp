// See yaml_scalars.h.
#include "rest/yaml_scalars.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "config/yaml_reader.h"
#include "queue_config/scalars.h"

namespace bayplan::rest {
namespace {

constexpr std::array<std::string_view, 16> kOtherWords = {"",      "~",     "null",  "Null", "NULL", ".nan",
                                                          ".NaN",  ".NAN",  ".inf",  ".Inf", ".INF", "<<",
                                                          "+.inf", "-.inf", "+.Inf", "-.Inf"};

bool is_digit(char letter) { return letter >= '0' && letter <= '9'; }

// 2026-01-31, with or without a time behind it.
bool is_like_a_date(std::string_view text) {
    const std::size_t year = std::min(text.find_first_not_of("0123456789"), text.size());
    if (year != 4 || text.size() < 8 || text[year] != '-') return false;
    const std::size_t second = text.find('-', year + 1);
    return second != std::string_view::npos && second <= 7 && second + 1 < text.size() && is_digit(text[second + 1]);
}

// 1:20, which older YAML takes for eighty.
bool is_like_a_time(std::string_view text) {
    const std::size_t first = !text.empty() && (text[0] == '-' || text[0] == '+') ? 1 : 0;
    return text.size() > first && is_digit(text[first]) && text.find(':') != std::string_view::npos &&
           text.find_first_not_of("0123456789_:.", first) == std::string_view::npos;
}

// Plain, would it be something other than this text?
bool reads_as_other(std::string_view text) {
    config::YamlNode node;
    node.kind = config::YamlNode::Kind::scalar;
    node.text = text;
    return std::ranges::find(kOtherWords, text) != kOtherWords.end() || queue_config::to_flag(node) ||
           queue_config::to_number(node) || is_like_a_date(text) || is_like_a_time(text);
}

bool needs_escapes(std::string_view text) {
    return std::ranges::any_of(text, [](char letter) {
        const auto code = static_cast<unsigned char>(letter);
        return code < 0x20 || code == 0x7f;
    });
}

bool has_marks(std::string_view text) {
    constexpr std::string_view kMarks = "#,[]{}&*!|>'\"%@`";
    const auto blank_at = [text](std::size_t at) { return at >= text.size() || text[at] == ' '; };
    if (text.front() == ' ' || text.back() == ' ' || text.starts_with("---") || text.starts_with("...")) return true;
    if (kMarks.find(text.front()) != std::string_view::npos) return true;
    if ((text.front() == '-' || text.front() == '?') && blank_at(1)) return true;
    for (std::size_t at = 0; at < text.size(); ++at) {
        if (text[at] == ':' && blank_at(at + 1)) return true;
        if (text[at] == '#' && at > 0 && text[at - 1] == ' ') return true;
    }
    return false;
}

std::string double_quoted(std::string_view text) {
    std::string quoted = "\"";
    for (const char letter : text) {
        if (letter == '"' || letter == '\\') {
            quoted += '\\';
            quoted += letter;
        } else if (letter == '\n') {
            quoted += "\\n";
        } else if (letter == '\t') {
            quoted += "\\t";
        } else if (needs_escapes({&letter, 1})) {
            quoted += fmt::format("\\x{:02X}", static_cast<unsigned char>(letter));
        } else {
            quoted += letter;
        }
    }
    return quoted + "\"";
}

std::string single_quoted(std::string_view text) {
    std::string quoted = "'";
    for (const char letter : text) {
        quoted += letter;
        if (letter == '\'') quoted += letter;
    }
    return quoted + "'";
}

}  // namespace

std::string yaml_scalar(std::string_view text) {
    if (reads_as_other(text) || needs_escapes(text)) return double_quoted(text);
    return has_marks(text) ? single_quoted(text) : std::string(text);
}

}  // namespace bayplan::rest
