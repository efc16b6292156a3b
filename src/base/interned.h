// Contents by dense id, each once, counted. Data that belongs to a content lives beside it in `Entry`.
//
// `Entry` has a member `key` with ==, and hash_of(key) is found by name (for numbers it is built in): good in all its bits, as
// field_hash.h makes it.
// Ids of contents that are gone are used again.
// Thread: one. Ids never decide anything.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/hashed_key.h"
#include "base/ids.h"
#include "base/seeded_hash.h"
#include "base/split_map.h"

namespace bayplan {

template <typename Id, typename Entry>
class Interned {
    using Key = decltype(Entry::key);

public:
    // The id of the content with one reference more, and whether it is new (its entry is then fresh).
    std::pair<Id, bool> acquire(Key key) {
        const std::size_t hash = hash_of_key(key);
        if (const Id* const known = ids_.value_of(HashedKey<Key>{&key, hash})) {
            ++places_[raw(*known)].references;
            return {*known, false};
        }
        Id id;
        if (free_.empty()) {
            places_.emplace_back();
            id = static_cast<Id>(places_.size() - 1);
        } else {
            id = free_.back();
            free_.pop_back();
        }
        Place& place = places_[raw(id)];
        place.entry.key = std::move(key);
        place.references = 1;
        place.hash = hash;
        ids_.emplace(HashedKey<Key>{&place.entry.key, hash}, id);
        return {id, true};
    }

    // Null if nobody has the content.
    const Entry* find(const Key& key) const {
        const Id* const known = ids_.value_of(HashedKey<Key>{&key, hash_of_key(key)});
        return known == nullptr ? nullptr : &places_[raw(*known)].entry;
    }

    std::uint32_t references(Id id) const { return places_[raw(id)].references; }

    // True if that was the last reference: the caller looks at the entry once more and calls forget().
    bool release(Id id) {
        BP_CHECK_OP(places_[raw(id)].references, >, 0u);
        return --places_[raw(id)].references == 0;
    }
    void forget(Id id) {
        ids_.erase(HashedKey<Key>{&places_[raw(id)].entry.key, places_[raw(id)].hash});
        places_[raw(id)].entry = Entry{};
        free_.push_back(id);
    }

    Entry& operator[](Id id) { return places_[raw(id)].entry; }
    const Entry& operator[](Id id) const { return places_[raw(id)].entry; }
    std::size_t size() const { return ids_.size(); }

    template <typename Each>
    void for_each(Each&& each) {
        for (std::uint32_t number = 0; number < places_.size(); ++number) {
            if (places_[number].references > 0) {
                each(static_cast<Id>(number), places_[number].entry);
            }
        }
    }

private:
    struct Place {
        Entry entry;
        std::uint32_t references = 0;
        std::size_t hash = 0;
    };
    static std::size_t hash_of_key(const Key& key) {
        if constexpr (std::is_integral_v<Key>) {
            return HashSecret::of_process().of_number(key);
        } else {
            return hash_of(key);
        }
    }

    std::deque<Place> places_;  // keys must not move
    std::vector<Id> free_;
    SplitMap<HashedKey<Key>, Id, HashOfKey, SameKey> ids_;
};

}  // namespace bayplan
