// Regular expressions of placement filters, in the syntax of Go's regexp package, in time linear in the length of the
// text: an automaton walks it once. The standard library's would take exponential time, or all of the stack, over what a
// person of ill will writes. Left out: classes by Unicode property (\p), and folding beyond ASCII.
//
// Thread: compile on any; matches() is const. Errors: a pattern that cannot be read gives none, and the reason.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace bayplan::queue_config {

class Expression {
public:
    static std::optional<Expression> compile(std::string_view pattern, std::string& why);

    // Anywhere in the text.
    bool matches(std::string_view text) const;

    enum class Step : std::uint8_t {
        letter,
        split,
        jump,
        text_start,
        text_end,
        line_start,
        line_end,
        boundary,
        no_boundary,
        match
    };
    using Ranges = std::vector<std::pair<char32_t, char32_t>>;

    struct Instruction {
        Step step = Step::match;
        std::uint32_t to = 0;     // split, jump
        std::uint32_t other = 0;  // split
        Ranges letters;           // letter: one of these
    };

private:
    std::vector<Instruction> program_;
};

}  // namespace bayplan::queue_config
