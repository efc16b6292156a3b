// Where a text in UTF-8 may be cut.
//
// Thread: any, no state.
#pragma once

#include <cstddef>
#include <string_view>

namespace bayplan {

// The longest beginning of at most so many bytes that ends between characters. Bytes that are no UTF-8 do no harm.
inline std::string_view utf8_prefix(std::string_view text, std::size_t bytes_max) {
    if (text.size() <= bytes_max) {
        return text;
    }
    std::size_t end = bytes_max;
    while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) {
        --end;
    }
    return text.substr(0, end);
}

}  // namespace bayplan
