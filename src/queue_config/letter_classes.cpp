// The classes that Go's regular expressions have a name for, all of them ASCII.
//
// Thread: any.
#include "queue_config/letter_classes.h"

#include <algorithm>

namespace bayplan::queue_config {

using Ranges = Expression::Ranges;

Ranges all_letters() { return {{0, kLetterMax}}; }

Ranges without_newline() { return {{0, 9}, {11, kLetterMax}}; }

Ranges others(Ranges ranges) {
    std::ranges::sort(ranges);
    Ranges rest;
    char32_t next = 0;
    for (const auto& [low, high] : ranges) {
        if (low > next) rest.emplace_back(next, static_cast<char32_t>(low - 1));
        next = std::max<char32_t>(next, high + 1);
    }
    if (next <= kLetterMax) rest.emplace_back(next, kLetterMax);
    return rest;
}

Ranges folded(Ranges ranges) {
    const std::size_t count = ranges.size();
    for (std::size_t at = 0; at < count; ++at) {
        const char32_t low = ranges[at].first;
        const char32_t high = ranges[at].second;
        const auto add = [&](char32_t first, char32_t last, char32_t to) {
            const char32_t from = std::max(low, first);
            const char32_t until = std::min(high, last);
            if (from <= until) ranges.emplace_back(to + (from - first), to + (until - first));
        };
        add(U'a', U'z', U'A');
        add(U'A', U'Z', U'a');
    }
    return ranges;
}

std::optional<Ranges> named_class(std::string_view name) {
    if (name == "alnum") return Ranges{{'0', '9'}, {'A', 'Z'}, {'a', 'z'}};
    if (name == "alpha") return Ranges{{'A', 'Z'}, {'a', 'z'}};
    if (name == "ascii") return Ranges{{0, 0x7F}};
    if (name == "blank") return Ranges{{'\t', '\t'}, {' ', ' '}};
    if (name == "cntrl") return Ranges{{0, 0x1F}, {0x7F, 0x7F}};
    if (name == "digit") return Ranges{{'0', '9'}};
    if (name == "graph") return Ranges{{'!', '~'}};
    if (name == "lower") return Ranges{{'a', 'z'}};
    if (name == "print") return Ranges{{' ', '~'}};
    if (name == "punct") return Ranges{{'!', '/'}, {':', '@'}, {'[', '`'}, {'{', '~'}};
    if (name == "space") return Ranges{{'\t', '\r'}, {' ', ' '}};
    if (name == "upper") return Ranges{{'A', 'Z'}};
    if (name == "word") return Ranges{{'0', '9'}, {'A', 'Z'}, {'a', 'z'}, {'_', '_'}};
    if (name == "xdigit") return Ranges{{'0', '9'}, {'A', 'F'}, {'a', 'f'}};
    return std::nullopt;
}

std::optional<Ranges> perl_class(char32_t sign) {
    switch (sign) {
        case U'd': return named_class("digit");
        case U'D': return others(*named_class("digit"));
        case U'w': return named_class("word");
        case U'W': return others(*named_class("word"));
        // Without the vertical tab, which "space" has.
        case U's': return Ranges{{'\t', '\n'}, {'\f', '\r'}, {' ', ' '}};
        case U'S': return others({{'\t', '\n'}, {'\f', '\r'}, {' ', ' '}});
        default: return std::nullopt;
    }
}

bool is_word(char32_t letter) {
    return (letter >= U'0' && letter <= U'9') || (letter >= U'A' && letter <= U'Z') ||
           (letter >= U'a' && letter <= U'z') || letter == U'_';
}

std::optional<char32_t> control_letter(char32_t sign) {
    switch (sign) {
        case U'a': return 0x07;
        case U'f': return 0x0C;
        case U'n': return 0x0A;
        case U'r': return 0x0D;
        case U't': return 0x09;
        case U'v': return 0x0B;
        default: return std::nullopt;
    }
}

std::optional<unsigned> hex_digit(char32_t letter) {
    if (letter >= U'0' && letter <= U'9') return static_cast<unsigned>(letter - U'0');
    const char32_t small = letter | 0x20;
    if (small >= U'a' && small <= U'f') return static_cast<unsigned>(small - U'a') + 10;
    return std::nullopt;
}

}  // namespace bayplan::queue_config
