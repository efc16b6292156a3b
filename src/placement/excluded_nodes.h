// The nodes that one ask may not take, whatever its class may: a victim there does not go, the node refused the pod, pods
// nominated there do not suffer it. A short list beside the class's cache, looked at while an attempt searches; the cache
// itself stays the class's.
//
// Thread: plain data, its owner's.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "base/ids.h"

namespace bayplan {

class ExcludedNodes {
public:
    void clear() { slots_.clear(); }
    // In any order, and more than once.
    void add(Slot slot) {
        const auto at = std::lower_bound(slots_.begin(), slots_.end(), slot);
        if (at == slots_.end() || *at != slot) {
            slots_.insert(at, slot);
        }
    }

    bool empty() const { return slots_.empty(); }
    const std::vector<Slot>& slots() const { return slots_; }
    bool contains(Slot slot) const { return std::binary_search(slots_.begin(), slots_.end(), slot); }
    // Those of the block, as bits.
    std::uint64_t in_block(std::uint32_t block) const {
        std::uint64_t lanes = 0;
        for (auto at = std::lower_bound(slots_.begin(), slots_.end(), slot_at(block, 0));
             at != slots_.end() && block_of(*at) == block; ++at) {
            lanes |= std::uint64_t{1} << lane_of(*at);
        }
        return lanes;
    }
    // Calls each(block, lanes) for the blocks that have any, in order.
    template <typename Each>
    void for_each_block(Each&& each) const {
        for (std::size_t at = 0; at < slots_.size();) {
            const std::uint32_t block = block_of(slots_[at]);
            std::uint64_t lanes = 0;
            for (; at < slots_.size() && block_of(slots_[at]) == block; ++at) {
                lanes |= std::uint64_t{1} << lane_of(slots_[at]);
            }
            each(block, lanes);
        }
    }

private:
    std::vector<Slot> slots_;  // sorted, distinct
};

inline const ExcludedNodes kNoneExcluded;

}  // namespace bayplan
