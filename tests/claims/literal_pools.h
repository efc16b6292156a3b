// The pools that a node sees, for the literal search, word by word. Thread: any, pure functions.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "tests/claims/literal_search.h"

namespace bayplan::testing {

struct LiteralPool {
    std::vector<const ResourceSlice*> slices;  // by name
    bool partial = false;
    bool doubled = false;  // a device's name is there twice
};

using LiteralPools = std::vector<std::pair<std::string, LiteralPool>>;  // by "DRIVER/POOL"

// Labels by `in`, fields by the node's name: the only forms that the worlds have.
bool literally_fits(const NodeTerm&, const NodeFacts&);

LiteralPools literal_pools(const LiteralWorld&, const NodeFacts&, const TextTable&);

}  // namespace bayplan::testing
