// A score: which of the feasible nodes is better? 0 to 100 per plugin, times its weight, summed.
// A score's row (options/score_rows.h) has its name and weight.
// Thread: any number of workers at a time; const, no state that changes.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "apps/ask_class.h"
#include "cluster/node_block.h"
#include "lanes/lane_kernels.h"
#include "options/score_rows.h"

namespace bayplan {

// A score that a node's own columns decide. (Scores that look at the whole cluster are in cluster_scores.h.)
class Score {
public:
    virtual ~Score() = default;
    // False: the plugin is skipped for the class.
    virtual bool concerns(const AskClass&) const { return true; }
    // False: the bounds of whole blocks (placement/block_bound.h) do not know this form of it.
    virtual bool is_bounded() const { return true; }
    // Adds weight * score of each of `lanes`; other lanes may get anything.
    virtual void add(const AskClass&, const NodeBlock&, std::uint64_t lanes, std::int64_t weight,
                     LaneScores&) const noexcept = 0;
};

struct WeightedScore {
    std::unique_ptr<Score> score;
    std::int64_t weight = 1;
    ScoreId id;
};

using ScoreSet = std::vector<WeightedScore>;

}  // namespace bayplan
