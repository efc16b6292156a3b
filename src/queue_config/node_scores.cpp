// See node_scores.h.
#include "queue_config/node_scores.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "queue_config/load.h"

namespace bayplan::queue_config {
namespace {

constexpr double kWeightMax = 100;

// Weights in the same proportion; false: there are none.
bool scale(const NodeSortPolicyConfig& policy, int factor, std::vector<ScoredResource>& scaled) {
    scaled.clear();
    for (const auto& [name, weight] : policy.resource_weights) {
        const double whole = std::round(weight * factor);
        if (weight == 0) continue;
        if (std::abs(weight * factor - whole) > 1e-9 * whole || whole < 1 || whole > kWeightMax) return false;
        scaled.push_back({name == "vcore" ? "cpu" : name, static_cast<std::int32_t>(whole)});
    }
    return true;
}

}  // namespace

std::optional<NodeScores> node_scores(const NodeSortPolicyConfig& policy, std::string& why) {
    if (policy.type.text.empty() && policy.resource_weights.empty()) return std::nullopt;
    NodeScores scores;
    scores.score = policy.type.text == "binpacking" ? ScorePolicy::most_allocated : ScorePolicy::least_allocated;
    int factor = 1;
    while (factor <= 100 && !scale(policy, factor, scores.resources)) ++factor;
    if (factor > 100) {
        why = "weights of the node sort policy are not in the proportion of whole numbers from 1 to 100";
        return std::nullopt;
    }
    if (scores.resources.size() > kScoredResourcesMax) {
        why = fmt::format("the node sort policy has weights of more than {} kinds", kScoredResourcesMax);
        return std::nullopt;
    }
    if (scores.resources.empty()) scores.resources = {{"cpu", 1}, {"memory", 1}};
    return scores;
}

std::optional<NodeScores> node_scores(const std::string& text, std::string_view partition, std::string& why) {
    SchedulerConfig config;
    config::Faults told_elsewhere;
    if (!load_queue_config(text, "queues", config, told_elsewhere)) return std::nullopt;
    const PartitionConfig* const own = own_partition(config, partition);
    return own == nullptr ? std::nullopt : node_scores(own->node_sort_policy, why);
}

}  // namespace bayplan::queue_config
