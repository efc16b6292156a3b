// NodeResourcesFit as a score: one of three forms, by the setting score. Source: Kubernetes 1.35, scoring strategies of
// NodeResourcesFit.

#include "scoring/registry.h"

namespace bayplan {

std::unique_ptr<Score> make_resources_fit_score(const EngineOptions& options) {
    switch (options.score) {
        case ScorePolicy::least_allocated: return make_least_allocated(lane_kernels(options.simd));
        case ScorePolicy::most_allocated: return make_most_allocated(lane_kernels(options.simd));
        case ScorePolicy::requested_to_capacity_ratio: break;
    }
    return make_requested_to_capacity_ratio(options.score_shape);
}

}  // namespace bayplan
