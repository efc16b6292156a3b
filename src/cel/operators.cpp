// Arithmetic, order and membership. See functions.h.
#include <cmath>

#include "cel/functions.h"

namespace bayplan::cel {

// Named: the rows of several files may be compiled as one, and have short names.
namespace operator_rows {

Result no_overload() { return Result::failed(std::string(kNoOverload)); }

Result same(Arguments a) { return equals(a[0], a[1]); }
Result differ(Arguments a) {
    Result result = equals(a[0], a[1]);
    return result.error ? result : Result(Value{!result.value.as<bool>()});
}

template <typename Holds>
Result ordered(Arguments a, Holds holds) {
    const std::optional<int> order = compare(a[0], a[1]);
    return order ? Result(Value{holds(*order)}) : no_overload();
}
Result less(Arguments a) {
    return ordered(a, [](int order) { return order < 0; });
}
Result at_most(Arguments a) {
    return ordered(a, [](int order) { return order <= 0; });
}
Result greater(Arguments a) {
    return ordered(a, [](int order) { return order > 0; });
}
Result at_least(Arguments a) {
    return ordered(a, [](int order) { return order >= 0; });
}

Result overflow() { return Result::failed("integer overflow"); }
Result by_zero(bool remainder) { return Result::failed(remainder ? "modulus by zero" : "division by zero"); }

template <typename Number, char Sign>
Result arithmetic(Arguments arguments) {
    const Number a = arguments[0].as<Number>();
    const Number b = arguments[1].as<Number>();
    if constexpr (std::is_same_v<Number, double>) {
        return Value{Sign == '+' ? a + b : Sign == '-' ? a - b : Sign == '*' ? a * b : a / b};
    } else if constexpr (Sign == '/' || Sign == '%') {
        if (b == 0) {
            return by_zero(Sign == '%');
        }
        if constexpr (std::is_signed_v<Number>) {
            if (b == -1) {
                return Sign == '%' ? Result(Value{Number{0}}) : a == INT64_MIN ? overflow() : Result(Value{Number{-a}});
            }
        }
        return Value{static_cast<Number>(Sign == '/' ? a / b : a % b)};
    } else {
        Number result = 0;
        const bool over = Sign == '+'   ? __builtin_add_overflow(a, b, &result)
                          : Sign == '-' ? __builtin_sub_overflow(a, b, &result)
                                        : __builtin_mul_overflow(a, b, &result);
        return over ? overflow() : Result(Value{result});
    }
}

Result joined(Arguments a) { return Value{a[0].as<std::string>() + a[1].as<std::string>()}; }
Result lists_joined(Arguments a) {
    Values all = *a[0].as<std::shared_ptr<const Values>>();
    const Values& more = *a[1].as<std::shared_ptr<const Values>>();
    all.insert(all.end(), more.begin(), more.end());
    return list_of(std::move(all));
}

Result negated(Arguments a) {
    const auto value = a[0].as<std::int64_t>();
    return value == INT64_MIN ? overflow() : Result(Value{-value});
}
Result negated_real(Arguments a) { return Value{-a[0].as<double>()}; }
Result inverted(Arguments a) { return Value{!a[0].as<bool>()}; }

Result in_list(Arguments a) {
    for (const Value& one : *a[1].as<std::shared_ptr<const Values>>()) {
        const Result result = equals(one, a[0]);
        if (!result.error && result.value.as<bool>()) {
            return Value{true};
        }
    }
    return Value{false};
}

void add_orders(std::vector<Overload>& rows) {
    constexpr Type kBool{Kind::boolean};
    for (const Kind left : {Kind::integer, Kind::unsigned_integer, Kind::real}) {
        for (const Kind right : {Kind::integer, Kind::unsigned_integer, Kind::real}) {
            rows.push_back({"_<_", false, {left, right}, kBool, less});
            rows.push_back({"_<=_", false, {left, right}, kBool, at_most});
            rows.push_back({"_>_", false, {left, right}, kBool, greater});
            rows.push_back({"_>=_", false, {left, right}, kBool, at_least});
        }
    }
    for (const Kind kind : {Kind::text, Kind::boolean}) {
        rows.push_back({"_<_", false, {kind, kind}, kBool, less});
        rows.push_back({"_<=_", false, {kind, kind}, kBool, at_most});
        rows.push_back({"_>_", false, {kind, kind}, kBool, greater});
        rows.push_back({"_>=_", false, {kind, kind}, kBool, at_least});
    }
}

template <typename Number>
void add_arithmetic(Kind kind, std::vector<Overload>& rows) {
    rows.push_back({"_+_", false, {kind, kind}, {kind}, arithmetic<Number, '+'>});
    rows.push_back({"_-_", false, {kind, kind}, {kind}, arithmetic<Number, '-'>});
    rows.push_back({"_*_", false, {kind, kind}, {kind}, arithmetic<Number, '*'>});
    rows.push_back({"_/_", false, {kind, kind}, {kind}, arithmetic<Number, '/'>});
}

}  // namespace operator_rows

std::vector<Overload> operators() {
    using namespace operator_rows;
    constexpr Type kBool{Kind::boolean};
    std::vector<Overload> rows;
    rows.push_back({"_==_", false, {Kind::dynamic, Kind::dynamic}, kBool, same});
    rows.push_back({"_!=_", false, {Kind::dynamic, Kind::dynamic}, kBool, differ});
    add_orders(rows);
    add_arithmetic<std::int64_t>(Kind::integer, rows);
    add_arithmetic<std::uint64_t>(Kind::unsigned_integer, rows);
    add_arithmetic<double>(Kind::real, rows);
    rows.push_back({"_%_", false, {Kind::integer, Kind::integer}, {Kind::integer}, arithmetic<std::int64_t, '%'>});
    rows.push_back({"_%_",
                    false,
                    {Kind::unsigned_integer, Kind::unsigned_integer},
                    {Kind::unsigned_integer},
                    arithmetic<std::uint64_t, '%'>});
    rows.push_back({"_+_", false, {Kind::text, Kind::text}, {Kind::text}, joined});
    rows.push_back({"_+_", false, {Kind::list, Kind::list}, {Kind::list}, lists_joined});
    rows.push_back({"-_", false, {Kind::integer}, {Kind::integer}, negated});
    rows.push_back({"-_", false, {Kind::real}, {Kind::real}, negated_real});
    rows.push_back({"!_", false, {Kind::boolean}, kBool, inverted});
    rows.push_back({"_in_", false, {Kind::dynamic, Kind::list}, kBool, in_list});
    return rows;
}

}  // namespace bayplan::cel
