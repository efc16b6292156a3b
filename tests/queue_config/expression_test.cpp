// Regular expressions: what is one, what each matches, and that no pattern and no text takes long.
#include <gtest/gtest.h>

#include "queue_config/expression.h"

namespace bayplan::queue_config {
namespace {

bool matches(std::string_view pattern, std::string_view text) {
    std::string why;
    const std::optional<Expression> expression = Expression::compile(pattern, why);
    EXPECT_TRUE(expression) << pattern << ": " << why;
    return expression && expression->matches(text);
}

TEST(Expressions, match_anywhere_unless_they_say_where) {
    EXPECT_TRUE(matches("ar", "spark"));
    EXPECT_FALSE(matches("^ar", "spark"));
    EXPECT_TRUE(matches("^sp.*k$", "spark"));
    EXPECT_FALSE(matches("^spar$", "spark"));
    EXPECT_TRUE(matches("", "x"));
    EXPECT_TRUE(matches("$", ""));
    EXPECT_TRUE(matches("(?m)^b$", "a\nb\nc"));
    EXPECT_FALSE(matches("^b$", "a\nb\nc"));
}

TEST(Expressions, letters_and_classes) {
    EXPECT_TRUE(matches("^[a-c\\d]+$", "a1c9"));
    EXPECT_FALSE(matches("^[^a-c]+$", "xya"));
    EXPECT_TRUE(matches("^[]x-]+$", "]-x"));
    EXPECT_TRUE(matches("^[[:upper:][:^alpha:]]+$", "AB12"));
    EXPECT_TRUE(matches("^\\w\\W\\s\\S\\D$", "a! x-"));
    EXPECT_TRUE(matches("^\\x41\\x{42}\\103$", "ABC"));
    EXPECT_TRUE(matches("^\\Qa.b\\E$", "a.b"));
    EXPECT_FALSE(matches("^\\Qa.b\\E$", "axb"));
    EXPECT_TRUE(matches("^.$", "\xC3\xBC"));  // one letter of two bytes
    EXPECT_FALSE(matches("^.$", "\n"));
    EXPECT_TRUE(matches("(?s)^.$", "\n"));
    EXPECT_TRUE(matches("(?i)ADMIN", "the-admin"));
    EXPECT_TRUE(matches("a(?i:B)c", "abc"));
    EXPECT_FALSE(matches("a(?i:B)c", "abC"));
    EXPECT_TRUE(matches("\\bops\\b", "dev ops x"));
    EXPECT_FALSE(matches("\\bops\\b", "devops"));
}

TEST(Expressions, repetitions_and_choices) {
    EXPECT_TRUE(matches("^(ab|c)*d?$", "abcabd"));
    EXPECT_TRUE(matches("^a{2,3}$", "aaa"));
    EXPECT_FALSE(matches("^a{2,3}$", "aaaa"));
    EXPECT_TRUE(matches("^a{2,}?$", "aaaaa"));
    EXPECT_TRUE(matches("^a{,2}$", "a{,2}"));  // no repetition: it stands for itself
    EXPECT_TRUE(matches("^(?P<name>x|)(y|z)$", "z"));
}

TEST(Expressions, what_is_none) {
    for (const char* pattern :
         {"[",   "(",   ")",     "a)",    "*",     "+a",     "a**",   "a{2}{3}",    "a{1001}",     "a{3,2}", "\\",
          "\\1", "\\q", "[b-a]", "(?=x)", "(?!x)", "(?<!x)", "(?x)a", "[[:none:]]", "\\x{110000}", "\\pL",   "[a"}) {
        std::string why;
        EXPECT_FALSE(Expression::compile(pattern, why)) << pattern;
        EXPECT_FALSE(why.empty()) << pattern;
    }
}

TEST(Expressions, no_pattern_takes_long) {
    std::string why;
    EXPECT_FALSE(Expression::compile("((a{1000}){1000}){1000}", why));
    EXPECT_FALSE(Expression::compile("(((){1000}){1000}){1000}", why));
    EXPECT_FALSE(Expression::compile(std::string(100'000, '('), why));
    // Backtracking would try 2^200 ways.
    EXPECT_FALSE(matches("^(a|a)*(a*)*b$", std::string(200, 'a')));
}

}  // namespace
}  // namespace bayplan::queue_config
