// See node_order.h.
#include "daemon/node_order.h"

#include <optional>
#include <utility>

#include <fmt/format.h>

#include "config/text_file.h"
#include "queue_config/load.h"
#include "queue_config/node_scores.h"

namespace bayplan::daemon {
namespace {

using config::PartitionConfig;
using queue_config::NodeScores;

// None: it says nothing of nodes, or, with `why`, what cannot be met.
std::optional<NodeScores> scores_of(const std::string& text, const PartitionConfig& partition, std::string& why) {
    queue_config::SchedulerConfig config;
    config::Faults faults;
    if (!queue_config::load_queue_config(text, partition.queues_file, config, faults)) return std::nullopt;
    const queue_config::PartitionConfig* const own = queue_config::own_partition(config, partition.name);
    return own == nullptr ? std::nullopt : queue_config::node_scores(own->node_sort_policy, why);
}

bool is_in_force(const NodeScores& scores, const EngineOptions& engine) {
    return engine.score == scores.score && engine.score_resources == scores.resources;
}

}  // namespace

void read_node_sort_policies(config::Config& config, config::Faults& faults) {
    for (std::size_t at = 0; at < config.partitions.size(); ++at) {
        PartitionConfig& partition = config.partitions[at];
        std::string text;
        config::Faults told_elsewhere;
        if (partition.queues_file.empty() || !config::read_text_file(partition.queues_file, text, told_elsewhere))
            continue;
        std::string why;
        const std::optional<NodeScores> scores = scores_of(text, partition, why);
        const bool stands = scores && is_in_force(*scores, partition.engine);
        const bool given = partition.given.contains("score") || partition.given.contains("score_resources") ||
                           !partition.scheduler_config.empty();
        if (scores && !stands && given) why = "its node sort policy says otherwise than the partition's score";
        if (scores && why.empty()) {
            partition.engine.score = scores->score;
            partition.engine.score_resources = scores->resources;
        }
        if (why.empty()) continue;
        const auto place = partition.given.find("queues_file");
        faults.push_back({config.file, place == partition.given.end() ? config::Position{} : place->second,
                          fmt::format("'partitions[{}].queues_file': {}: {}", at, partition.queues_file, why),
                          "change one of them"});
    }
}

std::string node_order_remark(const std::string& text, const PartitionConfig& partition) {
    std::string why;
    const std::optional<NodeScores> scores = scores_of(text, partition, why);
    if (!why.empty()) return why;
    if (!scores || is_in_force(*scores, partition.engine)) return {};
    return "the node sort policy is another one; nodes are sorted by it once the daemon starts anew";
}

}  // namespace bayplan::daemon
