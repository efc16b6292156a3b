// DynamicResources: the node has devices for the pod's claims, or can use the devices that the claims have. The search of one
// node is in src/claims. Source: Kubernetes 1.35.

#include <bit>

#include <fmt/format.h>

#include "claims/claim_search.h"
#include "predicates/registry.h"

namespace bayplan {

namespace {

class DynamicResources final : public Predicate {
public:
    bool filters_by_columns() const override { return false; }

    Refusal refuse_all(const Subject& subject) const override {
        const ClaimPlan* const plan = subject.plan.claims.get();
        if (plan == nullptr || plan->whole == Verdict::feasible) {
            return {};
        }
        return {plan->whole, {plan->reason}, plan->not_queued ? AttemptEnd::not_queued : AttemptEnd::in_a_verdict};
    }

    bool depends_on_pods(const Subject& subject) const override { return subject.plan.claims != nullptr; }

    std::uint64_t filter_cluster(const Subject& subject, std::uint32_t block, std::uint64_t lanes) const override {
        for (std::uint64_t left = lanes; left != 0; left &= left - 1) {
            const auto lane = static_cast<std::uint32_t>(std::countr_zero(left));
            const NodeFacts& facts = *subject.cluster.topology.facts()[raw(slot_at(block, lane))];
            if (search(subject, facts).verdict != Verdict::feasible) {
                lanes &= ~(std::uint64_t{1} << lane);
            }
        }
        return lanes;
    }

    Refusal explain(const Subject& subject, const NodeView& node) const override {
        if (!depends_on_pods(subject)) {
            return {};
        }
        ClaimOutcome outcome = search(subject, node.facts);
        if (outcome.verdict == Verdict::feasible) {
            return {};
        }
        return {outcome.verdict,
                {std::move(outcome.reason)},
                outcome.is_error ? AttemptEnd::in_an_error : AttemptEnd::in_a_verdict};
    }

    bool may_err(const Subject& subject) const override {
        return subject.plan.claims != nullptr && (subject.plan.claims->may_err || mixed(*subject.plan.claims));
    }

    Refusal error_of_scores(const Subject& subject) const override {
        if (subject.plan.claims == nullptr || !mixed(*subject.plan.claims)) {
            return {};
        }
        return {
            Verdict::unresolvable,
            {fmt::format("running Score plugins: plugin \"DynamicResources\" failed with: number of allocations {} is "
                         "smaller than number of claims",
                         subject.plan.claims->to_allocate.size())},
            AttemptEnd::in_an_error};
    }

private:
    // Some of the claims are allocated, and some are not: Kubernetes 1.35 cannot score the pod.
    static bool mixed(const ClaimPlan& plan) { return !plan.allocated.empty() && !plan.to_allocate.empty(); }

    static ClaimOutcome search(const Subject& subject, const NodeFacts& facts) {
        const ClusterFacts& topology = subject.cluster.topology;
        return search_claims(*subject.plan.claims, facts, topology.claims(), topology.known(),
                             {.all_goes_on_in_the_first = topology.as_kubernetes_1_35()});
    }
};

}  // namespace

std::unique_ptr<Predicate> make_dynamic_resources(const LaneKernels&) { return std::make_unique<DynamicResources>(); }

}  // namespace bayplan
