// The feature list of scores that look at the whole cluster.

#include "scoring/cluster_scores.h"

namespace bayplan {

std::vector<WeightedClusterScore> make_cluster_scores(const ScoreWeights& weights) {
    std::vector<WeightedClusterScore> scores;
    const auto add = [&](std::unique_ptr<ClusterScore> score, std::int32_t weight) {
        if (weight > 0) {
            scores.push_back({std::move(score), weight});
        }
    };
    add(make_taint_toleration_score(), weights.taint_toleration);
    add(make_node_affinity_score(), weights.node_affinity);
    add(make_topology_spread_score(), weights.pod_topology_spread);
    add(make_inter_pod_affinity_score(), weights.inter_pod_affinity);
    add(make_image_locality_score(), weights.image_locality);
    return scores;
}

}  // namespace bayplan
