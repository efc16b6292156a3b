// The asks of one shim by key: a set of ids, which finds by the keys that the AskTable has. In parts, so that growing
// moves a part at a time; a part that is nearly empty gives room back.
//
// Thread: the engine's.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include <boost/unordered/unordered_flat_set.hpp>

#include "apps/ask_table.h"

namespace bayplan {

class AskIndex {
public:
    explicit AskIndex(const AskTable& asks) : AskIndex(asks, std::make_index_sequence<kParts>{}) {}

    // kNone if there is none.
    AskId find(std::string_view key) const {
        const Set& part = parts_[part_of(hash_of(key))];
        const auto found = part.find(key);
        return found == part.end() ? kNone<AskId> : *found;
    }
    // The key must be new.
    void insert(AskId id) {
        const bool fresh = parts_[part_of(hash_of(asks_.key(id)))].insert(id).second;
        BP_CHECK(fresh);
        ++size_;
    }
    // While the ask still has its key.
    void remove(AskId id) {
        Set& part = parts_[part_of(hash_of(asks_.key(id)))];
        part.erase(id);
        --size_;
        if (part.size() * 8 < part.bucket_count() && part.bucket_count() > kRoomKept) {
            part.rehash(part.size() * 2);
        }
    }

    std::size_t size() const { return size_; }
    // All of them, in order of ids: to end them one by one. (To ask for the first again after each would look through
    // ever more places that are empty.)
    std::vector<AskId> all() const {
        std::vector<AskId> ids;
        ids.reserve(size_);
        for (const Set& part : parts_) {
            ids.insert(ids.end(), part.begin(), part.end());
        }
        std::sort(ids.begin(), ids.end());
        return ids;
    }
    std::size_t bytes() const {
        std::size_t places = 0;
        for (const Set& part : parts_) {
            places += part.bucket_count();
        }
        return places * sizeof(AskId) + places / 15 * 16;
    }

private:
    static constexpr std::size_t kParts = 16;
    static constexpr std::size_t kRoomKept = 256;

    static std::size_t hash_of(std::string_view key) { return std::hash<std::string_view>{}(key); }
    static std::size_t part_of(std::size_t hash) { return hash >> 24 & (kParts - 1); }

    struct Hash {
        using is_transparent = void;
        using is_avalanching = void;
        const AskTable* asks;
        std::size_t operator()(AskId id) const { return hash_of(asks->key(id)); }
        std::size_t operator()(std::string_view key) const { return hash_of(key); }
    };
    struct Same {
        using is_transparent = void;
        const AskTable* asks;
        bool operator()(AskId a, AskId b) const { return a == b; }
        bool operator()(AskId a, std::string_view b) const { return asks->key(a) == b; }
        bool operator()(std::string_view a, AskId b) const { return asks->key(b) == a; }
    };
    using Set = boost::unordered_flat_set<AskId, Hash, Same>;

    template <std::size_t... Number>
    AskIndex(const AskTable& asks, std::index_sequence<Number...>)
        : asks_(asks), parts_{(static_cast<void>(Number), Set(0, Hash{&asks}, Same{&asks}))...} {}

    const AskTable& asks_;
    std::array<Set, kParts> parts_;
    std::size_t size_ = 0;
};

}  // namespace bayplan
