// The value of a label in the text format of Prometheus, as it stands between its quotes.
//
// Thread: any; pure.
#pragma once

#include <string>
#include <string_view>

namespace bayplan {

inline std::string label_value(std::string_view text) {
    std::string escaped;
    for (const char one : text) {
        if (one == '\\' || one == '"') {
            escaped += '\\';
        }
        if (one == '\n') {
            escaped += "\\n";
        } else {
            escaped += one;
        }
    }
    return escaped;
}

}  // namespace bayplan
