// See lexer.h. Source: the language definition of CEL.
#include "cel/lexer.h"

#include <algorithm>
#include <cctype>
#include <charconv>

namespace bayplan::cel {

namespace {

bool begins_name(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool continues_name(char c) { return begins_name(c) || is_digit(c); }

void append_utf8(std::uint32_t code, std::string& into) {
    if (code < 0x80) {
        into += static_cast<char>(code);
        return;
    }
    const int more = code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
    static constexpr unsigned kLeads[] = {0, 0xc0, 0xe0, 0xf0};
    into += static_cast<char>(kLeads[more] | code >> (6 * more));
    for (int left = more - 1; left >= 0; --left) {
        into += static_cast<char>(0x80 | (code >> (6 * left) & 0x3f));
    }
}

}  // namespace

void Lexer::skip_space() {
    while (at_ < text_.size()) {
        if (std::isspace(static_cast<unsigned char>(text_[at_])) != 0) {
            ++at_;
        } else if (text_.substr(at_).starts_with("//")) {
            at_ = std::min(text_.find('\n', at_), text_.size());
        } else {
            return;
        }
    }
}

Token Lexer::fault(std::string what) {
    Token token;
    token.kind = Token::Kind::fault;
    token.fault = std::move(what);
    token.at = at_;
    return token;
}

Token Lexer::next() {
    skip_space();
    Token token;
    token.at = at_;
    if (at_ >= text_.size()) {
        return token;
    }
    const char c = text_[at_];
    const std::string_view rest = text_.substr(at_);
    if (rest.starts_with("r\"") || rest.starts_with("r'") || rest.starts_with("R\"") || rest.starts_with("R'")) {
        ++at_;
        return quoted(true);
    }
    if (rest.starts_with("b\"") || rest.starts_with("b'")) {
        return fault("bytes are not supported");
    }
    if (c == '"' || c == '\'') {
        return quoted(false);
    }
    if (is_digit(c) || (c == '.' && rest.size() > 1 && is_digit(rest[1]))) {
        return number();
    }
    if (begins_name(c)) {
        const std::size_t first = at_;
        while (at_ < text_.size() && continues_name(text_[at_])) {
            ++at_;
        }
        token.kind = Token::Kind::name;
        token.text = text_.substr(first, at_ - first);
        return token;
    }
    for (const std::string_view sign : {"&&", "||", "==", "!=", "<=", ">=", "[?", ".?"}) {
        if (rest.starts_with(sign)) {
            token.kind = Token::Kind::sign;
            token.text = rest.substr(0, 2);
            at_ += 2;
            return token;
        }
    }
    if (std::string_view("+-*/%<>!?:()[]{}.,").find(c) == std::string_view::npos) {
        return fault("a sign that is not expected: '" + std::string(1, c) + "'");
    }
    token.kind = Token::Kind::sign;
    token.text = rest.substr(0, 1);
    ++at_;
    return token;
}

Token Lexer::number() {
    Token token;
    token.kind = Token::Kind::literal;
    token.at = at_;
    const char* const first = text_.data() + at_;
    const char* const last = text_.data() + text_.size();
    if (text_.substr(at_).starts_with("0x") || text_.substr(at_).starts_with("0X")) {
        std::uint64_t value = 0;
        const auto [end, error] = std::from_chars(first + 2, last, value, 16);
        if (error != std::errc() || value > INT64_MAX) {
            return fault("a number that is none, or too large");
        }
        at_ += static_cast<std::size_t>(end - first);
        token.value = {static_cast<std::int64_t>(value)};
        return token;
    }
    std::size_t size = 0;
    bool real = false;
    for (const std::string_view rest = text_.substr(at_); size < rest.size(); ++size) {
        const bool exponent =
            (rest[size] == 'e' || rest[size] == 'E') && size + 1 < rest.size() &&
            (is_digit(rest[size + 1]) || (size + 2 < rest.size() && (rest[size + 1] == '-' || rest[size + 1] == '+')));
        if (exponent) {
            ++size;
            real = true;
        } else if (rest[size] == '.' && size + 1 < rest.size() && is_digit(rest[size + 1]) && !real) {
            real = true;
        } else if (!is_digit(rest[size])) {
            break;
        }
    }
    at_ += size;
    if (real) {
        double value = 0;
        std::from_chars(first, first + size, value);
        token.value = {value};
        return token;
    }
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(first, first + size, value);
    if (error != std::errc()) {
        return fault("a number that is too large");
    }
    if (at_ < text_.size() && (text_[at_] == 'u' || text_[at_] == 'U')) {
        ++at_;
        token.value = {value};
    } else if (value > INT64_MAX) {
        // The least integer is written as the negative of a number that is none itself; nobody does.
        return fault("a number that is too large");
    } else {
        token.value = {static_cast<std::int64_t>(value)};
    }
    return token;
}

bool Lexer::code_point(std::size_t digits, int base, std::string& into) {
    std::uint32_t code = 0;
    const char* const first = text_.data() + at_;
    if (at_ + digits > text_.size()) {
        return false;
    }
    const auto [end, error] = std::from_chars(first, first + digits, code, base);
    at_ += digits;
    const bool surrogate = code >= 0xd800 && code <= 0xdfff;
    if (error != std::errc() || end != first + digits || code > 0x10ffff || surrogate) {
        return false;
    }
    append_utf8(code, into);
    return true;
}

bool Lexer::escape(std::string& into) {
    if (at_ >= text_.size()) {
        return false;
    }
    const char c = text_[at_++];
    static constexpr std::string_view kPlain = "abfnrtv\\?\"'`";
    static constexpr std::string_view kMeaning = "\a\b\f\n\r\t\v\\?\"'`";
    if (const std::size_t at = kPlain.find(c); at != std::string_view::npos) {
        into += kMeaning[at];
        return true;
    }
    switch (c) {
        case 'x':
        case 'X': return code_point(2, 16, into);
        case 'u': return code_point(4, 16, into);
        case 'U': return code_point(8, 16, into);
        default: break;
    }
    if (c >= '0' && c <= '3') {
        --at_;
        return code_point(3, 8, into);
    }
    return false;
}

Token Lexer::quoted(bool raw) {
    Token token;
    token.kind = Token::Kind::literal;
    token.at = at_;
    const char quote = text_[at_];
    const std::string three(3, quote);
    const bool triple = text_.substr(at_).starts_with(three);
    at_ += triple ? 3 : 1;
    std::string value;
    for (;;) {
        if (at_ >= text_.size()) {
            return fault("a text without its end");
        }
        if (triple ? text_.substr(at_).starts_with(three) : text_[at_] == quote) {
            at_ += triple ? 3 : 1;
            break;
        }
        const char c = text_[at_++];
        if (c == '\n' && !triple) {
            return fault("a text without its end");
        }
        if (c != '\\' || raw) {
            value += c;
        } else if (!escape(value)) {
            return fault("an escape that is none");
        }
    }
    token.value = {std::move(value)};
    return token;
}

}  // namespace bayplan::cel
