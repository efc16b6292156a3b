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
        const std::shared_ptr<ClaimShape> shape = shape_of(subject);
        lanes &= ~failing(shape, block);
        for (std::uint64_t left = lanes; left != 0; left &= left - 1) {
            const Slot slot = slot_at(block, static_cast<std::uint32_t>(std::countr_zero(left)));
            if (!passes(subject, shape.get(), slot)) {
                lanes &= ~(left & -left);
            }
        }
        return lanes;
    }

    // Nodes that are known to have no devices are counted without a search.
    LaneRefusals explain_lanes(const Subject& subject, const NodeBlock& block, std::uint32_t number,
                               std::uint64_t lanes, ReasonCounts& counts) const override {
        if (!depends_on_pods(subject)) {
            return {};
        }
        const std::shared_ptr<ClaimShape> shape = shape_of(subject);
        const std::uint64_t known = failing(shape, number) & lanes;
        std::uint64_t invalid = 0;
        for (std::uint64_t left = known; left != 0; left &= left - 1) {
            const Slot slot = slot_at(number, static_cast<std::uint32_t>(std::countr_zero(left)));
            invalid |= shape->at(slot) == ClaimFinding::meets_invalid_pools ? left & -left : 0;
        }
        count_reason(counts, kCannotAllocate, known & ~invalid);
        count_reason(counts, kInvalidPools, invalid);
        LaneRefusals refusals = explain_each(subject, block, number, lanes & ~known, counts);
        refusals.unresolvable |= known;
        return refusals;
    }

    Refusal explain(const Subject& subject, const NodeView& node) const override {
        if (!depends_on_pods(subject)) {
            return {};
        }
        ClaimOutcome outcome = search(subject, node.facts);
        note(shape_of(subject).get(), node.slot, outcome);
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

    // Null: nothing is remembered of such claims.
    static std::shared_ptr<ClaimShape> shape_of(const Subject& subject) {
        std::shared_ptr<ClaimShape> shape = subject.plan.claims->shape.lock();
        if (shape != nullptr) {
            shape->catch_up(subject.cluster.topology.claims().shapes().changes());
        }
        return shape;
    }

    static std::uint64_t failing(const std::shared_ptr<ClaimShape>& shape, std::uint32_t block) {
        return shape == nullptr ? 0 : shape->failing(block);
    }

    static void note(ClaimShape* shape, Slot slot, const ClaimOutcome& outcome) {
        if (shape != nullptr && !outcome.is_error) {
            const bool found = outcome.verdict == Verdict::feasible || outcome.unavailable;
            shape->note(slot, found                             ? ClaimFinding::fits
                              : outcome.reason == kInvalidPools ? ClaimFinding::meets_invalid_pools
                                                                : ClaimFinding::fails);
        }
    }

    static bool passes(const Subject& subject, ClaimShape* shape, Slot slot) {
        if (shape != nullptr && shape->at(slot) == ClaimFinding::fits && subject.plan.claims->allocated.empty()) {
            return true;
        }
        const ClaimOutcome outcome = search(subject, *subject.cluster.topology.facts()[raw(slot)]);
        note(shape, slot, outcome);
        return outcome.verdict == Verdict::feasible;
    }

    static ClaimOutcome search(const Subject& subject, const NodeFacts& facts) {
        const ClusterFacts& topology = subject.cluster.topology;
        return search_claims(*subject.plan.claims, facts, topology.claims(), topology.known(),
                             {.all_goes_on_in_the_first = topology.as_kubernetes_1_35()});
    }
};

}  // namespace

std::unique_ptr<Predicate> make_dynamic_resources(const LaneKernels&) { return std::make_unique<DynamicResources>(); }

}  // namespace bayplan
