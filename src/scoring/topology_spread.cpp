// PodTopologySpread as a score: fewer pods of the selector in the node's domains, each key weighted by the
// logarithm of how many domains there are. Source: Kubernetes 1.35, the pod's own ScheduleAnyway
// constraints or the system's default ones.

#include <algorithm>
#include <bit>
#include <vector>

#include "base/check.h"
#include "scoring/normalise.h"
#include "scoring/registry.h"

namespace bayplan {

namespace {

using Soft = SpecPlan::SoftSpread;

// Lanes whose node has the key's label.
std::uint64_t labelled(const TopologyKeys& keys, KeyId key, std::uint32_t block, std::uint64_t lanes) {
    const Domain shared = keys.block_domain(key, block);
    if (shared != kMixed) {
        return shared == kNoDomain ? 0 : lanes;
    }
    const Domain* domains = keys.lanes(key, block);
    std::uint64_t found = 0;
    for (std::uint64_t left = lanes; left != 0; left &= left - 1) {
        const auto lane = static_cast<std::uint32_t>(std::countr_zero(left));
        found |= std::uint64_t{domains[lane] != kNoDomain} << lane;
    }
    return found;
}

// In how many domains the feasible nodes lie that are not left out.
std::int64_t domains_among(const TopologyKeys& keys, KeyId key, const NodeMask& feasible, const RawScores& raws) {
    std::vector<bool> seen(keys.domain_bound(key));
    std::int64_t count = 0;
    const auto see = [&](Domain domain) {
        count += seen[domain] ? 0 : 1;
        seen[domain] = true;
    };
    for (std::uint32_t block = 0; block < feasible.size(); ++block) {
        const std::uint64_t nodes = feasible[block] & ~raws.excluded(block);
        if (nodes == 0) {
            continue;
        }
        const Domain shared = keys.block_domain(key, block);
        if (shared != kMixed) {
            see(shared);
            continue;
        }
        const Domain* domains = keys.lanes(key, block);
        for (std::uint64_t left = nodes; left != 0; left &= left - 1) {
            see(domains[std::countr_zero(left)]);
        }
    }
    return count;
}

// Whether nodes of a site differ in what they count.
bool by_node(const Soft& constraint, const TopologyKeys& keys) {
    return constraint.hostname || !keys.by_site(constraint.key);
}

bool each_node(const Soft& constraint, const TopologyKeys& keys) {
    return constraint.hostname || keys.one_node_each(constraint.domains);
}

// Both count the same pods of every node: a zone that is a node, say, and its hostname.
bool alike(const Soft& one, const Soft& other, const ClusterFacts& topology) {
    return each_node(one, topology.keys()) && each_node(other, topology.keys()) &&
           (one.pods == other.pods || (one.pods != kNone<CounterId> && other.pods != kNone<CounterId> &&
                                       topology.counts().count_the_same(one.pods, other.pods)));
}

// Where nodes without the key's label lie, of which there are some, and blocks of them alone.
Domain domain_without_label(const Soft& constraint, const ClusterFacts& topology) {
    const TopologyKeys& keys = topology.keys();
    const auto blocks = static_cast<std::uint32_t>(topology.facts().size() / kLanes);
    for (std::uint32_t block = 0; block < blocks; ++block) {
        const Domain domain = keys.block_domain(constraint.domains, block);
        if (domain != kNoDomain && keys.block_domain(constraint.key, block) == kNoDomain) {
            return domain;
        }
    }
    BP_CHECK(false);
    return kNoDomain;
}

class TopologySpreadScore final : public ClusterScore {
public:
    bool concerns(const Subject& subject) const override { return !subject.plan.soft_spread.empty(); }
    bool distinguishes_nodes(const Subject& subject) const override { return concerns(subject); }

    void collect(const Subject& subject, const NodeMask& feasible, RawScores& raws) const override {
        ClusterFacts& topology = subject.cluster.topology;
        const SpecPlan& plan = subject.plan;
        if (plan.soft_needs_all_keys) {
            exclude_unlabelled(plan, topology.keys(), feasible, raws);
        }
        std::vector<double> weights;
        for (const Soft& constraint : plan.soft_spread) {
            weights.push_back(weight_of(constraint, topology.keys(), feasible, raws));
        }
        for (std::uint32_t block = 0; block < feasible.size(); ++block) {
            if (feasible[block] != 0) {
                collect_block(plan, topology, weights, block, feasible[block], raws);
            }
        }
    }

