// Makes the scores of options/score_rows.h.
//
// Thread: any.
#pragma once

#include <memory>
#include <vector>

#include "options/engine_options.h"
#include "options/score_rows.h"
#include "scoring/cluster_scores.h"
#include "scoring/score.h"

namespace bayplan {

// make_<id>_score() of each row, which a file of this folder defines.
#define BAYPLAN_MAKE(id, interface, name, weight, heading, parts, text) \
    std::unique_ptr<interface> make_##id##_score(const EngineOptions&);
BAYPLAN_SCORE_ROWS(BAYPLAN_MAKE)
#undef BAYPLAN_MAKE

// The scores with a weight above 0, in the order of the rows: scores that a node's own columns decide, and scores that
// look at the cluster.
ScoreSet make_scores(const EngineOptions&);
std::vector<WeightedClusterScore> make_cluster_scores(const EngineOptions&);

// The forms of NodeResourcesFit. The kernels must live as long as the score.
std::unique_ptr<Score> make_least_allocated(const LaneKernels&);
std::unique_ptr<Score> make_most_allocated(const LaneKernels&);
std::unique_ptr<Score> make_requested_to_capacity_ratio(const std::vector<ScorePoint>& shape);
std::unique_ptr<Score> make_weighted_fit(const EngineOptions&);  // any kinds, any form

}  // namespace bayplan
