// Records of few of many dense ids. Ids that follow each other are found side by side, so who goes through them in
// order waits for no memory; a hash table would scatter them.
//
//   pages_:  [0] -> none   [1] -> 64 places, 0 or where the record is + 1   [2] -> none ...      records_
//
// An id without a record costs an eighth of a byte in a page that is not there. Records do not move.
// Thread: its owner's.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/check.h"
#include "base/chunk_table.h"
#include "base/ids.h"

namespace bayplan {

template <typename Id, typename Record>
class SparseTable {
public:
    // Null: it has none.
    const Record* find(Id id) const {
        const std::uint32_t place = place_of(id);
        return place == 0 ? nullptr : &records_[static_cast<RecordId>(place - 1)];
    }
    Record* find(Id id) {
        const std::uint32_t place = place_of(id);
        return place == 0 ? nullptr : &records_[static_cast<RecordId>(place - 1)];
    }
    bool contains(Id id) const { return place_of(id) != 0; }

    // Its record, a fresh one if it has none.
    Record& make(Id id) {
        if (Record* const known = find(id)) {
            return *known;
        }
        const std::uint32_t number = raw(id) / kPerPage;
        if (number >= pages_.size()) {
            pages_.resize(number + std::size_t{1});
        }
        if (!pages_[number]) {
            pages_[number] = std::make_unique<Page>();
        }
        const RecordId record = records_.add();
        pages_[number]->places[raw(id) % kPerPage] = raw(record) + 1;
        ++pages_[number]->live;
        return records_[record];
    }

    // The id has one.
    void remove(Id id) {
        const std::uint32_t place = place_of(id);
        BP_CHECK_OP(place, !=, 0u);
        records_.remove(static_cast<RecordId>(place - 1));
        std::unique_ptr<Page>& page = pages_[raw(id) / kPerPage];
        page->places[raw(id) % kPerPage] = 0;
        if (--page->live == 0) {
            page.reset();
        }
    }

    std::size_t size() const { return records_.size(); }
    // Every record: each(record). None is added or removed meanwhile.
    template <typename Each>
    void for_each(Each&& each) {
        records_.for_each([&](RecordId, Record& record) { each(record); });
    }

private:
    enum class RecordId : std::uint32_t {};
    static constexpr std::uint32_t kPerPage = 64;

    struct Page {
        std::array<std::uint32_t, kPerPage> places{};
        std::uint32_t live = 0;
    };

    std::uint32_t place_of(Id id) const {
        const std::uint32_t number = raw(id) / kPerPage;
        return number < pages_.size() && pages_[number] ? pages_[number]->places[raw(id) % kPerPage] : 0;
    }

    std::vector<std::unique_ptr<Page>> pages_;  // null: none of its ids has a record
    ChunkTable<RecordId, Record, 64> records_;
};

}  // namespace bayplan
