// Brackets and commas; texts are the library's. See json_text.h.

#include "answers/json_text.h"

#include <array>
#include <utility>

#include <fmt/format.h>
#include <boost/json/serializer.hpp>

namespace bayplan::answers {

std::string JsonText::take() { return std::exchange(text_, std::string()); }

void JsonText::separate() {
    if (needs_comma_) {
        text_ += ',';
    }
    needs_comma_ = true;
}

void JsonText::begin(char bracket) {
    separate();
    text_ += bracket;
    needs_comma_ = false;
}

void JsonText::end(char bracket) {
    text_ += bracket;
    needs_comma_ = true;
}

JsonText& JsonText::name(std::string_view name) {
    value(name);
    text_ += ':';
    needs_comma_ = false;
    return *this;
}

void JsonText::value(std::string_view text) {
    separate();
    thread_local boost::json::serializer serializer;
    std::array<char, 512> piece;
    serializer.reset(boost::json::string_view(text));
    while (!serializer.done()) {
        text_ += serializer.read(piece.data(), piece.size());
    }
}

void JsonText::value(std::int64_t number) {
    separate();
    fmt::format_to(std::back_inserter(text_), "{}", number);
}

void JsonText::value_unsigned(std::uint64_t number) {
    separate();
    fmt::format_to(std::back_inserter(text_), "{}", number);
}

// The shortest text that reads as the same number; a whole one without a point, as Go writes it.
void JsonText::value_real(double number) {
    separate();
    std::string text = fmt::format("{}", number);
    if (text.ends_with(".0")) {
        text.resize(text.size() - 2);
    }
    text_ += text;
}

void JsonText::value(bool is) {
    separate();
    text_ += is ? "true" : "false";
}

void JsonText::null() {
    separate();
    text_ += "null";
}

}  // namespace bayplan::answers
