// The functions, methods and operators of the language, a row for each set of argument types.
//
// Thread: any; constant.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cel/value.h"

namespace bayplan::cel {

// A value, or an error.
struct Result {
    Value value;
    std::optional<std::string> error;

    Result(Value from) : value(std::move(from)) {}
    static Result failed(std::string why) {
        Result result{Value()};
        result.error = std::move(why);
        return result;
    }
};

inline constexpr std::string_view kNoOverload = "no such overload";

using Arguments = std::span<const Value>;
using Function = Result (*)(Arguments);

struct Overload {
    std::string_view name;
    bool method = false;  // the first argument stands before the dot
    std::vector<Kind> takes;
    Type gives;
    Function run = nullptr;
};

// All of a name; empty: there is none.
std::span<const Overload* const> overloads_of(std::string_view name, bool method);

// The rows, by what they work on.
std::vector<Overload> operators();
std::vector<Overload> text_functions();
std::vector<Overload> list_functions();
std::vector<Overload> version_functions();
std::vector<Overload> quantity_functions();
std::vector<Overload> address_functions();
std::vector<Overload> conversions();

// Of two values; an error where the left one cannot be compared with such a right one.
Result equals(const Value&, const Value&);
// Before, equal (0) or after; none: they have no order.
std::optional<int> compare(const Value&, const Value&);

// In code points.
std::size_t length_of(std::string_view utf8);

}  // namespace bayplan::cel
