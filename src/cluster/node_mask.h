// A set of nodes as bits, a word per block. Thread: its owner's.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/ids.h"

namespace bayplan {

using NodeMask = std::vector<std::uint64_t>;  // by block

constexpr std::uint64_t bit_of(Slot slot) { return std::uint64_t{1} << lane_of(slot); }

template <typename Look>
void for_each_slot(const NodeMask& mask, Look&& look) {
    for (std::uint32_t block = 0; block < mask.size(); ++block) {
        for (std::uint64_t left = mask[block]; left != 0; left &= left - 1) {
            look(slot_at(block, static_cast<std::uint32_t>(std::countr_zero(left))));
        }
    }
}

// Blocks beyond the end of a mask have no bits.
inline void keep_common(NodeMask& mask, const NodeMask& other) {
    for (std::size_t block = 0; block < mask.size(); ++block) {
        mask[block] &= block < other.size() ? other[block] : 0;
    }
}
inline void add_all(NodeMask& mask, const NodeMask& more) {
    for (std::size_t block = 0; block < mask.size() && block < more.size(); ++block) {
        mask[block] |= more[block];
    }
}
inline void take_all_out(NodeMask& mask, const NodeMask& others) {
    for (std::size_t block = 0; block < mask.size() && block < others.size(); ++block) {
        mask[block] &= ~others[block];
    }
}

}  // namespace bayplan
