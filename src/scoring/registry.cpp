// The feature list of scores that a node's own columns decide.

#include "scoring/score.h"

namespace bayplan {

namespace {

std::unique_ptr<Score> make_resources_fit(const EngineOptions& options) {
    switch (options.score) {
        case ScorePolicy::least_allocated: return make_least_allocated();
        case ScorePolicy::most_allocated: return make_most_allocated();
        case ScorePolicy::requested_to_capacity_ratio: break;
    }
    return make_requested_to_capacity_ratio(options.score_shape);
}

}  // namespace

ScoreSet make_scores(const EngineOptions& options) {
    const ScoreWeights& weights = options.weights;
    ScoreSet scores;
    if (weights.resources_fit > 0) {
        scores.push_back({make_resources_fit(options), weights.resources_fit});
    }
    if (weights.balanced_allocation > 0) {
        scores.push_back({make_balanced_allocation(), weights.balanced_allocation});
    }
    return scores;
}

}  // namespace bayplan
