// The scores that look beyond a node's own columns: TaintToleration, NodeAffinity, PodTopologySpread,
// InterPodAffinity (normalised over the feasible nodes) and ImageLocality (counts over all nodes).
//
// A new one is a new file and a line in cluster_registry.cpp.
// Thread: the engine's; const.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "engine/engine_options.h"
#include "scoring/place_scores.h"
#include "scoring/raw_scores.h"
#include "topology/topology.h"

namespace bayplan {

class ClusterScore {
public:
    virtual ~ClusterScore() = default;
    virtual std::string_view name() const = 0;  // of the plugin in Kubernetes
    // False: Kubernetes skips the plugin for the pod; it is not even shown.
    virtual bool concerns(const PodSpec&, const SpecPlan&, const Topology&) const = 0;
    // False: every node would get the same score, so it decides nothing.
    virtual bool tells_apart(const PodSpec&, const SpecPlan&, Topology&) const = 0;
    // Raw scores of the feasible nodes.
    virtual void collect(const PodSpec&, const SpecPlan&, Topology&, const NodeMask& feasible, RawScores&) const = 0;
    // 0 to 100, rising or falling with the raw score; given the extremes over the feasible nodes.
    virtual std::int64_t normalise(std::int64_t raw, const RawRange& extremes) const noexcept = 0;

    // --- for searches place by place (place_scores.h)
    // False: the score can only be collected. All of these keys give whole blocks or single nodes a domain.
    virtual bool by_place(const PodSpec&, const SpecPlan&, const Topology&) const { return false; }
    // What tells the nodes of a place apart. A node's numbers change only with its pods and facts.
    virtual void numbers_of_nodes(const SpecPlan&, Topology&, std::vector<NodeNumbers>&) const {}
    // The place's nodes score 0 and take no part in the extremes.
    virtual bool leaves_out(const SpecPlan&, const Topology&, std::uint32_t block) const {
        (void)block;
        return false;
    }
    // Before raw_at(), once per attempt.
    virtual void weigh(const SpecPlan&, const Topology&, FeasiblePlaces, SpreadWeights&) const {}
    // The raw score of a node of the block's place whose numbers come to `own`; rises with `own`.
    virtual std::int64_t raw_at(const SpecPlan&, const Topology&, const SpreadWeights&, std::uint32_t block,
                                std::int64_t own) const {
        (void)block;
        return own;
    }
};

struct WeightedClusterScore {
    std::unique_ptr<ClusterScore> score;
    std::int64_t weight = 1;
};

std::unique_ptr<ClusterScore> make_taint_toleration_score();
std::unique_ptr<ClusterScore> make_node_affinity_score();
std::unique_ptr<ClusterScore> make_topology_spread_score();
std::unique_ptr<ClusterScore> make_inter_pod_affinity_score();
std::unique_ptr<ClusterScore> make_image_locality_score();

// Those with a weight above 0.
std::vector<WeightedClusterScore> make_cluster_scores(const ScoreWeights&);

}  // namespace bayplan
