// A hash of every field of a plain record, sizes of its lists too: records that only the comparison told apart would
// make each other's look-ups longer, as many as a peer cares to send.
//
// Thread: any.
#pragma once

#include <cstdint>
#include <optional>
#include <type_traits>
#include <vector>

#include <boost/pfr.hpp>

#include "base/seeded_hash.h"

namespace bayplan {

class FieldHasher {
public:
    template <typename Value>
    void add(const Value& value) {
        if constexpr (std::is_class_v<Value>) {
            boost::pfr::for_each_field(value, [this](const auto& field) { this->add(field); });
        } else {
            static_assert(std::is_integral_v<Value> || std::is_enum_v<Value>);
            add_number(static_cast<std::uint64_t>(value));
        }
    }
    template <typename Value>
    void add(const std::vector<Value>& list) {
        add_number(list.size());
        for (const Value& item : list) {
            add(item);
        }
    }
    template <typename Value>
    void add(const std::optional<Value>& value) {
        add_number(value.has_value() ? 1 : 0);
        if (value) {
            add(*value);
        }
    }
    std::size_t hash() const { return hash_; }

private:
    void add_number(std::uint64_t number) { hash_ = secret_.with(hash_, number); }

    const HashSecret& secret_ = HashSecret::of_process();
    std::uint64_t hash_ = 0;
};

// Of an aggregate of numbers, enumerators, such aggregates, lists and optional values of them.
template <typename Record>
std::size_t field_hash(const Record& record) {
    FieldHasher hasher;
    hasher.add(record);
    return hasher.hash();
}

// The same for tables.
struct FieldHash {
    template <typename Record>
    std::size_t operator()(const Record& record) const {
        return field_hash(record);
    }
};

}  // namespace bayplan
