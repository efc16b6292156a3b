// Values of CEL: what an expression comes to, and the types that are known before it is evaluated.
//
// Thread: plain values, any.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/quantity.h"
#include "cel/selector.h"

namespace bayplan::cel {

enum class Kind : std::uint8_t {
    dynamic,  // known when it is evaluated
    null,
    boolean,
    integer,
    unsigned_integer,
    real,
    text,
    version,
    quantity,
    list,
    map,
    type,
    optional,
    address,  // of an IP network
    network,
    device
};
std::string_view name_of(Kind);  // as CEL names the type

// Of lists, maps and optionals the element's; of maps keys are texts.
struct Type {
    Kind kind = Kind::dynamic;
    Kind element = Kind::dynamic;
    bool domains = false;  // the map of attributes or capacities by domain
    bool operator==(const Type&) const = default;
};

struct Version {
    std::array<std::uint64_t, 3> numbers{};
    std::vector<std::string> pre_release;
};

struct Address {
    std::array<std::uint8_t, 16> bytes{};
    bool six = false;
    int bits = -1;  // of a network: its prefix; -1: one address
};

// device.attributes, device.capacity, or one domain of them.
struct DeviceMap {
    const DeviceView* device = nullptr;
    bool capacities = false;
    bool of_domain = false;
    std::string domain;
};

struct Value;
using Values = std::vector<Value>;

struct TypeName {
    std::string name;
};
struct Optional {
    std::shared_ptr<const Value> value;  // null: none
};
struct DeviceRoot {
    const DeviceView* device = nullptr;
};

struct Value {
    std::variant<std::monostate, bool, std::int64_t, std::uint64_t, double, std::string, Version, kube::Quantity,
                 std::shared_ptr<const Values>, DeviceMap, TypeName, Optional, Address, DeviceRoot>
        is;
    Kind kind() const;

    template <typename Wanted>
    const Wanted& as() const {
        return std::get<Wanted>(is);
    }
};

inline Value list_of(Values values) { return {std::make_shared<const Values>(std::move(values))}; }

}  // namespace bayplan::cel
