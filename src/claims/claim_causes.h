// Why a node does not serve a pod's claims: which request lacks devices, and why each device will not do. Kubernetes only says
// that it cannot allocate all of them.
//
// Thread: the engine's. For explanations: the search itself is in claim_search.h.
#pragma once

#include <string>
#include <vector>

#include "claims/claim_plan.h"
#include "claims/node_pools.h"

namespace bayplan {

std::vector<std::string> claim_causes(const ClaimPlan&, const NodeFacts&, const ClaimObjects&, const KnownTexts&);

}  // namespace bayplan
