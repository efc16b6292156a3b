// The syntax of expressions: pattern to tree.
//
// Thread: plain functions, any.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "queue_config/expression.h"

namespace bayplan::queue_config {

struct ExpressionNode {
    enum class Kind { letters, assertion, sequence, choice, repeat };

    Kind kind = Kind::sequence;
    Expression::Ranges letters;
    Expression::Step assertion = Expression::Step::match;
    int at_least = 0;  // repeat
    int at_most = 0;   // repeat; -1: any number
    std::vector<ExpressionNode> parts;
};

std::optional<ExpressionNode> parse_expression(std::string_view pattern, std::string& why);

// The letters of a UTF-8 text; a byte that is no part of one counts as U+FFFD.
std::vector<char32_t> to_letters(std::string_view text);

}  // namespace bayplan::queue_config