    std::int64_t normalise(std::int64_t raw, const RawRange& extremes) const noexcept override {
        return extremes.any() ? normalised_spread(raw, extremes.min, extremes.max) : 0;
    }

    // A node without a label that others have apart is not like one without pods.
    bool by_site(const Subject& subject) const override {
        const ClusterFacts& topology = subject.cluster.topology;
        const SpecPlan& plan = subject.plan;
        const TopologyKeys& keys = topology.keys();
        const Soft* apart = nullptr;
        for (const Soft& constraint : plan.soft_spread) {
            if (!keys.whole_blocks(constraint.key) && keys.nodes(constraint.key) != topology.node_count()) {
                return false;
            }
            if (!by_node(constraint, keys)) {
                continue;
            }
            const bool counted = constraint.hostname || keys.by_node(constraint.domains);
            if (!counted || (apart != nullptr && !alike(*apart, constraint, topology))) {
                return false;
            }
            apart = &constraint;
        }
        return plan.soft_spread.size() <= kSoftConstraintsMax;
    }
    void numbers_of_nodes(const Subject& subject, std::vector<NodeNumbers>& all) const override {
        ClusterFacts& topology = subject.cluster.topology;
        const std::size_t slots = topology.facts().size();
        for (const Soft& constraint : subject.plan.soft_spread) {
            if (by_node(constraint, topology.keys()) && constraint.pods != kNone<CounterId>) {
                all.push_back({topology.counts().by_slot(constraint.pods, slots), slots, 1});
                return;  // others are alike
            }
        }
    }
    KeyId counted_key(const Subject& subject) const override {
        const TopologyKeys& keys = subject.cluster.topology.keys();
        for (const Soft& constraint : subject.plan.soft_spread) {
            if (by_node(constraint, keys) && !each_node(constraint, keys)) {
                return constraint.domains;
            }
        }
        return kNone<KeyId>;
    }
    bool leaves_out(const Subject& subject, Slot slot) const override {
        const ClusterFacts& topology = subject.cluster.topology;
        const SpecPlan& plan = subject.plan;
        return plan.soft_needs_all_keys &&
               std::any_of(plan.soft_spread.begin(), plan.soft_spread.end(), [&](const Soft& constraint) {
                   return topology.keys().whole_blocks(constraint.key) &&
                          topology.keys().block_domain(constraint.key, block_of(slot)) == kNoDomain;
               });
    }
    void weigh(const Subject& subject, FeasibleSites sites, SpreadWeights& weights) const override {
        const std::vector<Soft>& constraints = subject.plan.soft_spread;
        for (std::size_t index = 0; index < constraints.size(); ++index) {
            weights.of[index] = spread_weight(domains_of(subject, constraints[index], sites, weights));
        }
    }
    std::int64_t raw_at(const Subject& subject, const SpreadWeights& weights, Slot slot,
                        std::int64_t own) const override {
        const ClusterFacts& topology = subject.cluster.topology;
        const SpecPlan& plan = subject.plan;
        const TopologyKeys& keys = topology.keys();
        double sum = 0;
        for (std::size_t index = 0; index < plan.soft_spread.size(); ++index) {
            const Soft& constraint = plan.soft_spread[index];
            if (keys.whole_blocks(constraint.key) && keys.block_domain(constraint.key, block_of(slot)) == kNoDomain) {
                continue;
            }
            const std::int64_t pods = by_node(constraint, keys)
                                          ? own
                                          : pods_in(topology, constraint, keys.site_domain(constraint.domains, slot));
            sum += spread_share(pods, weights.of[index], constraint.max_skew);
        }
        return spread_raw(sum);
    }

private:
    // How many domains of the constraint the feasible nodes lie in that are not left out.
    std::int64_t domains_of(const Subject& subject, const Soft& constraint, FeasibleSites sites,
                            SpreadWeights& weights) const {
        const ClusterFacts& topology = subject.cluster.topology;
        const TopologyKeys& keys = topology.keys();
        const bool apart = by_node(constraint, keys);
        if (apart && !each_node(constraint, keys)) {
            return weights.counted;
        }
        std::vector<bool>& seen = weights.seen;
        seen.assign(apart ? 0 : keys.domain_bound(constraint.domains), false);
        std::int64_t count = 0;
        for (const FeasibleSite& site : sites) {
            if (leaves_out(subject, site.slot)) {
                continue;
            }
            if (apart) {
                count += static_cast<std::int64_t>(site.nodes);
                continue;
            }
            // The block that stands for nodes without the label may be one without nodes, which lies nowhere.
            const bool unlabelled = keys.site_domain(constraint.key, site.slot) == kNoDomain;
            const Domain domain = unlabelled ? domain_without_label(constraint, topology)
                                             : keys.site_domain(constraint.domains, site.slot);
            count += seen[domain] ? 0 : 1;
            seen[domain] = true;
        }
        return count;
    }

