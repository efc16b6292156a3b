// JSON written front to back into a text, in the order in which members are given. Members that YuniKorn leaves out when they
// are empty have functions of their own.
//
// Thread: its owner's. Errors: none; a text that is no UTF-8 is written as it is, for names come from shims checked.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace bayplan::answers {

class JsonText {
public:
    const std::string& text() const { return text_; }
    // The text since the last time.
    std::string take();

    void begin_object() { begin('{'); }
    void end_object() { end('}'); }
    void begin_array() { begin('['); }
    void end_array() { end(']'); }

    JsonText& name(std::string_view);  // of the value that follows
    void value(std::string_view);
    void value(const char* text) { value(std::string_view(text)); }
    void value(std::int64_t);
    void value(bool);
    void value_unsigned(std::uint64_t);
    void value_real(double);
    void null();

    template <typename Value>
    void member(std::string_view name_of_it, Value&& of_it) {
        name(name_of_it);
        value(of_it);
    }
    // Nothing, if it is empty, zero, false.
    void member_if(std::string_view name_of_it, std::string_view text) {
        if (!text.empty()) member(name_of_it, text);
    }
    void member_if(std::string_view name_of_it, std::int64_t number) {
        if (number != 0) member(name_of_it, number);
    }
    void member_if(std::string_view name_of_it, bool is) {
        if (is) member(name_of_it, true);
    }

private:
    void begin(char bracket);
    void end(char bracket);
    void separate();

    std::string text_;
    bool needs_comma_ = false;
};

}  // namespace bayplan::answers
