// A score: which of the feasible nodes is better? 0 to 100 per plugin, times its weight, summed.
//
// A new score is a new file and a line in registry.cpp.
// Thread: any number of workers at a time; const, no state that changes.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "apps/ask_class.h"
#include "cluster/node_block.h"
#include "engine/engine_options.h"
#include "lanes/lane_kernels.h"

namespace bayplan {

// A score that a node's own columns decide. (Those that look at the whole cluster are in cluster_scores.h.)
class Score {
public:
    virtual ~Score() = default;
    virtual std::string_view name() const = 0;  // of the plugin in Kubernetes
    // False: the plugin is skipped for the class.
    virtual bool concerns(const AskClass&) const { return true; }
    // Adds weight * score of each of `lanes`; other lanes may get anything.
    virtual void add(const AskClass&, const NodeBlock&, std::uint64_t lanes, std::int64_t weight,
                     LaneScores&) const noexcept = 0;
};

struct WeightedScore {
    std::unique_ptr<Score> score;
    std::int64_t weight = 1;
};

using ScoreSet = std::vector<WeightedScore>;

// The kernels must live as long as the score.
std::unique_ptr<Score> make_least_allocated(const LaneKernels&);
std::unique_ptr<Score> make_most_allocated(const LaneKernels&);
std::unique_ptr<Score> make_requested_to_capacity_ratio(const std::vector<ScorePoint>& shape);
std::unique_ptr<Score> make_balanced_allocation(const LaneKernels&);
std::unique_ptr<Score> make_device_packing();

// Those with a weight above 0.
ScoreSet make_scores(const EngineOptions&);

}  // namespace bayplan
