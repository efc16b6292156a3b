// The tree of an expression as a program, and the walk of a text through all of its states at once.
//
// Thread: any.
#include "queue_config/expression.h"

#include <algorithm>

#include "queue_config/expression_parser.h"
#include "queue_config/letter_classes.h"

namespace bayplan::queue_config {
namespace {

using Step = Expression::Step;
using Program = std::vector<Expression::Instruction>;
using Node = ExpressionNode;

constexpr std::size_t kProgramMax = 20'000;  // states walked per letter of a name, at most

// Each part behind the one before it; false: it became too large.
class Emitter {
public:
    bool emit(const Node& node) {
        // Repeated nothing makes no program, and takes its time all the same.
        if (program_.size() > kProgramMax || ++parts_ > 10 * kProgramMax) return false;
        switch (node.kind) {
            case Node::Kind::letters: program_.push_back({Step::letter, 0, 0, node.letters}); return true;
            case Node::Kind::assertion: program_.push_back({node.assertion, 0, 0, {}}); return true;
            case Node::Kind::sequence: return emit_all(node.parts);
            case Node::Kind::choice: return emit_choice(node.parts);
            case Node::Kind::repeat: return emit_repeat(node);
        }
        return false;
    }

    Program finish() {
        program_.push_back({});
        return std::move(program_);
    }

private:
    bool emit_all(const std::vector<Node>& parts) {
        return std::ranges::all_of(parts, [&](const Node& part) { return emit(part); });
    }

    bool emit_choice(const std::vector<Node>& parts) {
        std::vector<std::size_t> jumps;
        for (std::size_t at = 0; at + 1 < parts.size(); ++at) {
            const std::size_t split = open_split();
            if (!emit(parts[at])) return false;
            jumps.push_back(program_.size());
            program_.push_back({Step::jump, 0, 0, {}});
            program_[split].other = here();
        }
        if (!emit(parts.back())) return false;
        for (const std::size_t jump : jumps) program_[jump].to = here();
        return true;
    }

    bool emit_repeat(const Node& node) {
        for (int count = 0; count < node.at_least; ++count) {
            if (!emit(node.parts[0])) return false;
        }
        if (node.at_most < 0) {
            const std::size_t split = open_split();
            if (!emit(node.parts[0])) return false;
            program_.push_back({Step::jump, static_cast<std::uint32_t>(split), 0, {}});
            program_[split].other = here();
            return true;
        }
        std::vector<std::size_t> splits;
        for (int count = node.at_least; count < node.at_most; ++count) {
            splits.push_back(open_split());
            if (!emit(node.parts[0])) return false;
        }
        for (const std::size_t split : splits) program_[split].other = here();
        return true;
    }

    // Goes on behind itself; where else is filled in later.
    std::size_t open_split() {
        program_.push_back({Step::split, here() + 1, 0, {}});
        return program_.size() - 1;
    }

    std::uint32_t here() const { return static_cast<std::uint32_t>(program_.size()); }

    Program program_;
    std::size_t parts_ = 0;
};

// Where in the text the walk is: what stands before and behind.
struct Place {
    std::optional<char32_t> before;
    std::optional<char32_t> behind;

    bool holds(Step assertion) const {
        const bool boundary = (before && is_word(*before)) != (behind && is_word(*behind));
        switch (assertion) {
            case Step::text_start: return !before;
            case Step::text_end: return !behind;
            case Step::line_start: return !before || *before == U'\n';
            case Step::line_end: return !behind || *behind == U'\n';
            case Step::boundary: return boundary;
            default: return !boundary;
        }
    }
};

// The states between two letters, each once.
class States {
public:
    explicit States(const Program& program) : program_(program), is_in_(program.size()) {}

    // Adds a state with all that follows without a letter. True: the end was reached.
    bool add(std::uint32_t state, const Place& place) {
        open_.push_back(state);
        while (!open_.empty()) {
            const std::uint32_t at = open_.back();
            open_.pop_back();
            if (is_in_[at]) continue;
            is_in_[at] = true;
            const Expression::Instruction& instruction = program_[at];
            switch (instruction.step) {
                case Step::match: return true;
                case Step::letter: waiting_.push_back(at); break;
                case Step::split: open_.push_back(instruction.other); [[fallthrough]];
                case Step::jump: open_.push_back(instruction.to); break;
                default:
                    if (place.holds(instruction.step)) open_.push_back(at + 1);
            }
        }
        return false;
    }

    void clear() {
        waiting_.clear();
        is_in_.assign(is_in_.size(), false);
    }
    const std::vector<std::uint32_t>& waiting() const { return waiting_; }

private:
    const Program& program_;
    std::vector<bool> is_in_;
    std::vector<std::uint32_t> waiting_;  // for a letter
    std::vector<std::uint32_t> open_;
};

bool is_among(const Expression::Ranges& ranges, char32_t letter) {
    return std::ranges::any_of(ranges,
                               [&](const auto& range) { return range.first <= letter && letter <= range.second; });
}

}  // namespace

std::optional<Expression> Expression::compile(std::string_view pattern, std::string& why) {
    const std::optional<ExpressionNode> tree = parse_expression(pattern, why);
    if (!tree) return std::nullopt;
    Emitter emitter;
    if (!emitter.emit(*tree)) {
        why = "is too large";
        return std::nullopt;
    }
    Expression expression;
    expression.program_ = emitter.finish();
    return expression;
}

bool Expression::matches(std::string_view text) const {
    const std::vector<char32_t> letters = to_letters(text);
    States here(program_);
    States there(program_);
    States* now = &here;
    States* then = &there;
    Place place{std::nullopt, letters.empty() ? std::nullopt : std::optional(letters[0])};
    if (now->add(0, place)) return true;
    for (std::size_t at = 0; at < letters.size(); ++at) {
        place = {letters[at], at + 1 < letters.size() ? std::optional(letters[at + 1]) : std::nullopt};
        then->clear();
        for (const std::uint32_t state : now->waiting()) {
            if (is_among(program_[state].letters, letters[at]) && then->add(state + 1, place)) return true;
        }
        if (then->add(0, place)) return true;  // a match may start anywhere
        std::swap(now, then);
    }
    return false;
}

std::vector<char32_t> to_letters(std::string_view text) {
    std::vector<char32_t> letters;
    for (std::size_t at = 0; at < text.size();) {
        const auto first = static_cast<unsigned char>(text[at]);
        const std::size_t size = first < 0x80       ? 1
                                 : first >> 5 == 6  ? 2
                                 : first >> 4 == 14 ? 3
                                 : first >> 3 == 30 ? 4
                                                    : 0;
        char32_t letter = size <= 1 ? first : first & (0x7F >> size);
        std::size_t got = 1;
        while (got < size && at + got < text.size() && (static_cast<unsigned char>(text[at + got]) >> 6) == 2) {
            letter = letter << 6 | (static_cast<unsigned char>(text[at + got++]) & 0x3F);
        }
        const bool whole = size > 0 && got == size;
        letters.push_back(whole ? letter : 0xFFFD);
        at += whole ? size : 1;
    }
    return letters;
}

}  // namespace bayplan::queue_config
