// See device_maps.h.
#include "cel/device_maps.h"

#include <algorithm>

#include <fmt/format.h>

#include "cel/versions.h"

namespace bayplan::cel {

namespace {

Result no_key(std::string_view key) { return Result::failed(fmt::format("no such key: {}", key)); }

struct DomainAndId {
    std::string_view domain;
    std::string_view id;
};

DomainAndId parted(std::string_view name, std::string_view driver) {
    const std::size_t slash = name.find('/');
    return slash == std::string_view::npos ? DomainAndId{driver, name}
                                           : DomainAndId{name.substr(0, slash), name.substr(slash + 1)};
}

Result value_of(const Attribute& attribute) {
    switch (attribute.type) {
        case ValueType::number: return Value{attribute.number};
        case ValueType::boolean: return Value{attribute.number != 0};
        case ValueType::text: return Value{std::string(attribute.text)};
        case ValueType::version: break;
    }
    std::optional<Version> version = parse_version(attribute.text);
    return version ? Result(Value{std::move(*version)})
                   : Result::failed(fmt::format("parse semantic version: {}", attribute.text));
}

Result value_of(const Capacity& capacity) {
    std::string why;
    const std::optional<kube::Quantity> parsed = kube::parse_quantity(capacity.quantity, why);
    return parsed ? Result(Value{*parsed}) : Result::failed(why);
}

// Calls visit(domain, id, entry); true: it said so.
template <typename Visit>
bool any_entry(const DeviceMap& map, Visit visit) {
    const auto each = [&](const auto& entries) {
        return std::ranges::any_of(entries, [&](const auto& entry) {
            const DomainAndId name = parted(entry.name, map.device->driver);
            return visit(name.domain, name.id, entry);
        });
    };
    return map.capacities ? each(map.device->capacities) : each(map.device->attributes);
}

}  // namespace

std::vector<std::string> keys_of(const DeviceMap& map) {
    std::vector<std::string> keys;
    any_entry(map, [&](std::string_view domain, std::string_view id, const auto&) {
        if (!map.of_domain || domain == map.domain) {
            keys.emplace_back(map.of_domain ? id : domain);
        }
        return false;
    });
    std::ranges::sort(keys);
    keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
    return keys;
}

bool has_key(const DeviceMap& map, std::string_view key) {
    return any_entry(map, [&](std::string_view domain, std::string_view id, const auto&) {
        return map.of_domain ? domain == map.domain && id == key : domain == key;
    });
}

// A domain that nobody knows is an empty map.
Result look_up(const DeviceMap& map, std::string_view key) {
    if (!map.of_domain) {
        DeviceMap inner = map;
        inner.of_domain = true;
        inner.domain = key;
        return Value{std::move(inner)};
    }
    Result found = no_key(key);
    any_entry(map, [&](std::string_view domain, std::string_view id, const auto& entry) {
        const bool same = domain == map.domain && id == key;
        if (same) {
            found = value_of(entry);
        }
        return same;
    });
    return found;
}

}  // namespace bayplan::cel
