// Recursive descent over the letters of a pattern. Depth is bounded; a fault ends the reading.
//
// Thread: any.
#include "queue_config/expression_parser.h"

#include <algorithm>

#include "queue_config/letter_classes.h"

namespace bayplan::queue_config {
namespace {

using Node = ExpressionNode;
using NodeKind = Node::Kind;
using Step = Expression::Step;

constexpr int kDepthMax = 250;
constexpr int kRepeatMax = 1000;

struct Flags {
    bool fold = false;         // i
    bool lines = false;        // m
    bool dot_newline = false;  // s
};

struct Refused {
    std::string why;
};

class Parser {
public:
    explicit Parser(std::vector<char32_t> pattern) : pattern_(std::move(pattern)) {}

    Node parse() {
        Node node = choice(0);
        if (!at_end()) refuse("has a ')' without its '('");
        return node;
    }

private:
    [[noreturn]] static void refuse(std::string why) { throw Refused{std::move(why)}; }

    bool at_end() const { return at_ == pattern_.size(); }
    char32_t next() const { return pattern_[at_]; }
    bool is_next(char32_t letter) const { return !at_end() && next() == letter; }
    bool skip(char32_t letter) { return is_next(letter) && ++at_ > 0; }
    bool skip_all(std::u32string_view text) {
        if (std::u32string_view(pattern_.data(), pattern_.size()).substr(at_, text.size()) != text) return false;
        at_ += text.size();
        return true;
    }
    char32_t take(const char* why) {
        if (at_end()) refuse(why);
        return pattern_[at_++];
    }

    Node choice(int depth) {
        if (depth > kDepthMax) refuse("nests too deeply");
        const Flags outer = flags_;
        Node node;
        node.kind = NodeKind::choice;
        do {
            node.parts.push_back(sequence(depth));
        } while (skip(U'|'));
        flags_ = outer;
        return node;
    }

    Node sequence(int depth) {
        Node node;
        while (!at_end() && !is_next(U'|') && !is_next(U')')) {
            if (skip_all(U"\\Q")) {
                while (!at_end() && !skip_all(U"\\E")) node.parts.push_back(letter(pattern_[at_++]));
            } else if (std::optional<Node> part = atom(depth)) {
                node.parts.push_back(repeated(std::move(*part)));
            }
        }
        return node;
    }

    // None: only flags.
    std::optional<Node> atom(int depth) {
        const char32_t first = pattern_[at_++];
        switch (first) {
            case U'(': return group(depth);
            case U'[': return letters(letter_class());
            case U'.': return letters(flags_.dot_newline ? all_letters() : without_newline());
            case U'^': return assertion(flags_.lines ? Step::line_start : Step::text_start);
            case U'$': return assertion(flags_.lines ? Step::line_end : Step::text_end);
            case U'\\': return escape();
            case U'*':
            case U'+':
            case U'?': refuse("repeats nothing");
            default: return letter(first);
        }
    }

    std::optional<Node> group(int depth) {
        const Flags outer = flags_;
        if (skip(U'?') && !skip(U':')) {
            if (is_next(U'P') || is_next(U'<')) {
                name();
            } else if (set_flags()) {
                return std::nullopt;  // "(?i)": for the rest of this group
            }
        }
        Node node = choice(depth + 1);
        flags_ = outer;
        if (!skip(U')')) refuse("has a '(' without its ')'");
        return node;
    }

    void name() {
        skip(U'P');
        if (!skip(U'<')) refuse("has a group of an unknown sort");
        std::size_t size = 0;
        for (; !is_next(U'>'); ++size) {
            if (!is_word(take("has a group name without an end"))) refuse("has a group of an unknown sort");
        }
        if (size == 0) refuse("has a group without a name");
        skip(U'>');
    }

    // True: the group ended with the flags, "(?i)"; false: they are of the group, "(?i:...)".
    bool set_flags() {
        bool value = true;
        for (bool some = false;; some = true) {
            const char32_t flag = take("has a '(' without its ')'");
            if (some && (flag == U')' || flag == U':')) return flag == U')';
            if (flag == U'i') {
                flags_.fold = value;
            } else if (flag == U'm') {
                flags_.lines = value;
            } else if (flag == U's') {
                flags_.dot_newline = value;
            } else if (flag == U'-' && value) {
                value = false;
            } else if (flag != U'U') {  // which match is found first does not matter here
                refuse("has a group of an unknown sort");
            }
        }
    }

    Node repeated(Node part) {
        int at_least = 0;
        int at_most = -1;
        if (!repetition(at_least, at_most)) return part;
        skip(U'?');
        int ignored = 0;
        if (repetition(ignored, ignored)) refuse("repeats a repetition");
        if (at_least > kRepeatMax || at_most > kRepeatMax || (at_most >= 0 && at_most < at_least)) {
            refuse("repeats more often than 1000 times, or at most fewer times than at least");
        }
        Node node;
        node.kind = NodeKind::repeat;
        node.at_least = at_least;
        node.at_most = at_most;
        node.parts.push_back(std::move(part));
        return node;
    }

