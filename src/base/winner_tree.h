// A tournament whose items know their place: the first of all, insert, remove and update in O(log n).
//
// It has the promises of IndexedHeap, and is for keys that change all the time. An item that falls from the first place
// to the last is compared once per level, where a heap compares it with all children of each. The first item does not
// hang on the order of calls, as no two items are alike.
//
//   round 2          [1]               each node has the winner of the two below it
//   round 1      [2]     [3]
//   items      [4] [5] [6] [7]         a slot for each item, until it is removed
//
// Thread: its owner's.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/indexed_heap.h"

namespace bayplan {

// Before: bool(Id a, Id b), true if a comes out earlier; a strict order without ties.
// PositionOf: std::uint32_t&(Id), kNotInHeap while the id is not in this tree.
template <typename Id, typename Before, typename PositionOf>
class WinnerTree {
public:
    WinnerTree(Before before, PositionOf position_of)
        : before_(std::move(before)), position_of_(std::move(position_of)) {}

    bool empty() const { return size_ == 0; }
    std::size_t size() const { return size_; }
    Id top() const { return nodes_[1]; }

    void insert(Id id) {
        BP_CHECK_OP(position_of_(id), ==, kNotInHeap);
        if (free_.empty()) widen();
        const std::uint32_t slot = free_.back();
        free_.pop_back();
        position_of_(id) = slot;
        nodes_[width_ + slot] = id;
        ++size_;
        play(slot, id);
    }

    void remove(Id id) {
        const std::uint32_t slot = position_of_(id);
        BP_CHECK_OP(slot, <, width_);
        position_of_(id) = kNotInHeap;
        nodes_[width_ + slot] = kNobody;
        free_.push_back(slot);
        --size_;
        play(slot, id);
    }

    // After the key of `id` changed.
    void update(Id id) { play(position_of_(id), id); }

    // Without a look at keys, which may be wrong.
    void clear() {
        for (std::uint32_t slot = 0; slot < width_; ++slot) {
            if (nodes_[width_ + slot] != kNobody) position_of_(nodes_[width_ + slot]) = kNotInHeap;
        }
        width_ = 0;
        size_ = 0;
        nodes_.clear();
        free_.clear();
    }

private:
    static constexpr Id kNobody{UINT32_MAX};

    Id winner(Id a, Id b) const {
        if (a == kNobody || b == kNobody) return a == kNobody ? b : a;
        // Without a branch: who wins is a toss.
        const auto mask = -static_cast<std::uint32_t>(before_(b, a));
        const auto number = static_cast<std::uint32_t>(a);
        return Id{number ^ ((number ^ static_cast<std::uint32_t>(b)) & mask)};
    }

    // Rounds above a slot, up to the first whose winner neither was nor is the item that changed.
    void play(std::uint32_t slot, Id changed) {
        std::uint32_t at = width_ + slot;
        Id first = nodes_[at];
        while (at > 1) {
            first = winner(first, nodes_[at ^ 1U]);
            at /= 2;
            if (nodes_[at] == first && first != changed) return;
            nodes_[at] = first;
        }
    }

    void widen() {
        const std::uint32_t before = width_;
        width_ = before == 0 ? 1 : 2 * before;
        std::vector<Id> nodes(std::size_t{2} * width_, kNobody);
        for (std::uint32_t slot = 0; slot < before; ++slot) nodes[width_ + slot] = nodes_[before + slot];
        nodes_ = std::move(nodes);
        for (std::uint32_t at = width_ - 1; at > 0; --at) nodes_[at] = winner(nodes_[2 * at], nodes_[2 * at + 1]);
        for (std::uint32_t slot = width_; slot > before; --slot) free_.push_back(slot - 1);
    }

    std::uint32_t width_ = 0;  // slots, a power of two
    std::size_t size_ = 0;
    std::vector<Id> nodes_;
    std::vector<std::uint32_t> free_;
    Before before_;
    PositionOf position_of_;
};

}  // namespace bayplan
