// The table of all rows, and how values compare. See functions.h.
#include "cel/functions.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>

namespace bayplan::cel {

namespace {

struct Table {
    std::vector<std::unique_ptr<Overload>> rows;
    std::map<std::pair<std::string_view, bool>, std::vector<const Overload*>> by_name;

    Table() {
        for (auto* const make : {&operators, &text_functions, &list_functions, &version_functions, &quantity_functions,
                                 &address_functions, &conversions}) {
            for (Overload& row : (*make)()) {
                rows.push_back(std::make_unique<Overload>(std::move(row)));
                by_name[{rows.back()->name, rows.back()->method}].push_back(rows.back().get());
            }
        }
    }
};

const Table& table() {
    static const Table kTable;
    return kTable;
}

template <typename Number>
int order(Number a, Number b) {
    return a < b ? -1 : a > b ? 1 : 0;
}

bool is_number(Kind kind) { return kind == Kind::integer || kind == Kind::unsigned_integer || kind == Kind::real; }

long double number_of(const Value& value) {
    switch (value.kind()) {
        case Kind::integer: return static_cast<long double>(value.as<std::int64_t>());
        case Kind::unsigned_integer: return static_cast<long double>(value.as<std::uint64_t>());
        default: return static_cast<long double>(value.as<double>());
    }
}

int compare_parts(const std::string& a, const std::string& b) {
    const auto digits = [](const std::string& part) {
        return std::ranges::all_of(part, [](char c) { return c >= '0' && c <= '9'; });
    };
    const bool a_number = digits(a);
    const bool b_number = digits(b);
    if (a_number && b_number) {  // no leading zeros: the longer is the larger
        return a.size() != b.size() ? order(a.size(), b.size()) : order(a.compare(b), 0);
    }
    return a_number != b_number ? (a_number ? -1 : 1) : order(a.compare(b), 0);
}

int compare_versions(const Version& a, const Version& b) {
    for (std::size_t at = 0; at < a.numbers.size(); ++at) {
        if (a.numbers[at] != b.numbers[at]) {
            return order(a.numbers[at], b.numbers[at]);
        }
    }
    if (a.pre_release.empty() || b.pre_release.empty()) {
        return order(b.pre_release.size(), a.pre_release.size()) == 0 ? 0 : a.pre_release.empty() ? 1 : -1;
    }
    for (std::size_t at = 0; at < std::min(a.pre_release.size(), b.pre_release.size()); ++at) {
        if (const int found = compare_parts(a.pre_release[at], b.pre_release[at]); found != 0) {
            return found;
        }
    }
    return order(a.pre_release.size(), b.pre_release.size());
}

Result lists_equal(const Values& a, const Values& b) {
    if (a.size() != b.size()) {
        return Value{false};
    }
    for (std::size_t at = 0; at < a.size(); ++at) {
        Result same = equals(a[at], b[at]);
        if (same.error || !same.value.as<bool>()) {
            return same;
        }
    }
    return Value{true};
}

}  // namespace

std::span<const Overload* const> overloads_of(std::string_view name, bool method) {
    const auto found = table().by_name.find({name, method});
    return found == table().by_name.end() ? std::span<const Overload* const>() : found->second;
}

std::optional<int> compare(const Value& a, const Value& b) {
    const Kind kind = a.kind();
    if (is_number(kind) && is_number(b.kind())) {
        const long double left = number_of(a);
        const long double right = number_of(b);
        return std::isnan(left) || std::isnan(right) ? std::nullopt : std::optional(order(left, right));
    }
    if (kind != b.kind()) {
        return std::nullopt;
    }
    switch (kind) {
        case Kind::boolean: return order(a.as<bool>() ? 1 : 0, b.as<bool>() ? 1 : 0);
        case Kind::text: return order(a.as<std::string>().compare(b.as<std::string>()), 0);
        case Kind::version: return compare_versions(a.as<Version>(), b.as<Version>());
        case Kind::quantity: return order(a.as<kube::Quantity>().nanos, b.as<kube::Quantity>().nanos);
        default: return std::nullopt;
    }
}

Result equals(const Value& a, const Value& b) {
    const Kind kind = a.kind();
    if ((kind == Kind::version || kind == Kind::quantity) && kind != b.kind()) {
        return Result::failed(std::string(kNoOverload));
    }
    if (is_number(kind) && is_number(b.kind())) {
        return Value{compare(a, b) == 0};
    }
    if (kind != b.kind()) {
        return Value{false};
    }
    switch (kind) {
        case Kind::null: return Value{true};
        case Kind::list:
            return lists_equal(*a.as<std::shared_ptr<const Values>>(), *b.as<std::shared_ptr<const Values>>());
        case Kind::type: return Value{a.as<TypeName>().name == b.as<TypeName>().name};
        case Kind::address:
        case Kind::network: {
            const Address& left = a.as<Address>();
            const Address& right = b.as<Address>();
            return Value{left.six == right.six && left.bits == right.bits && left.bytes == right.bytes};
        }
        case Kind::optional: {
            const Optional& left = a.as<Optional>();
            const Optional& right = b.as<Optional>();
            return left.value == nullptr || right.value == nullptr ? Result(Value{left.value == right.value})
                                                                   : equals(*left.value, *right.value);
        }
        case Kind::map:
        case Kind::device: return Result::failed(std::string(kNoOverload));
        default: return Value{compare(a, b) == 0};
    }
}

std::size_t length_of(std::string_view utf8) {
    return static_cast<std::size_t>(
        std::ranges::count_if(utf8, [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }));
}

}  // namespace bayplan::cel
