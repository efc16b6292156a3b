// A map that mostly has few entries: they lie side by side, and once there were many, in a hash table. The one costs no more
// than a list, and the other keeps a search short however many there come to be.
//
// An insertion may move entries. The order of entries decides nothing.
// Thread: one.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "base/split_map.h"

namespace bayplan {

template <typename Key, typename Value, typename Hash>
class FewOrMany {
public:
    // Null: there is none.
    Value* find(const Key& key) {
        if (many_) {
            return many_->value_of(key);
        }
        const auto at = std::find_if(few_.begin(), few_.end(), [&](const auto& one) { return one.first == key; });
        return at == few_.end() ? nullptr : &at->second;
    }
    const Value* find(const Key& key) const { return const_cast<FewOrMany*>(this)->find(key); }

    // Made if there is none.
    Value& operator[](const Key& key) {
        if (Value* const known = find(key)) {
            return *known;
        }
        if (!many_ && few_.size() == kFew) {
            many_ = std::make_unique<Many>();
            for (auto& [one, value] : std::exchange(few_, {})) {
                many_->emplace(one, std::move(value));
            }
        }
        return many_ ? (*many_)[key] : few_.emplace_back(key, Value{}).second;
    }

    void erase(const Key& key) {
        if (many_) {
            many_->erase(key);
            if (many_->empty()) {
                many_.reset();
            }
            return;
        }
        std::erase_if(few_, [&](const auto& one) { return one.first == key; });
    }

    bool empty() const { return few_.empty() && !many_; }

    // Calls each(key, value).
    template <typename Each>
    void for_each(Each&& each) {
        for (auto& [key, value] : few_) {
            each(std::as_const(key), value);
        }
        if (many_) {
            for (auto&& [key, value] : *many_) {
                each(std::as_const(key), value);
            }
        }
    }
    template <typename Each>
    void for_each(Each&& each) const {
        const_cast<FewOrMany*>(this)->for_each([&](const Key& key, const Value& value) { each(key, value); });
    }

private:
    static constexpr std::size_t kFew = 8;
    using Many = SplitMap<Key, Value, Hash>;

    std::vector<std::pair<Key, Value>> few_;
    std::unique_ptr<Many> many_;  // never empty
};

}  // namespace bayplan