    static void exclude_unlabelled(const SpecPlan& plan, const TopologyKeys& keys, const NodeMask& feasible,
                                   RawScores& raws) {
        for (std::uint32_t block = 0; block < feasible.size(); ++block) {
            for (const Soft& constraint : plan.soft_spread) {
                raws.exclude(block, feasible[block] & ~labelled(keys, constraint.key, block, feasible[block]));
            }
        }
    }

    static double weight_of(const Soft& constraint, const TopologyKeys& keys, const NodeMask& feasible,
                            const RawScores& raws) {
        if (!constraint.hostname) {
            return spread_weight(domains_among(keys, constraint.domains, feasible, raws));
        }
        std::int64_t nodes = 0;
        for (std::uint32_t block = 0; block < feasible.size(); ++block) {
            nodes += std::popcount(feasible[block] & ~raws.excluded(block));
        }
        return spread_weight(nodes);
    }

    static std::int64_t pods_in(const ClusterFacts& topology, const Soft& constraint, Domain domain) {
        return constraint.pods == kNone<CounterId> ? 0 : topology.counts().pods_in(constraint.pods, domain);
    }
    static std::int64_t pods_with(const ClusterFacts& topology, const Soft& constraint, Slot slot) {
        const Domain domain =
            constraint.hostname ? Domain{raw(slot)} : topology.keys().domain(constraint.domains, slot);
        return pods_in(topology, constraint, domain);
    }

    static void collect_block(const SpecPlan& plan, const ClusterFacts& topology, const std::vector<double>& weights,
                              std::uint32_t block, std::uint64_t lanes, RawScores& raws) {
        const TopologyKeys& keys = topology.keys();
        // Kubernetes adds in the order of the constraints, in doubles: so do we, lane by lane.
        const auto raw_of = [&](std::uint32_t lane) {
            double sum = 0;
            for (std::size_t index = 0; index < weights.size(); ++index) {
                const Soft& constraint = plan.soft_spread[index];
                if (keys.lanes(constraint.key, block)[lane] != kNoDomain) {
                    const std::int64_t pods = pods_with(topology, constraint, slot_at(block, lane));
                    sum += spread_share(pods, weights[index], constraint.max_skew);
                }
            }
            return spread_raw(sum);
        };
        const bool uniform = std::ranges::none_of(plan.soft_spread, [&](const Soft& constraint) {
            return constraint.hostname || keys.block_domain(constraint.key, block) == kMixed;
        });
        if (uniform) {
            raws.set_shared(block, raw_of(static_cast<std::uint32_t>(std::countr_zero(lanes))));
            return;
        }
        std::int64_t* values = raws.lanes(block);
        for (std::uint64_t left = lanes; left != 0; left &= left - 1) {
            const auto lane = static_cast<std::uint32_t>(std::countr_zero(left));
            values[lane] = raw_of(lane);
        }
    }
};

}  // namespace

std::unique_ptr<ClusterScore> make_pod_topology_spread_score(const EngineOptions&) {
    return std::make_unique<TopologySpreadScore>();
}

}  // namespace bayplan
