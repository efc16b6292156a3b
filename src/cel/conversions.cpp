// Conversions between types, and type(). See functions.h.
#include <charconv>
#include <cmath>

#include <fmt/format.h>

#include "cel/functions.h"

namespace bayplan::cel {

// Named: the rows of several files may be compiled as one, and have short names.
namespace conversion_rows {

template <typename Number>
Result parsed(const std::string& text) {
    Number number = 0;
    const char* const first = text.data() + (text.size() > 1 && text[0] == '+' && text[1] != '-' ? 1 : 0);
    const auto [end, error] = std::from_chars(first, text.data() + text.size(), number);
    return error == std::errc() && end == text.data() + text.size() && !text.empty()
               ? Result(Value{number})
               : Result::failed("type conversion error from 'string'");
}

Result out_of_range() { return Result::failed("integer overflow"); }

Result to_itself(Arguments a) { return a[0]; }
Result int_of_unsigned(Arguments a) {
    const auto value = a[0].as<std::uint64_t>();
    return value > INT64_MAX ? out_of_range() : Result(Value{static_cast<std::int64_t>(value)});
}
Result int_of_real(Arguments a) {
    const double value = a[0].as<double>();
    return std::isfinite(value) && std::fabs(value) < 9.2e18 ? Result(Value{static_cast<std::int64_t>(value)})
                                                             : out_of_range();
}
Result int_of_text(Arguments a) { return parsed<std::int64_t>(a[0].as<std::string>()); }
Result unsigned_of_int(Arguments a) {
    const auto value = a[0].as<std::int64_t>();
    return value < 0 ? out_of_range() : Result(Value{static_cast<std::uint64_t>(value)});
}
Result unsigned_of_real(Arguments a) {
    const double value = a[0].as<double>();
    return std::isfinite(value) && value >= 0 && value < 1.8e19 ? Result(Value{static_cast<std::uint64_t>(value)})
                                                                : out_of_range();
}
Result unsigned_of_text(Arguments a) { return parsed<std::uint64_t>(a[0].as<std::string>()); }
Result real_of_int(Arguments a) { return Value{static_cast<double>(a[0].as<std::int64_t>())}; }
Result real_of_unsigned(Arguments a) { return Value{static_cast<double>(a[0].as<std::uint64_t>())}; }
Result real_of_text(Arguments a) { return parsed<double>(a[0].as<std::string>()); }
Result text_of_int(Arguments a) { return Value{std::to_string(a[0].as<std::int64_t>())}; }
Result text_of_unsigned(Arguments a) { return Value{std::to_string(a[0].as<std::uint64_t>())}; }
Result text_of_real(Arguments a) { return Value{fmt::format("{}", a[0].as<double>())}; }
Result text_of_bool(Arguments a) { return Value{std::string(a[0].as<bool>() ? "true" : "false")}; }
Result text_of_address(Arguments a) {
    const Address& address = a[0].as<Address>();
    if (address.six) {
        return Result::failed("string() of an IPv6 address is not supported");
    }
    const auto& bytes = address.bytes;
    return Value{fmt::format("{}.{}.{}.{}", bytes[0], bytes[1], bytes[2], bytes[3])};
}
Result bool_of_text(Arguments a) {
    const std::string& text = a[0].as<std::string>();
    for (const std::string_view yes : {"1", "t", "T", "true", "TRUE", "True"}) {
        if (text == yes) {
            return Value{true};
        }
    }
    for (const std::string_view no : {"0", "f", "F", "false", "FALSE", "False"}) {
        if (text == no) {
            return Value{false};
        }
    }
    return Result::failed("type conversion error from 'string' to 'bool'");
}
Result dynamic(Arguments a) { return a[0]; }
Result type_of(Arguments a) { return Value{TypeName{std::string(name_of(a[0].kind()))}}; }

}  // namespace conversion_rows

std::vector<Overload> conversions() {
    using namespace conversion_rows;
    constexpr Kind kInt = Kind::integer;
    constexpr Kind kUnsigned = Kind::unsigned_integer;
    constexpr Kind kReal = Kind::real;
    constexpr Kind kText = Kind::text;
    return {{"int", false, {kInt}, {kInt}, to_itself},
            {"int", false, {kUnsigned}, {kInt}, int_of_unsigned},
            {"int", false, {kReal}, {kInt}, int_of_real},
            {"int", false, {kText}, {kInt}, int_of_text},
            {"uint", false, {kUnsigned}, {kUnsigned}, to_itself},
            {"uint", false, {kInt}, {kUnsigned}, unsigned_of_int},
            {"uint", false, {kReal}, {kUnsigned}, unsigned_of_real},
            {"uint", false, {kText}, {kUnsigned}, unsigned_of_text},
            {"double", false, {kReal}, {kReal}, to_itself},
            {"double", false, {kInt}, {kReal}, real_of_int},
            {"double", false, {kUnsigned}, {kReal}, real_of_unsigned},
            {"double", false, {kText}, {kReal}, real_of_text},
            {"string", false, {kText}, {kText}, to_itself},
            {"string", false, {kInt}, {kText}, text_of_int},
            {"string", false, {kUnsigned}, {kText}, text_of_unsigned},
            {"string", false, {kReal}, {kText}, text_of_real},
            {"string", false, {Kind::boolean}, {kText}, text_of_bool},
            {"string", false, {Kind::address}, {kText}, text_of_address},
            {"bool", false, {Kind::boolean}, {Kind::boolean}, to_itself},
            {"bool", false, {kText}, {Kind::boolean}, bool_of_text},
            {"dyn", false, {Kind::dynamic}, {}, dynamic},
            {"type", false, {Kind::dynamic}, {Kind::type}, type_of}};
}

}  // namespace bayplan::cel
