// The weighted mean of what is used of a node, resource by resource.
//
// Thread: any.
#include "queue_tree/node_sort_policy.h"

namespace bayplan::queue_tree {

double node_score(const queue_config::NodeSortPolicyConfig& policy, const queue_config::Resources& capacity,
                  const queue_config::Resources& available) {
    static const std::map<std::string, double, std::less<>> kOtherwise = {{"memory", 1.0}, {"vcore", 1.0}};
    double sum = 0;
    double weights = 0;
    for (const auto& [name, weight] : policy.resource_weights.empty() ? kOtherwise : policy.resource_weights) {
        const auto has = capacity.find(name);
        if (weight == 0 || has == capacity.end() || has->second <= 0) continue;
        const auto free = available.find(name);
        const double left = free == available.end() ? 0.0 : static_cast<double>(free->second);
        sum += weight * (1.0 - left / static_cast<double>(has->second));
        weights += weight;
    }
    const double used = weights == 0 ? 0.0 : sum / weights;
    return policy.type.text == "binpacking" ? 1.0 - used : used;
}

}  // namespace bayplan::queue_tree
