// A set of nodes: a few slots, or a bit per node once there were many. Thread: its owner's.
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
    template <typename Each>
    void for_each(Each&& each) const {
        for (const Slot slot : few_) {
            each(slot);
        }
        for_each_slot(many_, each);
    }

private:
    static constexpr std::size_t kFew = 8;

    std::vector<Slot> few_;  // empty once they were many
    NodeMask many_;
    std::uint32_t count_ = 0;
};

}  // namespace bayplan
