// The nodes of a case: what is left of each, and which an ask goes to. It stands for the engine's own search, which knows
// far more; here nodes differ in resources alone.
//
// Thread: main.
#pragma once

#include <map>
#include <string>

#include "queue_config/model.h"
#include "queue_config/resources.h"

namespace bayplan::conformance {

using queue_config::Resources;

struct Node {
    Resources capacity;
    Resources allocated;
    Resources occupied;  // by pods of others
    bool schedulable = true;
    std::string reserved_by;  // an ask

    Resources available() const;
};

class Nodes {
public:
    std::map<std::string, Node> all;

    bool fits(const std::string& id, const Resources& ask) const;
    // The first of the policy's order that has room, is schedulable and not reserved; "": none.
    std::string find(const Resources& ask, const queue_config::NodeSortPolicyConfig&) const;
    // The node that lacks least of the ask's resources, and could hold the ask were it empty; "": none.
    std::string find_to_reserve(const Resources& ask, const queue_config::NodeSortPolicyConfig&) const;
    void charge(const std::string& id, const Resources& ask, int sign);

    Resources usable() const;
    Resources total() const;

private:
    std::vector<std::string> in_order(const queue_config::NodeSortPolicyConfig&) const;
};

}  // namespace bayplan::conformance
