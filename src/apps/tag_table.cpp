// Tags packed, and what becomes of their keys. See tag_table.h.

#include "apps/tag_table.h"

#include <cstring>

namespace bayplan {

void TagTable::keep(AskId id) {
    remove(id);
    if (packed_.empty()) {
        return;
    }
    Place& place = places_.make(id);
    place = {std::make_unique_for_overwrite<char[]>(packed_.size()), static_cast<std::uint32_t>(packed_.size())};
    std::memcpy(place.data.get(), packed_.data(), packed_.size());
}

void TagTable::remove(AskId id) {
    const Place* const place = places_.find(id);
    if (place == nullptr) {
        return;
    }
    std::string_view left = place->view();
    std::uint32_t key = 0;
    std::string_view value;
    while (take_numbered(left, key, value)) {
        keys_.release(static_cast<TagKey>(key));
    }
    places_.remove(id);
}

}  // namespace bayplan
