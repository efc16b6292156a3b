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

    // Nodes with the best scores are searched first, and what was found before is known: few searches find the node.
    bool narrows(const Subject& subject) const override {
        return subject.plan.claims != nullptr && !may_err(subject) && !subject.plan.claims->scored;
    }

    bool narrow(const Subject& subject, NodeMask& nodes) const override {
        const std::shared_ptr<ClaimShape> shape = shape_of(subject);
        for (std::uint32_t block = 0; block < nodes.size(); ++block) {
            nodes[block] &= ~failing(shape, block);
        }
        for (const auto& claim : subject.plan.claims->allocated) {
            keep_users(subject, *claim, nodes);
        }
        return subject.plan.claims->to_allocate.empty();
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

    // Takes out the nodes that cannot use the allocated claim: mostly it is one node's.
    static void keep_users(const Subject& subject, const ResourceClaim& claim, NodeMask& nodes) {
        if (!claim.allocation->nodes) {
            return;
        }
        const ClusterFacts& topology = subject.cluster.topology;
        const auto usable = [&](Slot slot) {
            return can_use(claim, *topology.facts()[raw(slot)], topology.known(), topology.texts());
        };
        if (const Text name = only_node(claim, topology.known()); name != 0) {
            const Slot slot = topology.node_named(name);
            const std::uint32_t block = slot == kNone<Slot> ? 0 : block_of(slot);
            const std::uint64_t kept = slot != kNone<Slot> && block < nodes.size() && usable(slot)
                                           ? nodes[block] & std::uint64_t{1} << lane_of(slot)
                                           : 0;
            std::ranges::fill(nodes, 0);
            if (kept != 0) {
                nodes[block] = kept;
            }
            return;
        }
        for (std::uint32_t block = 0; block < nodes.size(); ++block) {
            for (std::uint64_t left = nodes[block]; left != 0; left &= left - 1) {
                const Slot slot = slot_at(block, static_cast<std::uint32_t>(std::countr_zero(left)));
                if (raw(slot) >= topology.facts().size() || topology.facts()[raw(slot)] == nullptr || !usable(slot)) {
                    nodes[block] &= ~(left & -left);
                }
            }
        }
    }

    // The node that the claim's one term names, or 0.
    static Text only_node(const ResourceClaim& claim, const KnownTexts& known) {
        const std::vector<NodeTerm>& terms = *claim.allocation->nodes;
        if (terms.size() != 1 || terms.front().fields.size() != 1) {
            return 0;
        }
        const LabelRequirement& field = terms.front().fields.front();
        const bool names_one =
            field.key == known.metadata_name && field.op == LabelOperator::in && field.values.size() == 1;
        return names_one ? field.values.front() : 0;
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
