// A flat hash table in parts. A table that is full moves all it has: of a million entries that takes 50 to 100 ms in one go.
// Here it moves one part of 64, and the parts seldom grow together. A table with few entries is one part.
//
// Like boost::unordered_flat_map: an insertion may move entries, and an iterator is good until the next one.
// `Hash` is a good one in all its bits (seeded_hash.h).
// Thread: one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <type_traits>
#include <utility>
#include <vector>

#include <boost/unordered/unordered_flat_map.hpp>

#include "base/check.h"

namespace bayplan {

template <typename Key, typename Value, typename Hash, typename Same = std::equal_to<Key>>
class SplitMap {
    // A key that is looked for, with its hash, so that it is computed once for the part and the place in it.
    template <typename Wanted>
    struct Hashed {
        const Wanted& key;
        std::size_t hash;
    };
    struct PartHash {
        using is_transparent = void;
        using is_avalanching = void;
        template <typename Wanted>
        std::size_t operator()(const Wanted& key) const {
            return Hash{}(key);
        }
        template <typename Wanted>
        std::size_t operator()(const Hashed<Wanted>& wanted) const {
            return wanted.hash;
        }
    };
    struct PartSame {
        using is_transparent = void;
        template <typename One, typename Other>
        bool operator()(const One& a, const Other& b) const {
            return Same{}(a, b);
        }
        template <typename Wanted>
        bool operator()(const Hashed<Wanted>& a, const Key& b) const {
            return Same{}(a.key, b);
        }
        template <typename Wanted>
        bool operator()(const Key& a, const Hashed<Wanted>& b) const {
            return Same{}(a, b.key);
        }
    };
    using Part = boost::unordered_flat_map<Key, Value, PartHash, PartSame>;

    template <bool kConst>
    class Iterator {
        using OnePart = std::conditional_t<kConst, const Part, Part>;
        using Inner = std::conditional_t<kConst, typename Part::const_iterator, typename Part::iterator>;

    public:
        using iterator_category = std::forward_iterator_tag;
        using difference_type = std::ptrdiff_t;
        using value_type = typename Part::value_type;
        using reference = decltype(*std::declval<Inner>());
        using pointer = decltype(std::declval<Inner>().operator->());

        Iterator() = default;
        reference operator*() const { return *inner_; }
        pointer operator->() const { return inner_.operator->(); }
        Iterator& operator++() {
            ++inner_;
            to_an_entry();
            return *this;
        }
        Iterator operator++(int) {
            const Iterator before = *this;
            ++*this;
            return before;
        }
        bool operator==(const Iterator& other) const {
            return part_ == other.part_ && (part_ == last_ || inner_ == other.inner_);
        }

    private:
        friend class SplitMap;
        Iterator(OnePart* part, OnePart* last, Inner inner) : part_(part), last_(last), inner_(inner) {}
        // Past the parts that have no more.
        void to_an_entry() {
            while (part_ != last_ && inner_ == part_->end()) {
                if (++part_ != last_) inner_ = part_->begin();
            }
        }

        OnePart* part_ = nullptr;
        OnePart* last_ = nullptr;  // one past the last part
        Inner inner_{};            // none at the end
    };

public:
    using mapped_type = Value;
    using iterator = Iterator<false>;
    using const_iterator = Iterator<true>;
    static constexpr std::size_t kParts = 64;
    static constexpr std::size_t kInOnePart = 4'096;  // entries, or less

    iterator begin() { return first_of<iterator>(*this); }
    const_iterator begin() const { return first_of<const_iterator>(*this); }
    iterator end() { return {last(), last(), {}}; }
    const_iterator end() const { return {last(), last(), {}}; }

    template <typename Wanted>
    iterator find(const Wanted& key) {
        return found<iterator>(*this, key);
    }
    template <typename Wanted>
    const_iterator find(const Wanted& key) const {
        return found<const_iterator>(*this, key);
    }
    // Null if it is not there.
    template <typename Wanted>
    Value* value_of(const Wanted& key) {
        if (parts_.empty()) [[likely]] {
            const auto place = only_.find(key);
            return place == only_.end() ? nullptr : &place->second;
        }
        const std::size_t hash = Hash{}(key);
        Part& part = parts_[part_of(hash)];
        const auto place = part.find(Hashed<Wanted>{key, hash});
        return place == part.end() ? nullptr : &place->second;
    }
    template <typename Wanted>
    const Value* value_of(const Wanted& key) const {
        return const_cast<SplitMap&>(*this).value_of(key);
    }
    // Of a key that is there.
    template <typename Wanted>
    Value& at(const Wanted& key) {
        Value* const value = value_of(key);
        BP_CHECK(value != nullptr);
        return *value;
    }
    template <typename Wanted>
    const Value& at(const Wanted& key) const {
        const Value* const value = value_of(key);
        BP_CHECK(value != nullptr);
        return *value;
    }
    template <typename Wanted>
    bool contains(const Wanted& key) const {
        return value_of(key) != nullptr;
    }

    Value& operator[](const Key& key) { return emplace(key, Value{}).first->second; }
    std::pair<iterator, bool> emplace(const Key& key, Value value) {
        if (size_ == kInOnePart && parts_.empty()) split();
        Part& part = parts_.empty() ? only_ : parts_[part_of(Hash{}(key))];
        const auto [place, fresh] = part.try_emplace(key, std::move(value));
        size_ += fresh ? 1 : 0;
        return {iterator(&part, last(), place), fresh};
    }

    void erase(iterator place) {
        place.part_->erase(place.inner_);
        --size_;
    }
    // How many went.
    template <typename Wanted>
    std::size_t erase(const Wanted& key) {
        const iterator place = find(key);
        if (place == end()) return 0;
        erase(place);
        return 1;
    }
    void clear() {
        only_.clear();
        for (Part& part : parts_) part.clear();
        size_ = 0;
    }

    std::size_t size() const { return size_; }
    bool empty() const { return size_ == 0; }

private:
    // By bits that have no say in where an entry lies in its part: the highest ones choose the place, the lowest eight are
    // kept to compare.
    static std::size_t part_of(std::size_t hash) { return (hash >> 8) % kParts; }
    // Once: a table that becomes small again keeps its parts.
    void split() {
        parts_.resize(kParts);
        for (auto& [key, value] : only_) {
            parts_[part_of(Hash{}(key))].try_emplace(key, std::move(value));
        }
        only_ = {};
    }

    Part* first() { return parts_.empty() ? &only_ : parts_.data(); }
    const Part* first() const { return parts_.empty() ? &only_ : parts_.data(); }
    Part* last() { return first() + (parts_.empty() ? 1 : kParts); }
    const Part* last() const { return first() + (parts_.empty() ? 1 : kParts); }

    template <typename Found>
    static Found first_of(auto& map) {
        Found first(map.first(), map.last(), map.first()->begin());
        first.to_an_entry();
        return first;
    }
    template <typename Found, typename Wanted>
    static Found found(auto& map, const Wanted& key) {
        const std::size_t hash = Hash{}(key);
        auto& part = map.parts_.empty() ? map.only_ : map.parts_[part_of(hash)];
        const auto place = part.find(Hashed<Wanted>{key, hash});
        return place == part.end() ? map.end() : Found(&part, map.last(), place);
    }

    Part only_;                // of a table that was never large
    std::vector<Part> parts_;  // else
    std::size_t size_ = 0;
};

}  // namespace bayplan
