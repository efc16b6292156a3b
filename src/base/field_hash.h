// A hash of every field of a plain record, sizes of its lists too: records that only the comparison told apart would
// make each other's look-ups longer, as many as a peer cares to send.
//
// Thread: any.
#pragma once

#include <optional>
#include <type_traits>
#include <vector>

#include <boost/container_hash/hash.hpp>
#include <boost/pfr.hpp>

namespace bayplan {

class FieldHasher {
public:
    template <typename Value>
    void add(const Value& value) {
        if constexpr (std::is_class_v<Value>) {
            boost::pfr::for_each_field(value, [this](const auto& field) { this->add(field); });
        } else {
            boost::hash_combine(hash_, value);
        }
    }
    template <typename Value>
    void add(const std::vector<Value>& list) {
        boost::hash_combine(hash_, list.size());
        for (const Value& item : list) {
            add(item);
        }
    }
    template <typename Value>
    void add(const std::optional<Value>& value) {
        boost::hash_combine(hash_, value.has_value());
        if (value) {
            add(*value);
        }
    }
    std::size_t hash() const { return hash_; }

private:
    std::size_t hash_ = 0;
};

// Of an aggregate of numbers, enumerators, such aggregates, lists and optional values of them.
template <typename Record>
std::size_t field_hash(const Record& record) {
    FieldHasher hasher;
    hasher.add(record);
    return hasher.hash();
}

}  // namespace bayplan
