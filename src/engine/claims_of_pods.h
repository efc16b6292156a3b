// Devices that claims get when their pod is placed, and how a decision tells them.
//
// Thread: the engine's. The rules are in rules/claims.md.
#pragma once

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

// The words on claims that come before those on preemption, of an ask that no node takes (Kubernetes: PostFilter of
// DynamicResources).
std::string_view said_of_claims(const World&, const Diagnoser&, const PreemptionOutcome&);

}  // namespace bayplan
