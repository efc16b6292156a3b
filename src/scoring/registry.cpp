// The feature list of scores that a node's own columns decide.

#include "scoring/score.h"

namespace bayplan {

ScoreSet make_scores(ScorePolicy policy, const ScoreWeights& weights) {
    ScoreSet scores;
    if (weights.resources_fit > 0) {
        scores.push_back({policy == ScorePolicy::least_allocated ? make_least_allocated() : make_most_allocated(),
                          weights.resources_fit});
    }
    if (weights.balanced_allocation > 0) {
        scores.push_back({make_balanced_allocation(), weights.balanced_allocation});
    }
    return scores;
}

}  // namespace bayplan
