// See claims_of_pods.h.
#include "engine/claims_of_pods.h"

#include <memory>
#include <utility>

#include "base/check.h"

namespace bayplan {

ClaimsOfPod claims_at(const ClaimPlan& plan, const NodeFacts& node, const ClusterFacts& topology) {
    ClaimOutcome outcome = search_claims(plan, node, topology.claims(), topology.known(),
                                         {.all_goes_on_in_the_first = topology.as_kubernetes_1_35()});
    BP_CHECK(outcome.verdict == Verdict::feasible);
    ClaimsOfPod claims;
    claims.devices = std::move(outcome.devices);
    for (std::size_t at = 0; at < plan.to_allocate.size(); ++at) {
        claims.uses.push_back({plan.to_allocate[at].name, plan.pod_uid,
                               std::make_shared<const DeviceAllocation>(std::move(outcome.allocations[at])), true});
    }
    for (const auto& claim : plan.allocated) {
        claims.uses.push_back({{claim->name_space, claim->name},
                               plan.pod_uid,
                               std::make_shared<const DeviceAllocation>(*claim->allocation),
                               false});
    }
    return claims;
}

std::string devices_of(const World& world, AskId id) {
    std::string text = world.devices.text_of(id);
    if (const auto found = world.claims.find(id); found != world.claims.end() && !found->second.devices.empty()) {
        text += (text.empty() ? "" : ",") + found->second.devices;
    }
    return text;
}

}  // namespace bayplan
