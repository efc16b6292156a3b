// Kubernetes' quantities, exact. See functions.h.
#include "cel/functions.h"

namespace bayplan::cel {

// Named: the rows of several files may be compiled as one, and have short names.
namespace quantity_rows {

using kube::Int128;
using kube::Quantity;

constexpr Int128 kNanos = 1'000'000'000;

const Quantity& quantity(const Value& value) { return value.as<Quantity>(); }

Result made(Arguments a) {
    std::string why;
    const std::optional<Quantity> parsed = kube::parse_quantity(a[0].as<std::string>(), why);
    return parsed ? Result(Value{*parsed}) : Result::failed(why);
}
Result is_quantity(Arguments a) {
    std::string why;
    return Value{kube::parse_quantity(a[0].as<std::string>(), why).has_value()};
}

Result compare_to(Arguments a) { return Value{std::int64_t{*compare(a[0], a[1])}}; }
Result less(Arguments a) { return Value{*compare(a[0], a[1]) < 0}; }
Result greater(Arguments a) { return Value{*compare(a[0], a[1]) > 0}; }

// An operand is at most 2^63 of whole items, so a sum of few of them fits; what would not is an error.
Result summed(Int128 a, Int128 b) {
    Int128 sum = 0;
    return __builtin_add_overflow(a, b, &sum) ? Result::failed("a quantity is too large")
                                              : Result(Value{Quantity{sum}});
}
Int128 whole(const Value& value) { return Int128{value.as<std::int64_t>()} * kNanos; }
Result add(Arguments a) { return summed(quantity(a[0]).nanos, quantity(a[1]).nanos); }
Result add_whole(Arguments a) { return summed(quantity(a[0]).nanos, whole(a[1])); }
Result sub(Arguments a) { return summed(quantity(a[0]).nanos, -quantity(a[1]).nanos); }
Result sub_whole(Arguments a) { return summed(quantity(a[0]).nanos, -whole(a[1])); }

Result sign(Arguments a) {
    const Int128 nanos = quantity(a[0]).nanos;
    return Value{std::int64_t{nanos < 0 ? -1 : nanos > 0 ? 1 : 0}};
}
bool is_whole(const Quantity& value) {
    const Int128 items = value.nanos / kNanos;
    return value.nanos % kNanos == 0 && items <= INT64_MAX && items >= INT64_MIN;
}
Result is_integer(Arguments a) { return Value{is_whole(quantity(a[0]))}; }
Result as_integer(Arguments a) {
    return is_whole(quantity(a[0])) ? Result(Value{static_cast<std::int64_t>(quantity(a[0]).nanos / kNanos)})
                                    : Result::failed("cannot convert value to integer");
}
Result as_real(Arguments a) { return Value{static_cast<double>(quantity(a[0]).nanos) / 1e9}; }

}  // namespace quantity_rows

std::vector<Overload> quantity_functions() {
    using namespace quantity_rows;
    constexpr Kind kQuantity = Kind::quantity;
    constexpr Kind kInt = Kind::integer;
    return {{"quantity", false, {Kind::text}, {kQuantity}, made},
            {"isQuantity", false, {Kind::text}, {Kind::boolean}, is_quantity},
            {"compareTo", true, {kQuantity, kQuantity}, {kInt}, compare_to},
            {"isLessThan", true, {kQuantity, kQuantity}, {Kind::boolean}, less},
            {"isGreaterThan", true, {kQuantity, kQuantity}, {Kind::boolean}, greater},
            {"add", true, {kQuantity, kQuantity}, {kQuantity}, add},
            {"add", true, {kQuantity, kInt}, {kQuantity}, add_whole},
            {"sub", true, {kQuantity, kQuantity}, {kQuantity}, sub},
            {"sub", true, {kQuantity, kInt}, {kQuantity}, sub_whole},
            {"sign", true, {kQuantity}, {kInt}, sign},
            {"isInteger", true, {kQuantity}, {Kind::boolean}, is_integer},
            {"asInteger", true, {kQuantity}, {kInt}, as_integer},
            {"asApproximateFloat", true, {kQuantity}, {Kind::real}, as_real}};
}

}  // namespace bayplan::cel
