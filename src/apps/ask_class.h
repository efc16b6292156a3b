// What decides feasibility and score of an ask. Asks alike in all of it share one class, and with it
// all cached work.
//
// Thread: immutable once made; read by the engine thread and by proposal workers. Owned by the class
// table and, through shared_ptr, by proposals under way.
#pragma once

#include <cstdint>
#include <vector>

#include "base/ids.h"
#include "cluster/node_state.h"

namespace bayplan {

struct AskClass {
    std::vector<KindAmount> requests;       // by kind, amounts > 0 only
    NameId required_node = kNone<NameId>;   // NodeName: this node or none
    bool tolerates_unschedulable = false;
    // Part of the class because holds make free space depend on it.
    std::int32_t priority = 0;

    // Filled in when the class is made: the kinds that resource scores look at.
    std::int64_t cpu_request = 0;
    std::int64_t memory_request = 0;

    bool same_as(const AskClass& other) const {
        return requests == other.requests && required_node == other.required_node &&
               tolerates_unschedulable == other.tolerates_unschedulable && priority == other.priority;
    }
};

}  // namespace bayplan
