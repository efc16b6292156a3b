// See queue_metrics.h.
#include "answers/queue_metrics.h"

#include <algorithm>
#include <tuple>

#include <fmt/format.h>

namespace bayplan::answers {

namespace {

// As YuniKorn makes a name of a queue's path.
std::string name_of(std::string_view path) {
    std::string name(path);
    for (char& one : name) {
        const bool fits =
            (one >= 'a' && one <= 'z') || (one >= 'A' && one <= 'Z') || (one >= '0' && one <= '9') || one == ':';
        if (!fits) one = '_';
    }
    return name;
}

}  // namespace

bool QueueMetrics::Named::operator<(const Named& other) const { return name < other.name; }

QueueMetrics::QueueMetrics(const std::deque<ShownMetrics>& partitions) : with_partition_(partitions.size() > 1) {
    for (const ShownMetrics& partition : partitions) {
        for (std::size_t row = 0; row < partition.rows().size(); ++row) {
            queues_.push_back({name_of(partition.rows()[row].first), &partition, row});
        }
    }
    std::ranges::stable_sort(queues_, std::less<>());
}

bool QueueMetrics::step(MetricText& text) {
    if (at_ == queues_.size()) return false;
    std::size_t end = at_;
    while (end < queues_.size() && queues_[end].name == queues_[at_].name) ++end;
    const std::string& name = queues_[at_].name;
    const auto each = [&](auto put) {
        for (std::size_t at = at_; at < end; ++at) {
            const ShownMetrics& shown = *queues_[at].partition;
            const std::string_view partition = with_partition_ ? std::string_view(shown.partition()) : "";
            (shown.*put)(text, partition, shown.rows()[queues_[at].row]);
        }
    };
    const bool any_leaf = std::any_of(
        queues_.begin() + static_cast<std::ptrdiff_t>(at_), queues_.begin() + static_cast<std::ptrdiff_t>(end),
        [](const Named& one) { return one.partition->rows()[one.row].second->facts->leaf; });
    if (any_leaf) {
        text.begin(fmt::format("yunikorn_{}_queue_container", name),
                   "Pods of the queue that ever got a node, and those that left it again.", MetricType::counter);
        each(&ShownMetrics::put_containers);
        text.begin(fmt::format("yunikorn_{}_queue_app", name), "Applications of the queue, as yunikorn_queue_app.",
                   MetricType::gauge);
        each(&ShownMetrics::put_applications);
    }
    text.begin(fmt::format("yunikorn_{}_queue_resource", name), "Resources of the queue, as yunikorn_queue_resource.",
               MetricType::gauge);
    each(&ShownMetrics::put_resources);
    at_ = end;
    return true;
}

}  // namespace bayplan::answers
