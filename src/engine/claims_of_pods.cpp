// See claims_of_pods.h.
#include "engine/claims_of_pods.h"

#include <algorithm>
#include <iterator>
#include <memory>
#include <utility>

#include "base/check.h"

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
bool may_be_given_back(const ResourceClaim& claim, Text uid, const ClaimObjects& objects) {
    return claim.allocation->nodes &&
           std::ranges::all_of(claim.reserved_for, [&](Text reserved) { return reserved == uid; }) &&
           !objects.used_by_placed_pods({claim.name_space, claim.name});
}

using Claims = std::vector<std::shared_ptr<const ResourceClaim>>;

// The first of the candidates that some node lacks, no other claim being in the way there; null: none.
std::shared_ptr<const ResourceClaim> first_lacking(const World& world, const Diagnoser& diagnoser,
                                                   const std::vector<Slot>& lacking, const Claims& candidates) {
    std::size_t first = candidates.size();
    const auto look = [&](const NodeView& node) {
        for (std::size_t at = 0; at < first; ++at) {
            if (!can_use(*candidates[at], node.facts, world.known, world.texts)) {
                first = at;
            }
        }
    };
    std::ranges::for_each(lacking, [&](Slot slot) { look(diagnoser.view_of(slot)); });
    diagnoser.for_each_node([&](const NodeView& node) {
        if (first == 0 || candidates.empty() || diagnoser.excluded(node.slot)) {
            return;
        }
        const PredicateSet::Failure failure = diagnoser.judge(node);
        if (!failure.refusal.reasons.empty() && failure.refusal.reasons.front() == kClaimNotAvailable) {
            look(node);
        }
    });
    return first == candidates.size() ? nullptr : candidates[first];
}

}  // namespace

ClaimsAfterFailure claims_after_failure(const World& world, const Diagnoser& diagnoser,
                                        const PreemptionOutcome& outcome) {
    const ClaimPlan* const plan = diagnoser.subject().plan.claims.get();
    if (plan == nullptr || !diagnoser.asks(PredicateId::dynamic_resources) ||
        diagnoser.whole().refusal.verdict != Verdict::feasible) {
        return {.words = "no new claims to deallocate", .given_back = std::nullopt};
    }
    Claims candidates;
    std::ranges::copy_if(plan->allocated, std::back_inserter(candidates), [&](const auto& claim) {
        return may_be_given_back(*claim, plan->pod_uid, world.topology.claims());
    });
    const auto found = first_lacking(world, diagnoser, outcome.lacking_claims, candidates);
    if (found == nullptr) {
        return {.words = "still not schedulable", .given_back = std::nullopt};
    }
    ClaimsAfterFailure after{.words = "deallocation of ResourceClaim completed", .given_back = std::nullopt};
    const auto stated = world.objects.find(name_of(*found));
    BP_CHECK(stated != world.objects.end());
    after.owner = stated->second.owner;
    if (world.shims[after.owner].gives_claims_back) {
        after.given_back = ResourceClaimName{found->name_space, found->name};
    }
    return after;
}

}  // namespace bayplan
