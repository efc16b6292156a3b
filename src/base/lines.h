// Lists of names as one text: each name ended by LF, which no name has (wire/text.h).
//
// Thread: any, no state.
#pragma once

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

}  // namespace bayplan
