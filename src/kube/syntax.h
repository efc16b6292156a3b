// Which of the two syntaxes a text is in, by its beginning.
//
// Thread: any; pure.
#pragma once

#include <string_view>

namespace bayplan::kube {

// JSON's objects begin with a quoted name. YAML in braces, `{kind: Pod}`, has names as they are.
inline bool begins_json(std::string_view text) {
    constexpr std::string_view kSpace = " \t\r\n";
    const std::size_t begin = text.find_first_not_of(kSpace);
    if (begin == std::string_view::npos || (text[begin] != '{' && text[begin] != '[')) return false;
    const std::size_t first = text.find_first_not_of(" \t\r\n[", begin);
    if (first == std::string_view::npos || text[first] != '{') return true;
    const std::size_t name = text.find_first_not_of(kSpace, first + 1);
    return name == std::string_view::npos || text[name] == '"' || text[name] == '}';
}

}  // namespace bayplan::kube
