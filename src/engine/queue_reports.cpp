// See queue_reports.h.
#include "engine/queue_reports.h"

#include <algorithm>
#include <optional>

namespace bayplan {

std::vector<QueueReport> queue_reports(queue_tree::QueueTree& tree) {
    std::vector<QueueReport> reports;
    const queue_tree::QueueUsage& usage = tree.usage();
    for (std::uint32_t at = 0; at < tree.queues().end(); ++at) {
        const queue_tree::QueueId id{at};
        const queue_tree::Queue& queue = tree.queues()[id];
        if (queue.exists) {
            reports.push_back({queue.path, queue.leaf, queue.status == queue_tree::QueueStatus::draining,
                               queue.guaranteed, queue.max, usage.allocated(id), usage.pending(id), usage.share(id),
                               queue.applications, usage.running(id),
                               queue.over_max ? std::optional(queue.over_max->since_ns) : std::nullopt});
        }
    }
    std::sort(reports.begin(), reports.end(), [](const auto& a, const auto& b) { return a.path < b.path; });
    return reports;
}

}  // namespace bayplan
