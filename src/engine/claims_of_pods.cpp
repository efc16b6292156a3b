// See claims_of_pods.h.
#include "engine/claims_of_pods.h"

#include <algorithm>
#include <iterator>
#include <memory>
#include <utility>

namespace bayplan {

ClaimsOfPod claims_at(const ClaimPlan& plan, const NodeFacts& node, const ClusterFacts& topology) {
    ClaimOutcome outcome = search_claims(plan, node, topology.claims(), topology.known(),
                                         {.all_goes_on_in_the_first = topology.as_kubernetes_1_35()});
    ClaimsOfPod claims;
    if (outcome.verdict != Verdict::feasible) {
        return claims;  // not by an attempt: nobody asked the predicate
    }
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

namespace {

// It is reserved for nobody, or for the pod alone, and some nodes cannot use it.
bool may_be_given_back(const ResourceClaim& claim, Text uid) {
    return claim.allocation->nodes &&
           std::ranges::all_of(claim.reserved_for, [&](Text reserved) { return reserved == uid; });
}

}  // namespace

std::string_view said_of_claims(const World& world, const Diagnoser& diagnoser, const PreemptionOutcome& outcome) {
    const ClaimPlan* const plan = diagnoser.subject().plan.claims.get();
    if (plan == nullptr || !diagnoser.asks(PredicateId::dynamic_resources) ||
        diagnoser.whole().refusal.verdict != Verdict::feasible) {
        return "no new claims to deallocate";
    }
    std::vector<std::shared_ptr<const ResourceClaim>> candidates;
    std::ranges::copy_if(plan->allocated, std::back_inserter(candidates),
                         [&](const auto& claim) { return may_be_given_back(*claim, plan->pod_uid); });
    const auto lacks_one = [&](const NodeView& node) {
        return std::ranges::any_of(
            candidates, [&](const auto& claim) { return !can_use(*claim, node.facts, world.known, world.texts); });
    };
    bool found =
        std::ranges::any_of(outcome.lacking_claims, [&](Slot slot) { return lacks_one(diagnoser.view_of(slot)); });
    diagnoser.for_each_node([&](const NodeView& node) {
        if (found || candidates.empty() || diagnoser.excluded(node.slot)) {
            return;
        }
        const PredicateSet::Failure failure = diagnoser.judge(node);
        found = !failure.refusal.reasons.empty() && failure.refusal.reasons.front() == kClaimNotAvailable &&
                lacks_one(node);
    });
    return found ? "deallocation of ResourceClaim completed" : "still not schedulable";
}

}  // namespace bayplan
