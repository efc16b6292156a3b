// NodeResourcesFit as a score: one of three forms, by the setting score; of cpu and memory alike, or of the kinds of the
// setting score_resources. Source: Kubernetes 1.35, scoring strategies of
// NodeResourcesFit.

#include <algorithm>

#include "scoring/registry.h"

namespace bayplan {

namespace {

// Cpu and memory count alike: the forms that know how to do many nodes at a time.
bool is_plain(const std::vector<ScoredResource>& scored) {
    const auto has = [&](std::string_view name) {
        return std::ranges::count(scored, name, &ScoredResource::name) == 1;
    };
    return scored.size() == 2 && has("cpu") && has("memory") && scored[0].weight == scored[1].weight;
}

}  // namespace

std::unique_ptr<Score> make_resources_fit_score(const EngineOptions& options) {
    if (!is_plain(options.score_resources)) {
        return make_weighted_fit(options);
    }
    switch (options.score) {
        case ScorePolicy::least_allocated: return make_least_allocated(lane_kernels(options.simd));
        case ScorePolicy::most_allocated: return make_most_allocated(lane_kernels(options.simd));
        case ScorePolicy::requested_to_capacity_ratio: break;
    }
    return make_requested_to_capacity_ratio(options.score_shape);
}

}  // namespace bayplan
