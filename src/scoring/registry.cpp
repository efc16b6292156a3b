// One constructor for each row of options/score_rows.h; see registry.h.
#include "scoring/registry.h"

#include <type_traits>

namespace bayplan {

namespace {

// The scores in force that have this interface.
template <typename Interface, typename Weighted>
std::vector<Weighted> scores_in_force(const EngineOptions& options) {
    std::vector<Weighted> scores;
    const auto add = [&](ScoreId id, auto make) {
        if constexpr (std::is_same_v<decltype(make(options)), std::unique_ptr<Interface>>) {
            if (options.weights[id] > 0) {
                scores.push_back({make(options), options.weights[id], id});
            }
        }
    };
#define BAYPLAN_ADD(id, interface, name, weight, heading, parts, text) add(ScoreId::id, make_##id##_score);
    BAYPLAN_SCORE_ROWS(BAYPLAN_ADD)
#undef BAYPLAN_ADD
    return scores;
}

}  // namespace

ScoreSet make_scores(const EngineOptions& options) { return scores_in_force<Score, WeightedScore>(options); }

std::vector<WeightedClusterScore> make_cluster_scores(const EngineOptions& options) {
    return scores_in_force<ClusterScore, WeightedClusterScore>(options);
}

}  // namespace bayplan
