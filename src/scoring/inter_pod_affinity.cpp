// InterPodAffinity as a score: weight of the preferred terms that the pods in a node's domains meet, the pod's own
// terms and, the other way round, the terms of placed pods. Source: Kubernetes 1.35.

#include <bit>

#include "scoring/normalise.h"
#include "scoring/registry.h"

namespace bayplan {

namespace {

using Preference = SpecPlan::Preference;

void add_block(const ClusterFacts& topology, const Preference& preference, std::uint32_t block, RawScores& raws) {
    const PodCounts& counts = topology.counts();
    const Domain shared = topology.keys().block_domain(preference.key, block);
    if (shared != kMixed && raws.uniform(block)) {
        raws.set_shared(block, raws.shared(block) + preference.weight * counts.pods_in(preference.pods, shared));
        return;
    }
    const Domain* domains = topology.keys().lanes(preference.key, block);
    std::int64_t* values = raws.lanes(block);
    for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
        values[lane] += preference.weight * counts.pods_in(preference.pods, domains[lane]);
    }
}

void add(ClusterFacts& topology, const Preference& preference, const NodeMask& feasible, RawScores& raws) {
    // Where each node is a domain of its own, only those with such pods are touched.
    const NodeMask* occupied = topology.counts().occupied(preference.pods, topology.facts().size());
    for (std::uint32_t block = 0; block < feasible.size(); ++block) {
        if (feasible[block] == 0) {
            continue;
        }
        if (occupied == nullptr) {
            add_block(topology, preference, block, raws);
            continue;
        }
        std::uint64_t left = (*occupied)[block] & feasible[block];
        if (left == 0) {
            continue;
        }
        const Domain* domains = topology.keys().lanes(preference.key, block);
        std::int64_t* values = raws.lanes(block);
        for (; left != 0; left &= left - 1) {
            const auto lane = static_cast<std::uint32_t>(std::countr_zero(left));
            values[lane] += preference.weight * topology.counts().pods_in(preference.pods, domains[lane]);
        }
    }
}

class InterPodAffinityScore final : public ClusterScore {
public:
    bool concerns(const Subject& subject) const override {
        const SpecPlan& plan = subject.plan;
        const auto any = [&](const std::vector<Preference>& all) {
            return std::any_of(all.begin(), all.end(), [&](const Preference& preference) {
                return subject.cluster.topology.counts().total(preference.pods) > 0;
            });
        };
        return any(plan.own_preferences) || any(plan.others_preferences);
    }

    bool distinguishes_nodes(const Subject& subject) const override { return concerns(subject); }

    void collect(const Subject& subject, const NodeMask& feasible, RawScores& raws) const override {
        ClusterFacts& topology = subject.cluster.topology;
        const SpecPlan& plan = subject.plan;
        for (const auto* all : {&plan.own_preferences, &plan.others_preferences}) {
            for (const Preference& preference : *all) {
                if (topology.counts().total(preference.pods) > 0) {
                    add(topology, preference, feasible, raws);
                }
            }
        }
    }

    std::int64_t normalise(std::int64_t raw, const RawRange& extremes) const noexcept override {
        return normalised_between(raw, extremes.min, extremes.max);
    }

    bool by_site(const Subject&) const override { return true; }
    void numbers_of_nodes(const Subject& subject, std::vector<NodeNumbers>& all) const override {
        ClusterFacts& topology = subject.cluster.topology;
        const SpecPlan& plan = subject.plan;
        const std::size_t slots = topology.facts().size();
        for (const auto* preferences : {&plan.own_preferences, &plan.others_preferences}) {
            for (const Preference& preference : *preferences) {
                // Where there are no such pods at all, each node's number is 0.
                if (!topology.keys().by_site(preference.key) && topology.counts().total(preference.pods) > 0) {
                    all.push_back({topology.counts().by_slot(preference.pods, slots), slots, preference.weight});
                }
            }
        }
    }
    std::int64_t raw_at(const Subject& subject, const SpreadWeights&, Slot slot, std::int64_t own) const override {
        const ClusterFacts& topology = subject.cluster.topology;
        const SpecPlan& plan = subject.plan;
        const TopologyKeys& keys = topology.keys();
        std::int64_t sum = own;
        for (const auto* preferences : {&plan.own_preferences, &plan.others_preferences}) {
            for (const Preference& preference : *preferences) {
                if (keys.by_site(preference.key)) {
                    const Domain domain = keys.site_domain(preference.key, slot);
                    sum += preference.weight * topology.counts().pods_in(preference.pods, domain);
                }
            }
        }
        return sum;
    }
};

}  // namespace

std::unique_ptr<ClusterScore> make_inter_pod_affinity_score(const EngineOptions&) {
    return std::make_unique<InterPodAffinityScore>();
}

}  // namespace bayplan
