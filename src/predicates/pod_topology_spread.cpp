// PodTopologySpread: a hard constraint keeps the pods of a selector spread over the domains of a key.
// Source: Kubernetes 1.35, PodTopologySpread filter.

#include <algorithm>
#include <bit>

#include "predicates/registry.h"

namespace bayplan {

namespace {

class PodTopologySpread final : public Predicate {
public:
    bool filters_by_columns() const override { return false; }
    bool refuses_pods() const override { return false; }
    bool depends_on_pods(const Subject& subject) const override { return !subject.plan.hard_spread.empty(); }

    void begin(const Subject& subject) const override {
        for (const SpecPlan::HardSpread& constraint : subject.plan.hard_spread) {
            const std::int64_t least = subject.cluster.topology.least_pods(constraint);
            constraint.pods_max = constraint.max_skew - constraint.self + least;
        }
    }

    std::uint64_t filter_cluster(const Subject& subject, std::uint32_t block, std::uint64_t lanes) const override {
        for (const SpecPlan::HardSpread& constraint : subject.plan.hard_spread) {
            lanes = lanes == 0 ? 0 : filter_by(subject, constraint, block, lanes);
        }
        return lanes;
    }

    bool splits_sites(const Subject&) const override { return true; }
    bool may_admit(const Subject& subject, Slot slot) const override {
        const TopologyKeys& keys = subject.cluster.topology.keys();
        return std::all_of(subject.plan.hard_spread.begin(), subject.plan.hard_spread.end(),
                           [&](const auto& constraint) {
                               return !keys.by_site(constraint.key) ||
                                      passes(subject, constraint, keys.site_domain(constraint.key, slot));
                           });
    }
    std::uint64_t filter_nodes(const Subject& subject, std::uint32_t block, std::uint64_t lanes) const override {
        for (const SpecPlan::HardSpread& constraint : subject.plan.hard_spread) {
            if (lanes != 0 && !subject.cluster.topology.keys().by_site(constraint.key)) {
                lanes = filter_by(subject, constraint, block, lanes);
            }
        }
        return lanes;
    }
    void shared_numbers(const Subject& subject, std::vector<std::int64_t>& numbers) const override {
        for (const SpecPlan::HardSpread& constraint : subject.plan.hard_spread) {
            if (!subject.cluster.topology.keys().by_site(constraint.key)) {
                numbers.push_back(constraint.pods_max);
            }
        }
    }

    Refusal explain(const Subject& subject, const NodeView& node) const override {
        for (const SpecPlan::HardSpread& constraint : subject.plan.hard_spread) {
            const Domain domain = subject.cluster.topology.keys().domain(constraint.key, node.slot);
            if (domain == kNoDomain) {
                return {Verdict::unresolvable,
                        {"node(s) didn't match pod topology spread constraints (missing required label)"}};
            }
            if (!passes(subject, constraint, domain)) {
                return {Verdict::unschedulable, {"node(s) didn't match pod topology spread constraints"}};
            }
        }
        return {};
    }

private:
    static std::uint64_t filter_by(const Subject& subject, const SpecPlan::HardSpread& constraint, std::uint32_t block,
                                   std::uint64_t lanes) {
        const TopologyKeys& keys = subject.cluster.topology.keys();
        const Domain shared = keys.block_domain(constraint.key, block);
        if (shared != kMixed) {
            return passes(subject, constraint, shared) ? lanes : 0;
        }
        const Domain* domains = keys.lanes(constraint.key, block);
        if (keys.by_node(constraint.key) && constraint.pods != kNone<CounterId>) {
            return lanes & passing(subject, constraint, block, domains);
        }
        for (std::uint64_t left = lanes; left != 0; left &= left - 1) {
            const auto lane = static_cast<std::uint32_t>(std::countr_zero(left));
            if (!passes(subject, constraint, domains[lane])) {
                lanes &= ~(std::uint64_t{1} << lane);
            }
        }
        return lanes;
    }

    // The same from a column of pods by slot, without a look-up for each domain.
    static std::uint64_t passing(const Subject& subject, const SpecPlan::HardSpread& constraint, std::uint32_t block,
                                 const Domain* domains) {
        ClusterFacts& topology = subject.cluster.topology;
        const std::int32_t* const pods =
            topology.counts().by_slot(constraint.pods, topology.facts().size()) + std::size_t{block} * kLanes;
        std::uint64_t found = 0;
        for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
            const bool passes = domains[lane] != kNoDomain && pods[lane] <= constraint.pods_max;
            found |= std::uint64_t{passes} << lane;
        }
        return found;
    }

    static bool passes(const Subject& subject, const SpecPlan::HardSpread& constraint, Domain domain) {
        if (domain == kNoDomain) {
            return false;
        }
        const std::int64_t pods = constraint.pods == kNone<CounterId>
                                      ? 0
                                      : subject.cluster.topology.counts().pods_in(constraint.pods, domain);
        return pods <= constraint.pods_max;
    }
};

}  // namespace

std::unique_ptr<Predicate> make_pod_topology_spread(const LaneKernels&) {
    return std::make_unique<PodTopologySpread>();
}

}  // namespace bayplan
