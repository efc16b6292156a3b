// See node_order.h.
#include "daemon/node_order.h"

#include <optional>
#include <utility>

#include <fmt/format.h>

#include "config/text_file.h"
#include "queue_config/node_scores.h"

namespace bayplan::daemon {

using config::PartitionConfig;
using queue_config::NodeScores;

void read_node_sort_policies(config::Config& config, config::Faults& faults) {
    for (std::size_t at = 0; at < config.partitions.size(); ++at) {
        PartitionConfig& partition = config.partitions[at];
        std::string text;
        config::Faults told_elsewhere;
        if (partition.queues_file.empty() || !config::read_text_file(partition.queues_file, text, told_elsewhere))
            continue;
        std::string why;
        const std::optional<NodeScores> scores = queue_config::node_scores(text, partition.name, why);
        const bool stands = scores && scores->in_force(partition.engine);
        const bool given = partition.given.contains("score") || partition.given.contains("score_resources") ||
                           !partition.scheduler_config.empty();
        if (scores && !stands && given) why = "its node sort policy says otherwise than the partition's score";
        if (scores && why.empty()) scores->apply(partition.engine);
        if (why.empty()) continue;
        const auto place = partition.given.find("queues_file");
        faults.push_back({config.file, place == partition.given.end() ? config::Position{} : place->second,
                          fmt::format("'partitions[{}].queues_file': {}: {}", at, partition.queues_file, why),
                          "change one of them"});
    }
}

std::string node_order_remark(const std::string& text, const PartitionConfig& partition) {
    std::string why;
    const std::optional<NodeScores> scores = queue_config::node_scores(text, partition.name, why);
    if (!why.empty()) return why;
    if (!scores || scores->in_force(partition.engine)) return {};
    return "the node sort policy is another one; nodes are sorted by it once the daemon starts anew";
}

}  // namespace bayplan::daemon