    bool repetition(int& at_least, int& at_most) {
        at_least = is_next(U'+') ? 1 : 0;
        at_most = is_next(U'?') ? 1 : -1;
        if (skip(U'*') || skip(U'+') || skip(U'?')) return true;
        const std::size_t start = at_;
        if (skip(U'{') && number(at_least)) {
            at_most = at_least;
            if (skip(U',') && !number(at_most)) at_most = -1;
            if (skip(U'}')) return true;
        }
        at_ = start;  // a brace that is none of this stands for itself
        return false;
    }

    bool number(int& value) {
        const std::size_t start = at_;
        for (value = 0; !at_end() && next() >= U'0' && next() <= U'9'; ++at_) {
            value = std::min(value * 10 + static_cast<int>(next() - U'0'), kRepeatMax + 1);
        }
        return at_ > start;
    }

    Node escape() {
        const char32_t sign = take("ends with a backslash");
        switch (sign) {
            case U'A': return assertion(Step::text_start);
            case U'z': return assertion(Step::text_end);
            case U'b': return assertion(Step::boundary);
            case U'B': return assertion(Step::no_boundary);
            default: break;
        }
        if (const std::optional<Expression::Ranges> named = perl_class(sign)) return letters(*named);
        return letter(escaped_letter(sign));
    }

    char32_t escaped_letter(char32_t sign) {
        if (sign == U'x') return hexadecimal();
        if (sign >= U'0' && sign <= U'7') return octal(sign);
        if (const std::optional<char32_t> control = control_letter(sign)) return *control;
        if (sign >= 0x80 || (is_word(sign) && sign != U'_')) refuse("has an unknown escape");
        return sign;
    }

    char32_t octal(char32_t first) {
        const auto is_digit = [&] { return !at_end() && next() >= U'0' && next() <= U'7'; };
        if (first != U'0' && !is_digit()) refuse("refers back to a group");
        char32_t value = first - U'0';
        for (int more = 0; more < 2 && is_digit(); ++more) value = value * 8 + (pattern_[at_++] - U'0');
        return value;
    }

    char32_t hexadecimal() {
        const bool braces = skip(U'{');
        char32_t value = 0;
        int digits = 0;
        for (; braces ? !is_next(U'}') : digits < 2; ++digits) {
            const std::optional<unsigned> digit = hex_digit(take("has a number without an end"));
            if (!digit) refuse("has an unknown escape");
            value = value * 16 + *digit;
            if (value > kLetterMax) refuse("names a letter that does not exist");
        }
        if (braces && (digits == 0 || !skip(U'}'))) refuse("has an unknown escape");
        return value;
    }

    Expression::Ranges letter_class() {
        const bool negated = skip(U'^');
        Expression::Ranges ranges;
        for (bool first = true; first || !is_next(U']'); first = false) {
            if (skip_all(U"[:")) {
                add(ranges, posix_class());
                continue;
            }
            const char32_t low = take("has a '[' without its ']'");
            if (low == U'\\') {
                if (at_end()) refuse("ends with a backslash");
                if (const std::optional<Expression::Ranges> named = perl_class(next())) {
                    ++at_;
                    add(ranges, *named);
                    continue;
                }
            }
            add_range(ranges, low == U'\\' ? escaped_letter(pattern_[at_++]) : low);
        }
        skip(U']');
        if (flags_.fold) ranges = folded(ranges);
        return negated ? others(ranges) : ranges;
    }

    void add_range(Expression::Ranges& ranges, char32_t low) {
        char32_t high = low;
        if (is_next(U'-') && at_ + 1 < pattern_.size() && pattern_[at_ + 1] != U']') {
            ++at_;
            high = take("has a '[' without its ']'");
            if (high == U'\\') high = escaped_letter(take("ends with a backslash"));
        }
        if (high < low) refuse("has a range that ends before it starts");
        ranges.emplace_back(low, high);
    }

    Expression::Ranges posix_class() {
        const bool negated = skip(U'^');
        std::string name;
        while (!is_next(U':')) name += static_cast<char>(take("has a '[' without its ']'") & 0x7F);
        const std::optional<Expression::Ranges> ranges = named_class(name);
        if (!skip_all(U":]") || !ranges) refuse("names an unknown class of letters");
        return negated ? others(*ranges) : *ranges;
    }

    static void add(Expression::Ranges& ranges, const Expression::Ranges& more) {
        ranges.insert(ranges.end(), more.begin(), more.end());
    }

    Node letter(char32_t value) {
        return letters(flags_.fold ? folded({{value, value}}) : Expression::Ranges{{value, value}});
    }

    static Node letters(Expression::Ranges ranges) {
        Node node;
        node.kind = NodeKind::letters;
        node.letters = std::move(ranges);
        return node;
    }

    static Node assertion(Step step) {
        Node node;
        node.kind = NodeKind::assertion;
        node.assertion = step;
        return node;
    }

    std::vector<char32_t> pattern_;
    std::size_t at_ = 0;
    Flags flags_;
};

}  // namespace

std::optional<ExpressionNode> parse_expression(std::string_view pattern, std::string& why) {
    try {
        return Parser(to_letters(pattern)).parse();
    } catch (const Refused& refused) {
        why = refused.why;
        return std::nullopt;
    }
}

}  // namespace bayplan::queue_config
