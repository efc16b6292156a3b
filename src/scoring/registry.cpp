// The feature list of scores that a node's own columns decide.

#include "scoring/score.h"

namespace bayplan {

namespace {

std::unique_ptr<Score> make_resources_fit(const EngineOptions& options, const LaneKernels& kernels) {
    switch (options.score) {
        case ScorePolicy::least_allocated: return make_least_allocated(kernels);
        case ScorePolicy::most_allocated: return make_most_allocated(kernels);
        case ScorePolicy::requested_to_capacity_ratio: break;
    }
    return make_requested_to_capacity_ratio(options.score_shape);
}

}  // namespace

ScoreSet make_scores(const EngineOptions& options) {
    const LaneKernels& kernels = lane_kernels(options.simd);
    const ScoreWeights& weights = options.weights;
    ScoreSet scores;
    if (weights.resources_fit > 0) {
        scores.push_back({make_resources_fit(options, kernels), weights.resources_fit});
    }
    if (weights.balanced_allocation > 0) {
        scores.push_back({make_balanced_allocation(kernels), weights.balanced_allocation});
    }
    if (weights.device_packing > 0) {
        scores.push_back({make_device_packing(), weights.device_packing});
    }
    return scores;
}

}  // namespace bayplan
