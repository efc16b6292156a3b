// Tokens of CEL. Thread: any; keeps views of the text.
#pragma once

#include <string>
#include <string_view>

#include "cel/value.h"

namespace bayplan::cel {

struct Token {
    enum class Kind : std::uint8_t { end, name, literal, sign, fault };
    Kind kind = Kind::end;
    std::string_view text;  // of a name or a sign
    Value value;            // of a literal
    std::string fault;
    std::size_t at = 0;
};

class Lexer {
public:
    explicit Lexer(std::string_view text) : text_(text) {}
    Token next();

private:
    void skip_space();
    Token fault(std::string what);
    Token number();
    Token quoted(bool raw);
    bool escape(std::string& into);
    bool code_point(std::size_t digits, int base, std::string& into);

    std::string_view text_;
    std::size_t at_ = 0;
};

}  // namespace bayplan::cel
