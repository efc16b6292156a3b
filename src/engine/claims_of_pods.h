// Devices that claims get when their pod is placed, and how a decision tells them.
//
// Thread: the engine's. The rules are in rules/claims.md.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "claims/claim_search.h"
#include "engine/diagnosis.h"
#include "engine/preempting.h"
#include "engine/world.h"

namespace bayplan {

// Devices that the pod's claims get on the node; none if it does not pass DynamicResources.
ClaimsOfPod claims_at(const ClaimPlan&, const NodeFacts&, const ClusterFacts&);

// Of a pod on a node: kinds counted by the node, then devices of its claims (R-DEVICE-24, R-CLAIM-20).
std::string devices_of(const World&, AskId);

// Words and deed of Kubernetes' PostFilter of DynamicResources, of an ask that no node takes.
struct ClaimsAfterFailure {
    std::string_view words;                       // that come before those on preemption
    std::optional<ResourceClaimName> given_back;  // only if the shim that stated it gives claims back
    ShimId owner = kNone<ShimId>;                 // that shim
};
ClaimsAfterFailure claims_after_failure(const World&, const Diagnoser&, const PreemptionOutcome&);

}  // namespace bayplan
