// See node_set.h.
#include "cluster/node_set.h"

#include <algorithm>
#include <utility>

#include "base/check.h"

namespace bayplan {

void NodeSet::add(Slot slot) {
    ++count_;
    if (!many_.empty()) {
        many_.resize(std::max<std::size_t>(many_.size(), block_of(slot) + 1), 0);
        many_[block_of(slot)] |= bit_of(slot);
        return;
    }
    few_.insert(std::ranges::upper_bound(few_, slot), slot);
    // A block of bits is as large as two slots.
    if (few_.size() > kFew && few_.size() >= 2 * std::size_t{block_of(few_.back()) + 1}) {
        to_bits();
    }
}

void NodeSet::remove(Slot slot) {
    --count_;
    if (many_.empty()) {
        const auto at = std::ranges::lower_bound(few_, slot);
        BP_CHECK(at != few_.end() && *at == slot);
        few_.erase(at);
        return;
    }
    many_[block_of(slot)] &= ~bit_of(slot);
    if (count_ <= kFew || 2 * count_ < many_.size()) {
        to_slots();
    }
}

void NodeSet::to_bits() {
    many_.resize(block_of(few_.back()) + 1, 0);
    for (const Slot slot : std::exchange(few_, {})) {
        many_[block_of(slot)] |= bit_of(slot);
    }
}

// Not as soon as slots would be smaller, so that a node which comes and goes costs no change of form each time.
void NodeSet::to_slots() {
    const NodeMask bits = std::exchange(many_, {});
    few_.reserve(count_);
    for_each_slot(bits, [&](Slot slot) { few_.push_back(slot); });
}

void NodeSet::add_to(NodeMask& mask) const {
    for (const Slot slot : few_) {
        mask[block_of(slot)] |= bit_of(slot);
    }
    add_all(mask, many_);
}

}  // namespace bayplan
