// The feature list of scores.

#include "scoring/score.h"

namespace bayplan {

ScoreSet make_scores(ScorePolicy policy) {
    ScoreSet scores;
    scores.push_back({policy == ScorePolicy::least_allocated ? make_least_allocated() : make_most_allocated(), 1});
    return scores;
}

}  // namespace bayplan
