// The asks of one shim by key: a set of ids, which finds by the keys that the AskTable has. In parts, so that growing
// moves a part at a time; a part that is nearly empty gives room back.
//
// Thread: the engine's.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include <boost/unordered/unordered_flat_set.hpp>

#include "apps/ask_table.h"
#include "base/seeded_hash.h"

namespace bayplan {

class AskIndex {
public:
    explicit AskIndex(const AskTable& asks) : AskIndex(asks, std::make_index_sequence<kParts>{}) {}

    // kNone if there is none.
    AskId find(std::string_view key) const { return find(key, hash_of_text(key)); }
    // The same, and insert(), for a caller that knows the key's hash.
    AskId find(std::string_view key, std::uint64_t hash) const {
        const Set& part = parts_[part_of(hash)];
        const auto found = part.find(Wanted{key, cut(hash)});
        return found == part.end() ? kNone<AskId> : found->id;
    }
    // The key must be new.
    void insert(AskId id) { insert(id, hash_of_text(asks_.key(id))); }
    void insert(AskId id, std::uint64_t hash) {
        const bool fresh = parts_[part_of(hash)].insert({id, cut(hash)}).second;
        BP_CHECK(fresh);
        ++size_;
    }
    // While the ask still has its key.
    void remove(AskId id) {
        const std::uint64_t hash = hash_of_text(asks_.key(id));
        Set& part = parts_[part_of(hash)];
        part.erase(Entry{id, cut(hash)});
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
            for (const Entry entry : part) {
                ids.push_back(entry.id);
            }
        }
        std::sort(ids.begin(), ids.end());
        return ids;
    }
    std::size_t bytes() const {
        std::size_t places = 0;
        for (const Set& part : parts_) {
            places += part.bucket_count();
        }
        return places * sizeof(Entry) + places / 15 * 16;
    }

private:
    static constexpr std::size_t kParts = 16;
    static constexpr std::size_t kRoomKept = 256;

    // With half of its key's hash, so that growing reads no key, and a look reads hardly any but the right one.
    struct Entry {
        AskId id;
        std::uint32_t hash;
    };
    struct Wanted {
        std::string_view key;
        std::uint32_t hash;
    };

    static std::size_t part_of(std::uint64_t hash) { return hash & (kParts - 1); }
    static std::uint32_t cut(std::uint64_t hash) { return static_cast<std::uint32_t>(hash >> 32); }

    struct Hash {
        using is_transparent = void;
        std::size_t operator()(const Entry& entry) const { return entry.hash; }
        std::size_t operator()(const Wanted& wanted) const { return wanted.hash; }
    };
    struct Same {
        using is_transparent = void;
        const AskTable* asks;
        bool operator()(const Entry& a, const Entry& b) const { return a.id == b.id; }
        bool operator()(const Entry& a, const Wanted& b) const { return a.hash == b.hash && asks->key(a.id) == b.key; }
        bool operator()(const Wanted& a, const Entry& b) const { return (*this)(b, a); }
    };
    using Set = boost::unordered_flat_set<Entry, Hash, Same>;

    template <std::size_t... Number>
    AskIndex(const AskTable& asks, std::index_sequence<Number...>)
        : asks_(asks), parts_{(static_cast<void>(Number), Set(0, Hash{}, Same{&asks}))...} {}

    const AskTable& asks_;
    std::array<Set, kParts> parts_;
    std::size_t size_ = 0;
};

}  // namespace bayplan
