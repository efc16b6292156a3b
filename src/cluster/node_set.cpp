// See node_set.h.
#include "cluster/node_set.h"

#include <algorithm>
#include <utility>

#include "base/check.h"

namespace bayplan {

void NodeSet::add(Slot slot) {
    ++count_;
    if (many_.empty() && few_.size() < kFew) {
        few_.push_back(slot);
        return;
    }
    const auto put = [&](Slot one) {
        many_.resize(std::max<std::size_t>(many_.size(), block_of(one) + 1), 0);
        many_[block_of(one)] |= bit_of(one);
    };
    put(slot);
    std::ranges::for_each(std::exchange(few_, {}), put);
}

void NodeSet::remove(Slot slot) {
    --count_;
    if (many_.empty()) {
        const auto at = std::ranges::find(few_, slot);
        BP_CHECK(at != few_.end());
        few_.erase(at);
    } else {
        many_[block_of(slot)] &= ~bit_of(slot);
    }
}

void NodeSet::add_to(NodeMask& mask) const {
    for (const Slot slot : few_) {
        mask[block_of(slot)] |= bit_of(slot);
    }
    add_all(mask, many_);
}

}  // namespace bayplan
