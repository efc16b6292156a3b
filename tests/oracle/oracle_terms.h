// Pod terms that want one label, naively: listed anew whenever a spec comes. rules/limits.md, R-LIMIT-34 to 39.
//
// Thread: any. Errors: none.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kube_model.h"

namespace bayplan::oracle {

struct CountedTerm {
    int list = 0;          // of the spec
    KubePodTerm term;      // with its namespaces
    std::size_t time = 0;  // equal ones before it in the list
    bool operator==(const CountedTerm&) const = default;
};
struct FoundTerm {
    CountedTerm term;
    std::optional<KubeRequirement> by;
};

// The fault of a spec beside all that the shim has; empty: it may come. `found`: the shim's terms as they were when a spec
// last came; afterwards as they are, if this one comes.
std::string crowd_fault(const std::vector<std::shared_ptr<const KubeSpec>>& of_shim, const KubeSpec&, std::size_t most,
                        std::vector<FoundTerm>& found);

// With the spec beside all that the shim has, there are more topology keys than so many.
bool more_keys_than(std::size_t most, const std::vector<std::shared_ptr<const KubeSpec>>& of_shim, const KubeSpec&);

}  // namespace bayplan::oracle
