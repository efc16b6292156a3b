// A 4-ary heap whose items know their place: top, insert, update and remove in O(log n).
//
// The heap holds ids; what orders them (`Before`) and where each id keeps its position (`PositionOf`)
// is the owner's. Four children per node: measured best for pending asks (half the levels of a binary
// heap, one cache line of children).
//
//   level 0            [0]
//   level 1      [1] [2] [3] [4]
//   level 2   [5..8] [9..12] ...      parent(i) = (i - 1) / 4
//
// Thread: its owner's.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/check.h"

namespace bayplan {

inline constexpr std::uint32_t kNotInHeap = UINT32_MAX;

// Before: bool(Id a, Id b), true if a comes out earlier; a strict order without ties.
// PositionOf: std::uint32_t&(Id), kNotInHeap while the id is not in this heap.
template <typename Id, typename Before, typename PositionOf>
class IndexedHeap {
public:
    IndexedHeap(Before before, PositionOf position_of)
        : before_(std::move(before)), position_of_(std::move(position_of)) {}

    bool empty() const { return items_.empty(); }
    std::size_t size() const { return items_.size(); }
    Id top() const { return items_.front(); }
    const std::vector<Id>& items() const { return items_; }

    void insert(Id id) {
        BP_CHECK_OP(position_of_(id), ==, kNotInHeap);
        items_.push_back(id);
        sift_up(static_cast<std::uint32_t>(items_.size() - 1), id);
    }

    void remove(Id id) {
        const std::uint32_t hole = position_of_(id);
        BP_CHECK_OP(hole, <, items_.size());
        position_of_(id) = kNotInHeap;
        const Id last = items_.back();
        items_.pop_back();
        if (hole < items_.size()) {
            restore(hole, last);
        }
    }

    // Without a look at keys, which may be wrong.
    void clear() {
        for (const Id id : items_) {
            position_of_(id) = kNotInHeap;
        }
        items_.clear();
    }

    // After the key of `id` changed.
    void update(Id id) { restore(position_of_(id), id); }

private:
    static constexpr std::uint32_t kArity = 4;

    void put(std::uint32_t at, Id id) {
        items_[at] = id;
        position_of_(id) = at;
    }

    void restore(std::uint32_t at, Id id) {
        if (at > 0 && before_(id, items_[(at - 1) / kArity])) {
            sift_up(at, id);
        } else {
            sift_down(at, id);
        }
    }

    void sift_up(std::uint32_t at, Id id) {
        while (at > 0) {
            const std::uint32_t parent = (at - 1) / kArity;
            if (!before_(id, items_[parent])) {
                break;
            }
            put(at, items_[parent]);
            at = parent;
        }
        put(at, id);
    }

    void sift_down(std::uint32_t at, Id id) {
        const auto size = static_cast<std::uint32_t>(items_.size());
        for (;;) {
            const std::uint32_t first = at * kArity + 1;
            if (first >= size) {
                break;
            }
            std::uint32_t best = first;
            const std::uint32_t end = std::min(first + kArity, size);
            for (std::uint32_t child = first + 1; child < end; ++child) {
                if (before_(items_[child], items_[best])) {
                    best = child;
                }
            }
            if (!before_(items_[best], id)) {
                break;
            }
            put(at, items_[best]);
            at = best;
        }
        put(at, id);
    }

    std::vector<Id> items_;
    Before before_;
    PositionOf position_of_;
};

}  // namespace bayplan
