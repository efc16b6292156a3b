// Tags of asks, as their shims told them: nobody decides by them, so they lie apart from everything else. An ask
// without tags costs nothing; one with tags its values, 8 bytes a tag, and 20 or so for itself. Keys are kept once.
//
// Thread: the engine's.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/ids.h"
#include "base/name_table.h"
#include "base/numbered_texts.h"
#include "base/sparse_table.h"

namespace bayplan {

class TagTable {
public:
    // Ends the ask's tags and begins new ones: one add() for each, then keep().
    void begin() { packed_.clear(); }
    void add(std::string_view key, std::string_view value) { put_numbered(packed_, raw(keys_.acquire(key)), value); }
    void keep(AskId);

    void remove(AskId);

    // In the order in which they were told: each(key, value).
    template <typename Each>
    void for_each(AskId id, Each&& each) const {
        std::string_view left = packed(id);
        std::uint32_t key = 0;
        std::string_view value;
        while (take_numbered(left, key, value)) {
            each(keys_.text(static_cast<TagKey>(key)), value);
        }
    }
    std::size_t size() const { return places_.size(); }  // asks with tags
    std::size_t keys() const { return keys_.size(); }

private:
    enum class TagKey : std::uint32_t {};
    struct Place {
        std::unique_ptr<char[]> data;
        std::uint32_t bytes = 0;
        std::string_view view() const { return {data.get(), bytes}; }
    };

    std::string_view packed(AskId id) const {
        const Place* const place = places_.find(id);
        return place == nullptr ? std::string_view() : place->view();
    }

    NameTable<TagKey> keys_;
    SparseTable<AskId, Place> places_;
    std::string packed_;  // of the ask whose tags are being told
};

}  // namespace bayplan
