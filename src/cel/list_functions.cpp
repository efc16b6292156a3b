// Functions of lists, sets and optionals. See functions.h.
#include <algorithm>

#include "cel/functions.h"

namespace bayplan::cel {

// Named: the rows of several files may be compiled as one, and have short names.
namespace list_rows {

const Values& list(const Value& value) { return *value.as<std::shared_ptr<const Values>>(); }
Result no_overload() { return Result::failed(std::string(kNoOverload)); }

bool is_in(const Value& one, const Values& in) {
    return std::ranges::any_of(in, [&](const Value& other) {
        const Result same = equals(other, one);
        return !same.error && same.value.as<bool>();
    });
}

Result size(Arguments a) { return Value{static_cast<std::int64_t>(list(a[0]).size())}; }

Result reverse(Arguments a) {
    Values all = list(a[0]);
    std::ranges::reverse(all);
    return list_of(std::move(all));
}

// None: some two have no order.
bool all_ordered(const Values& all) {
    return std::ranges::all_of(all, [&](const Value& one) { return compare(all.front(), one).has_value(); });
}

Result sorted(Arguments a) {
    Values all = list(a[0]);
    if (!all_ordered(all)) {
        return no_overload();
    }
    std::ranges::stable_sort(all, [](const Value& left, const Value& right) { return *compare(left, right) < 0; });
    return list_of(std::move(all));
}
Result is_sorted(Arguments a) {
    const Values& all = list(a[0]);
    if (!all_ordered(all)) {
        return no_overload();
    }
    return Value{
        std::ranges::is_sorted(all, [](const Value& left, const Value& right) { return *compare(left, right) < 0; })};
}

Result distinct(Arguments a) {
    Values kept;
    for (const Value& one : list(a[0])) {
        if (!is_in(one, kept)) {
            kept.push_back(one);
        }
    }
    return list_of(std::move(kept));
}

Result extreme(const Values& all, int wanted) {
    if (all.empty()) {
        return Result::failed(wanted < 0 ? "min called on empty list" : "max called on empty list");
    }
    if (!all_ordered(all)) {
        return no_overload();
    }
    const Value* best = &all.front();
    for (const Value& one : all) {
        best = *compare(one, *best) == wanted ? &one : best;
    }
    return *best;
}
Result least(Arguments a) { return extreme(list(a[0]), -1); }
Result most(Arguments a) { return extreme(list(a[0]), 1); }

Result sum(Arguments a) {
    const Values& all = list(a[0]);
    Value total{std::int64_t{0}};
    for (const Value& one : all) {
        const Kind kind = one.kind();
        if (&one == &all.front() && kind == Kind::real) {
            total = {0.0};
        } else if (&one == &all.front() && kind == Kind::unsigned_integer) {
            total = {std::uint64_t{0}};
        }
        if (kind != total.kind()) {
            return no_overload();
        }
        std::int64_t integer = 0;
        if (kind == Kind::real) {
            total = {total.as<double>() + one.as<double>()};
        } else if (kind == Kind::unsigned_integer) {
            total = {total.as<std::uint64_t>() + one.as<std::uint64_t>()};
        } else if (kind != Kind::integer ||
                   __builtin_add_overflow(total.as<std::int64_t>(), one.as<std::int64_t>(), &integer)) {
            return kind == Kind::integer ? Result::failed("integer overflow") : no_overload();
        } else {
            total = {integer};
        }
    }
    return total;
}

Result position(const Values& all, const Value& wanted, bool last) {
    std::int64_t found = -1;
    for (std::size_t at = 0; at < all.size() && (last || found < 0); ++at) {
        found = is_in(wanted, {all[at]}) ? static_cast<std::int64_t>(at) : found;
    }
    return Value{found};
}
Result index_of(Arguments a) { return position(list(a[0]), a[1], false); }
Result last_index_of(Arguments a) { return position(list(a[0]), a[1], true); }

Result slice(Arguments a) {
    const Values& all = list(a[0]);
    const auto first = a[1].as<std::int64_t>();
    const auto end = a[2].as<std::int64_t>();
    if (first < 0 || end < first || end > static_cast<std::int64_t>(all.size())) {
        return Result::failed("cannot slice: index out of range");
    }
    return list_of(Values(all.begin() + first, all.begin() + end));
}

void flatten(const Values& all, std::int64_t depth, Values& into) {
    for (const Value& one : all) {
        if (one.kind() == Kind::list && depth > 0) {
            flatten(list(one), depth - 1, into);
        } else {
            into.push_back(one);
        }
    }
}
Result flat(Arguments a) {
    Values all;
    flatten(list(a[0]), 1, all);
    return list_of(std::move(all));
}
Result flat_to(Arguments a) {
    if (a[1].as<std::int64_t>() < 0) {
        return Result::failed("level must be non-negative");
    }
    Values all;
    flatten(list(a[0]), a[1].as<std::int64_t>(), all);
    return list_of(std::move(all));
}

bool contains_all(const Values& all, const Values& wanted) {
    return std::ranges::all_of(wanted, [&](const Value& one) { return is_in(one, all); });
}
Result contains(Arguments a) { return Value{contains_all(list(a[0]), list(a[1]))}; }
Result equivalent(Arguments a) {
    return Value{contains_all(list(a[0]), list(a[1])) && contains_all(list(a[1]), list(a[0]))};
}
Result intersects(Arguments a) {
    return Value{std::ranges::any_of(list(a[1]), [&](const Value& one) { return is_in(one, list(a[0])); })};
}

const std::shared_ptr<const Value>& inside(const Value& value) { return value.as<Optional>().value; }
Result some(Arguments a) { return Value{Optional{std::make_shared<const Value>(a[0])}}; }
Result none(Arguments) { return Value{Optional{}}; }
Result has_value(Arguments a) { return Value{inside(a[0]) != nullptr}; }
Result value(Arguments a) {
    return inside(a[0]) == nullptr ? Result::failed("optional.none() dereference") : Result(*inside(a[0]));
}
Result or_value(Arguments a) { return inside(a[0]) == nullptr ? a[1] : *inside(a[0]); }
Result or_other(Arguments a) { return inside(a[0]) == nullptr ? a[1] : a[0]; }

}  // namespace list_rows

std::vector<Overload> list_functions() {
    using namespace list_rows;
    constexpr Kind kList = Kind::list;
    constexpr Kind kInt = Kind::integer;
    return {{"size", true, {kList}, {kInt}, size},
            {"size", false, {kList}, {kInt}, size},
            {"reverse", true, {kList}, {kList}, reverse},
            {"sort", true, {kList}, {kList}, sorted},
            {"isSorted", true, {kList}, {Kind::boolean}, is_sorted},
            {"distinct", true, {kList}, {kList}, distinct},
            {"min", true, {kList}, {}, least},
            {"max", true, {kList}, {}, most},
            {"sum", true, {kList}, {}, sum},
            {"indexOf", true, {kList, Kind::dynamic}, {kInt}, index_of},
            {"lastIndexOf", true, {kList, Kind::dynamic}, {kInt}, last_index_of},
            {"slice", true, {kList, kInt, kInt}, {kList}, slice},
            {"flatten", true, {kList}, {kList}, flat},
            {"flatten", true, {kList, kInt}, {kList}, flat_to},
            {"sets.contains", false, {kList, kList}, {Kind::boolean}, contains},
            {"sets.equivalent", false, {kList, kList}, {Kind::boolean}, equivalent},
            {"sets.intersects", false, {kList, kList}, {Kind::boolean}, intersects},
            {"optional.of", false, {Kind::dynamic}, {Kind::optional}, some},
            {"optional.none", false, {}, {Kind::optional}, none},
            {"hasValue", true, {Kind::optional}, {Kind::boolean}, has_value},
            {"value", true, {Kind::optional}, {}, value},
            {"orValue", true, {Kind::optional, Kind::dynamic}, {}, or_value},
            {"or", true, {Kind::optional, Kind::optional}, {Kind::optional}, or_other}};
}

}  // namespace bayplan::cel
