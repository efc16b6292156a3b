// All that decides feasibility and score of an ask. Asks alike in all of it share one class, and with it all cached
// work.
//
// Thread: immutable once made; read by the engine thread and by proposal workers. Owned by the class
// table and, through shared_ptr, by proposals under way.
#pragma once

#include <cstdint>
#include <vector>

#include "apps/spec_table.h"
#include "base/ids.h"
#include "cluster/node_state.h"

namespace bayplan {

struct AskClass {
    std::vector<ResourceAmount> requests;  // by resource, amounts > 0 only
    NameId required_node = kNone<NameId>;  // NodeName: this node or none
    SpecId pod_spec = kEmptySpec;          // labels, constraints, volumes, images
    bool tolerates_unschedulable = false;
    // Part of the class because holds make free space depend on it.
    std::int32_t priority = 0;
    // Amounts that resource scores count (R-SCORE-1): added to its node, and while it is scheduled.
    std::int64_t node_cpu = 0;
    std::int64_t node_memory = 0;
    std::int64_t own_cpu = 0;
    std::int64_t own_memory = 0;

    // Filled in when the class is made.
    std::int64_t cpu_request = 0;
    std::int64_t memory_request = 0;
    bool needs_plugins = false;            // its spec names some
    bool has_claims = false;               // its spec has volumes, or claims on devices
    std::vector<ResourceAmount> occupies;  // requests and the scored amounts: what a placement adds

    bool same_as(const AskClass& other) const {
        return requests == other.requests && required_node == other.required_node && pod_spec == other.pod_spec &&
               tolerates_unschedulable == other.tolerates_unschedulable && priority == other.priority &&
               node_cpu == other.node_cpu && node_memory == other.node_memory && own_cpu == other.own_cpu &&
               own_memory == other.own_memory;
    }
};

}  // namespace bayplan
