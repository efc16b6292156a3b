// Records by dense id, in chunks: places are used again, the lowest chunk with room first, and a chunk whose records
// are all gone is given back. Records do not move, and nothing is ever copied to make room.
//
//   chunks_:  [0] -> records   [1] -> none   [2] -> records      uses_:  [0] 1101...  [1] 0000...  [2] 1111...
//
// A chunk or two that are empty are kept, so that a load that breathes allocates nothing.
// Thread: its owner's; records may be read by others while nothing is added or removed.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/check.h"
#include "base/ids.h"

namespace bayplan {

// kPerChunk: a multiple of 64.
template <typename Id, typename Record, std::uint32_t kPerChunk = 1024>
class ChunkTable {
    static_assert(kPerChunk % 64 == 0);

public:
    // The id of a fresh record.
    Id add() {
        const std::uint32_t number = chunk_with_room();
        Use& use = uses_[number];
        while (use.taken[use.first_word] == ~std::uint64_t{0}) {
            ++use.first_word;
        }
        std::uint64_t& word = use.taken[use.first_word];
        const std::uint32_t at = use.first_word * 64 + static_cast<std::uint32_t>(std::countr_zero(~word));
        word |= std::uint64_t{1} << at % 64;
        empty_ -= use.live == 0 ? 1 : 0;
        if (++use.live == kPerChunk) {
            roomy_[number / 64] &= ~(std::uint64_t{1} << number % 64);
        }
        ++size_;
        return static_cast<Id>(number * kPerChunk + at);
    }

    // The record becomes as fresh at once, and lets go of what it owns.
    void remove(Id id) {
        const std::uint32_t number = raw(id) / kPerChunk;
        const std::uint32_t at = raw(id) % kPerChunk;
        Use& use = uses_[number];
        BP_CHECK(use.taken[at / 64] >> at % 64 & 1);
        chunks_[number][at] = Record{};
        use.taken[at / 64] &= ~(std::uint64_t{1} << at % 64);
        use.first_word = std::min(use.first_word, at / 64);
        roomy_[number / 64] |= std::uint64_t{1} << number % 64;
        first_roomy_ = std::min(first_roomy_, number / 64);
        --size_;
        if (--use.live == 0) {
            ++empty_;
            give_back(number);
        }
    }

    Record& operator[](Id id) { return chunks_[raw(id) / kPerChunk][raw(id) % kPerChunk]; }
    const Record& operator[](Id id) const { return chunks_[raw(id) / kPerChunk][raw(id) % kPerChunk]; }

    // False also for ids that never were.
    bool contains(Id id) const {
        const std::uint32_t number = raw(id) / kPerChunk;
        const std::uint32_t at = raw(id) % kPerChunk;
        return number < uses_.size() && (uses_[number].taken[at / 64] >> at % 64 & 1) != 0;
    }

    std::size_t size() const { return size_; }  // records
    // Ids are below.
    std::uint32_t end() const { return static_cast<std::uint32_t>(chunks_.size()) * kPerChunk; }
    std::size_t bytes() const {
        return (chunks_.size() - absent_.size()) * kPerChunk * sizeof(Record) + uses_.capacity() * sizeof(Use);
    }

    // Every record, by ascending id: each(id, record).
    template <typename Each>
    void for_each(Each&& each) const {
        walk(*this, each);
    }
    template <typename Each>
    void for_each(Each&& each) {
        walk(*this, each);
    }

private:
    struct Use {
        std::array<std::uint64_t, kPerChunk / 64> taken{};
        std::uint32_t first_word = 0;  // no word before it has room
        std::uint32_t live = 0;
    };

    template <typename Self, typename Each>
    static void walk(Self& self, Each&& each) {
        for (std::uint32_t number = 0; number < self.uses_.size(); ++number) {
            for (std::uint32_t word = 0; word < kPerChunk / 64; ++word) {
                for (std::uint64_t left = self.uses_[number].taken[word]; left != 0; left &= left - 1) {
                    const std::uint32_t at = word * 64 + static_cast<std::uint32_t>(std::countr_zero(left));
                    const auto id = static_cast<Id>(number * kPerChunk + at);
                    each(id, self[id]);
                }
            }
        }
    }

    std::uint32_t chunk_with_room() {
        for (; first_roomy_ < roomy_.size(); ++first_roomy_) {
            if (const std::uint64_t word = roomy_[first_roomy_]; word != 0) {
                return first_roomy_ * 64 + static_cast<std::uint32_t>(std::countr_zero(word));
            }
        }
        std::uint32_t number = static_cast<std::uint32_t>(chunks_.size());
        if (absent_.empty()) {
            BP_CHECK_OP(number, <, UINT32_MAX / kPerChunk);
            chunks_.emplace_back();
            uses_.emplace_back();
            roomy_.resize(number / 64 + 1, 0);
        } else {
            number = absent_.back();
            absent_.pop_back();
        }
        chunks_[number] = std::make_unique<Record[]>(kPerChunk);
        ++empty_;
        roomy_[number / 64] |= std::uint64_t{1} << number % 64;
        first_roomy_ = number / 64;
        return number;
    }

    // One empty chunk in eight is kept, and the last.
    void give_back(std::uint32_t number) {
        const std::size_t present = chunks_.size() - absent_.size();
        if (empty_ <= 1 + present / 8) {
            return;
        }
        chunks_[number].reset();
        roomy_[number / 64] &= ~(std::uint64_t{1} << number % 64);
        absent_.push_back(number);
        --empty_;
    }

    std::vector<std::unique_ptr<Record[]>> chunks_;  // null: given back
    std::vector<Use> uses_;                          // of each chunk
    std::vector<std::uint64_t> roomy_;               // a bit per chunk that is there and has room
    std::vector<std::uint32_t> absent_;
    std::uint32_t first_roomy_ = 0;  // no word of `roomy_` before it has a bit
    std::size_t empty_ = 0;          // chunks that are there, without a record
    std::size_t size_ = 0;
};

}  // namespace bayplan
