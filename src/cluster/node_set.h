// A set of nodes: slots in order, or a bit per node where that is smaller. Thread: its owner's.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "cluster/node_mask.h"

namespace bayplan {

class NodeSet {
public:
    void add(Slot);
    // Must be there.
    void remove(Slot);
    bool empty() const { return count_ == 0; }
    std::uint32_t size() const { return count_; }
    void add_to(NodeMask&) const;
    // In the order of slots.
    template <typename Each>
    void for_each(Each&& each) const {
        for (const Slot slot : few_) {
            each(slot);
        }
        for_each_slot(many_, each);
    }

    std::size_t bytes() const { return few_.capacity() * sizeof(Slot) + many_.capacity() * sizeof(std::uint64_t); }

private:
    void to_bits();
    void to_slots();

    static constexpr std::size_t kFew = 8;

    std::vector<Slot> few_;  // in order; empty while they are many
    NodeMask many_;
    std::uint32_t count_ = 0;
};

}  // namespace bayplan
