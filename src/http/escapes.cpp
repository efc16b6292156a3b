// See escapes.h.
#include "http/escapes.h"

#include <fmt/format.h>

namespace bayplan::http {
namespace {

int digit_of(char letter) {
    if (letter >= '0' && letter <= '9') return letter - '0';
    if (letter >= 'a' && letter <= 'f') return letter - 'a' + 10;
    if (letter >= 'A' && letter <= 'F') return letter - 'A' + 10;
    return -1;
}

Unescaped unescape(std::string_view text, bool plus_is_blank) {
    Unescaped result;
    result.text.reserve(text.size());
    for (std::size_t at = 0; at < text.size(); ++at) {
        if (text[at] == '+' && plus_is_blank) {
            result.text += ' ';
            continue;
        }
        if (text[at] != '%') {
            result.text += text[at];
            continue;
        }
        const std::string_view escape = text.substr(at, 3);
        const int high = escape.size() == 3 ? digit_of(escape[1]) : -1;
        const int low = escape.size() == 3 ? digit_of(escape[2]) : -1;
        if (high < 0 || low < 0) {
            result.fault = fmt::format("invalid URL escape \"{}\"", escape);
            return result;
        }
        result.text += static_cast<char>(high * 16 + low);
        at += 2;
    }
    return result;
}

bool stays_in_path(char letter) {
    const bool alphanumeric =
        (letter >= '0' && letter <= '9') || (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z');
    return alphanumeric || std::string_view("-_.~$&+,/:;=@").find(letter) != std::string_view::npos;
}

}  // namespace

Unescaped unescape_path(std::string_view text) { return unescape(text, false); }
Unescaped unescape_query(std::string_view text) { return unescape(text, true); }

std::string escape_path(std::string_view path) {
    std::string escaped;
    for (const char letter : path) {
        if (stays_in_path(letter)) {
            escaped += letter;
        } else {
            escaped += fmt::format("%{:02X}", static_cast<unsigned char>(letter));
        }
    }
    return escaped;
}

std::string escape_html(std::string_view text) {
    std::string escaped;
    for (const char letter : text) {
        switch (letter) {
            case '&': escaped += "&amp;"; break;
            case '<': escaped += "&lt;"; break;
            case '>': escaped += "&gt;"; break;
            case '"': escaped += "&#34;"; break;
            case '\'': escaped += "&#39;"; break;
            default: escaped += letter;
        }
    }
    return escaped;
}

}  // namespace bayplan::http
