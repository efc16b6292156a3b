// Pod terms that want one label, naively: listed anew whenever a spec comes. rules/limits.md, R-LIMIT-34 to 39.
//
// Thread: any. Errors: none.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "kube_model.h"

namespace bayplan::oracle {

// The fault of a spec beside all that the shim has; empty: it may come.
std::string crowd_fault(const std::vector<std::shared_ptr<const KubeSpec>>& of_shim, const KubeSpec&, std::size_t most);

}  // namespace bayplan::oracle
