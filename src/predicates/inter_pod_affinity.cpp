// InterPodAffinity: near pods it must be near, away from pods it must be away from, and away from pods that
// want it away. Source: Kubernetes 1.35, InterPodAffinity filter.

#include <algorithm>
#include <bit>

#include "predicates/obstacle_texts.h"
#include "predicates/registry.h"

namespace bayplan {

namespace {

using Peers = SpecPlan::Peers;

std::int64_t pods_at(const Subject& subject, const Peers& peers, Domain domain) {
    return domain == kNoDomain ? 0 : subject.cluster.topology.counts().pods_in(peers.pods, domain);
}

// Lanes whose node lies in a domain with pods of the peers.
std::uint64_t lanes_with(const Subject& subject, const Peers& peers, std::uint32_t block, std::uint64_t lanes) {
    ClusterFacts& topology = subject.cluster.topology;
    if (topology.counts().total(peers.pods) == 0) {
        return 0;
    }
    const Domain shared = topology.keys().block_domain(peers.key, block);
    if (shared != kMixed) {
        return pods_at(subject, peers, shared) > 0 ? lanes : 0;
    }
    if (const NodeMask* occupied = topology.counts().occupied(peers.pods, topology.facts().size())) {
        return lanes & (*occupied)[block];
    }
    std::uint64_t found = 0;
    if (const std::int32_t* pods = topology.counts().by_slot(peers.pods, topology.facts().size())) {
        pods += std::size_t{block} * kLanes;
        for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
            found |= std::uint64_t{pods[lane] > 0} << lane;
        }
        return found & lanes;
    }
    const Domain* domains = topology.keys().lanes(peers.key, block);
    for (std::uint64_t left = lanes; left != 0; left &= left - 1) {
        const auto lane = static_cast<std::uint32_t>(std::countr_zero(left));
        found |= std::uint64_t{pods_at(subject, peers, domains[lane]) > 0} << lane;
    }
    return found;
}

std::uint64_t lanes_labelled(const Subject& subject, const Peers& peers, std::uint32_t block, std::uint64_t lanes) {
    const TopologyKeys& keys = subject.cluster.topology.keys();
    const Domain shared = keys.block_domain(peers.key, block);
    if (shared != kMixed) {
        return shared == kNoDomain ? 0 : lanes;
    }
    const Domain* domains = keys.lanes(peers.key, block);
    std::uint64_t found = 0;
    for (std::uint64_t left = lanes; left != 0; left &= left - 1) {
        const auto lane = static_cast<std::uint32_t>(std::countr_zero(left));
        found |= std::uint64_t{domains[lane] != kNoDomain} << lane;
    }
    return found;
}

// No pod anywhere counts for any of the terms, and the pod matches them itself: it founds the group.
bool founds_group(const Subject& subject) {
    const PodCounts& counts = subject.cluster.topology.counts();
    return subject.plan.matches_own_affinity &&
           std::all_of(subject.plan.affinity.begin(), subject.plan.affinity.end(),
                       [&](const Peers& peers) { return counts.total(peers.pods) == 0; });
}

class InterPodAffinity final : public Predicate {
public:
    bool filters_by_columns() const override { return false; }
    bool refuses_pods() const override { return false; }
    bool depends_on_pods(const Subject& subject) const override {
        const SpecPlan& plan = subject.plan;
        return !plan.affinity.empty() || !plan.anti_affinity.empty() || !plan.repelled_by.empty();
    }

    std::uint64_t filter_cluster(const Subject& subject, std::uint32_t block, std::uint64_t lanes) const override {
        return filter_by(subject, block, lanes, [](const Peers&) { return true; });
    }

    bool splits_sites(const Subject&) const override { return true; }
    bool may_admit(const Subject& subject, Slot slot) const override {
        const TopologyKeys& keys = subject.cluster.topology.keys();
        const std::uint64_t lane = std::uint64_t{1} << lane_of(slot);
        return filter_by(subject, block_of(slot), lane, [&](const Peers& peers) { return keys.by_site(peers.key); }) !=
               0;
    }
    std::uint64_t filter_nodes(const Subject& subject, std::uint32_t block, std::uint64_t lanes) const override {
        const TopologyKeys& keys = subject.cluster.topology.keys();
        return filter_by(subject, block, lanes, [&](const Peers& peers) { return !keys.by_site(peers.key); });
    }
    void shared_numbers(const Subject& subject, std::vector<std::int64_t>& numbers) const override {
        const TopologyKeys& keys = subject.cluster.topology.keys();
        const auto& terms = subject.plan.affinity;
        if (std::any_of(terms.begin(), terms.end(), [&](const Peers& peers) { return !keys.by_site(peers.key); })) {
            numbers.push_back(founds_group(subject) ? 1 : 0);
        }
    }

    Refusal explain(const Subject& subject, const NodeView& node) const override {
        const TopologyKeys& keys = subject.cluster.topology.keys();
        const auto any_at = [&](const std::vector<Peers>& all) {
            return std::any_of(all.begin(), all.end(), [&](const Peers& peers) {
                return pods_at(subject, peers, keys.domain(peers.key, node.slot)) > 0;
            });
        };
        const bool founds = founds_group(subject);
        for (const Peers& peers : subject.plan.affinity) {
            const Domain domain = keys.domain(peers.key, node.slot);
            if (domain == kNoDomain || (!founds && pods_at(subject, peers, domain) == 0)) {
                return {Verdict::unresolvable, {"node(s) didn't match pod affinity rules"}};
            }
        }
        if (any_at(subject.plan.anti_affinity)) {
            return {Verdict::unschedulable, {std::string(kUnwantedPods)}};
        }
        if (any_at(subject.plan.repelled_by)) {
            return {Verdict::unschedulable, {std::string(kUnwantedByPods)}};
        }
        return {};
    }

    bool skips_attempt(const Subject& subject) const override {
        const SpecPlan& plan = subject.plan;
        return plan.affinity.empty() && plan.anti_affinity.empty() &&
               std::none_of(plan.repelled_by.begin(), plan.repelled_by.end(), [&](const Peers& peers) {
                   return subject.cluster.topology.counts().total(peers.pods) > 0;
               });
    }

private:
    // Filters by the terms for which `counts` is true.
    template <typename Counts>
    static std::uint64_t filter_by(const Subject& subject, std::uint32_t block, std::uint64_t lanes, Counts&& counts) {
        const bool founds = !subject.plan.affinity.empty() && founds_group(subject);
        for (const Peers& peers : subject.plan.affinity) {
            if (counts(peers)) {
                lanes =
                    founds ? lanes_labelled(subject, peers, block, lanes) : lanes_with(subject, peers, block, lanes);
            }
        }
        for (const Peers& peers : subject.plan.anti_affinity) {
            lanes &= counts(peers) ? ~lanes_with(subject, peers, block, lanes) : lanes;
        }
        for (const Peers& peers : subject.plan.repelled_by) {
            lanes &= counts(peers) ? ~lanes_with(subject, peers, block, lanes) : lanes;
        }
        return lanes;
    }
};

}  // namespace

std::unique_ptr<Predicate> make_inter_pod_affinity(const LaneKernels&) { return std::make_unique<InterPodAffinity>(); }

}  // namespace bayplan
