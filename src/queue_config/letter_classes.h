// Sets of letters as ranges: classes by name, their complements, and both cases of a letter.
//
// Thread: plain functions, any.
#pragma once

#include <optional>
#include <string_view>

#include "queue_config/expression.h"

namespace bayplan::queue_config {

inline constexpr char32_t kLetterMax = 0x10FFFF;

Expression::Ranges all_letters();
Expression::Ranges without_newline();
// All letters that are in none of the ranges.
Expression::Ranges others(Expression::Ranges);
// With the other case of every ASCII letter.
Expression::Ranges folded(Expression::Ranges);
// d, w, s, and D, W, S for what is none.
std::optional<Expression::Ranges> perl_class(char32_t sign);
// "alpha", "digit", ...
std::optional<Expression::Ranges> named_class(std::string_view name);

bool is_word(char32_t letter);
// n, t and the like, behind a backslash.
std::optional<char32_t> control_letter(char32_t sign);
std::optional<unsigned> hex_digit(char32_t letter);

}  // namespace bayplan::queue_config
