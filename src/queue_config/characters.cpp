// UTF-8 checked letter by letter; names letter by letter too: std::regex would recurse over long ones.
//
// Thread: any.
#include "queue_config/characters.h"

#include <algorithm>

#include <fmt/format.h>

namespace bayplan::queue_config {
namespace {

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

bool made_of(std::string_view text, std::string_view besides) {
    return std::ranges::all_of(
        text, [&](char c) { return is_letter(c) || is_digit(c) || besides.find(c) != std::string_view::npos; });
}

bool starts_name(std::string_view text) { return !text.empty() && (is_letter(text[0]) || text[0] == '_'); }

// Length of the letter at the front, 0 if it is none. `letter` gets its number.
std::size_t take_letter(std::string_view text, char32_t& letter) {
    const auto byte = [&](std::size_t at) { return static_cast<unsigned char>(text[at]); };
    const unsigned char first = byte(0);
    const std::size_t size = first < 0x80 ? 1 : first >> 5 == 6 ? 2 : first >> 4 == 14 ? 3 : first >> 3 == 30 ? 4 : 0;
    if (size == 0 || size > text.size()) return 0;
    letter = size == 1 ? first : first & (0x7F >> size);
    for (std::size_t at = 1; at < size; ++at) {
        if (byte(at) >> 6 != 2) return 0;
        letter = letter << 6 | (byte(at) & 0x3F);
    }
    constexpr char32_t kSmallest[] = {0, 0, 0x80, 0x800, 0x10000};
    return letter >= kSmallest[size] ? size : 0;
}

bool is_printable(char32_t letter) {
    return letter == 0x09 || letter == 0x0A || letter == 0x0D || (letter >= 0x20 && letter <= 0x7E) || letter == 0x85 ||
           (letter >= 0xA0 && letter <= 0xD7FF) || (letter >= 0xE000 && letter <= 0xFFFD && letter != 0xFEFF) ||
           (letter >= 0x10000 && letter <= 0x10FFFF);
}

}  // namespace

bool check_characters(std::string_view text, FaultList& faults) {
    if (text.starts_with("\xFF\xFE") || text.starts_with("\xFE\xFF")) return true;
    Position position{1, 1};
    std::size_t at = text.starts_with("\xEF\xBB\xBF") ? 3 : 0;
    while (at < text.size()) {
        char32_t letter = 0;
        const std::size_t size = take_letter(text.substr(at), letter);
        if (size == 0) {
            faults.add(position, fmt::format("the byte 0x{:02x} is no UTF-8", static_cast<unsigned char>(text[at])),
                       "write the file as UTF-8");
            return false;
        }
        if (!is_printable(letter)) {
            faults.add(position,
                       fmt::format("the character U+{:04X} may not stand in YAML", static_cast<unsigned>(letter)),
                       "remove it");
            return false;
        }
        at += size;
        // Columns are bytes, as the YAML reader counts them.
        position = letter == '\n' ? Position{position.line + 1, 1}
                                  : Position{position.line, position.column + static_cast<int>(size)};
    }
    return true;
}

bool is_queue_name(std::string_view name) { return !name.empty() && name.size() <= 64 && made_of(name, "_:#/@-"); }

bool is_user_name(std::string_view name) {
    if (name.ends_with('$')) name.remove_suffix(1);
    return starts_name(name) && made_of(name, ":#/_.@-");
}

bool is_group_name(std::string_view name) { return starts_name(name) && made_of(name, ":_.-"); }

bool is_identifier(std::string_view name) { return starts_name(name) && made_of(name, "_"); }

std::string lower_case(std::string_view text) {
    std::string folded(text);
    for (char& c : folded) {
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c + ('a' - 'A'));
    }
    return folded;
}

}  // namespace bayplan::queue_config
