// Lists of names as one text: each name ended by LF, which no name has (wire/text.h).
//
// Thread: any, no state.
#pragma once

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace bayplan {

inline void append_line(std::string& text, std::string_view line) {
    text += line;
    text += '\n';
}

// Calls each(line) for the lines in their order, without their ends.
template <typename Each>
void for_each_line(std::string_view text, Each&& each) {
    while (!text.empty()) {
        const std::size_t end = text.find('\n');
        each(text.substr(0, end));
        text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    }
}

// A text of two lists: an empty line, which no name is, separates them. The second may be missing.
struct TwoLists {
    std::string_view first;
    std::string_view second;
};
// Of a line that is a whole number.
inline std::int64_t number_in(std::string_view line) {
    std::int64_t number = 0;
    std::from_chars(line.data(), line.data() + line.size(), number);
    return number;
}
inline std::string with_second_list(std::string_view first, std::string_view second) {
    std::string text(first);
    if (!second.empty()) {
        text += '\n';
        text += second;
    }
    return text;
}
inline TwoLists two_lists(std::string_view text) {
    if (text.starts_with('\n')) {
        return {{}, text.substr(1)};
    }
    const std::size_t end = text.find("\n\n");
    return end == std::string_view::npos ? TwoLists{text, {}} : TwoLists{text.substr(0, end + 1), text.substr(end + 2)};
}

}  // namespace bayplan
