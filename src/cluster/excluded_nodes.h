// The nodes that one ask may not take although its class may: a victim there does not go, the node refused the pod,
// pods nominated there do not suffer it. A short list beside the class's cache, looked at while an attempt searches;
// the cache itself stays the class's.
//
//   count_ <= kFew   few_[0..count_)      in the object itself: the list of an ask is read with the ask's entry
//   else             many_[0..count_)
//
// Thread: plain data, its owner's.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "base/ids.h"

namespace bayplan {

class ExcludedNodes {
public:
    void clear() {
        count_ = 0;
        many_.clear();
    }
    // In any order, and more than once.
    void add(Slot slot) {
        const std::span<const Slot> all = slots();
        const auto at = static_cast<std::uint32_t>(std::lower_bound(all.begin(), all.end(), slot) - all.begin());
        if (at < count_ && all[at] == slot) {
            return;
        }
        if (count_ < kFew) {
            std::copy_backward(few_.begin() + at, few_.begin() + count_, few_.begin() + count_ + 1);
            few_[at] = slot;
        } else {
            if (count_ == kFew) {
                many_.assign(few_.begin(), few_.end());
            }
            many_.insert(many_.begin() + at, slot);
        }
        ++count_;
    }
    // Fine if it is not there.
    void remove(Slot slot) {
        const std::span<const Slot> all = slots();
        const auto at = static_cast<std::uint32_t>(std::lower_bound(all.begin(), all.end(), slot) - all.begin());
        if (at == count_ || all[at] != slot) {
            return;
        }
        if (count_ <= kFew) {
            std::copy(few_.begin() + at + 1, few_.begin() + count_, few_.begin() + at);
        } else {
            many_.erase(many_.begin() + at);
            if (count_ - 1 == kFew) {
                std::copy(many_.begin(), many_.end(), few_.begin());
                many_.clear();
            }
        }
        --count_;
    }

    bool empty() const { return count_ == 0; }
    std::span<const Slot> slots() const { return {count_ <= kFew ? few_.data() : many_.data(), count_}; }
    bool contains(Slot slot) const {
        const std::span<const Slot> all = slots();
        return std::binary_search(all.begin(), all.end(), slot);
    }
    // The block's excluded nodes, as bits.
    std::uint64_t in_block(std::uint32_t block) const {
        const std::span<const Slot> all = slots();
        std::uint64_t lanes = 0;
        for (auto at = std::lower_bound(all.begin(), all.end(), slot_at(block, 0));
             at != all.end() && block_of(*at) == block; ++at) {
            lanes |= std::uint64_t{1} << lane_of(*at);
        }
        return lanes;
    }
    // Calls each(block, lanes) for the blocks that have any, in order.
    template <typename Each>
    void for_each_block(Each&& each) const {
        const std::span<const Slot> all = slots();
        for (std::size_t at = 0; at < all.size();) {
            const std::uint32_t block = block_of(all[at]);
            std::uint64_t lanes = 0;
            for (; at < all.size() && block_of(all[at]) == block; ++at) {
                lanes |= std::uint64_t{1} << lane_of(all[at]);
            }
            each(block, lanes);
        }
    }

private:
    static constexpr std::uint32_t kFew = 6;

    // Sorted, distinct.
    std::array<Slot, kFew> few_{};
    std::uint32_t count_ = 0;
    std::vector<Slot> many_;
};

inline const ExcludedNodes kNoneExcluded;

}  // namespace bayplan
