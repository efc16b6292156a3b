// See shown_metrics.h.
#include "answers/shown_metrics.h"

#include "queue_config/characters.h"

namespace bayplan::answers {

namespace {

std::uint64_t count_of(const ShownMetrics::Counts& counts, std::string_view state) {
    const auto found = counts.find(state);
    return found == counts.end() ? 0 : found->second;
}

}  // namespace

ShownMetrics::ShownMetrics(VersionPtr from, const Place& place)
    : version_(std::move(from)), partition_(place.partition), queues_(*version_) {
    version_->applications.for_each([&](std::uint32_t, const read_model::Application& application) {
        const std::string state = queue_config::lower_case(std::string(state_of(application)));
        // Complete ones are counted once and for all.
        if (state.empty() || is_complete(application)) return;
        ++by_state_[state];
        ++by_queue_[std::string(queue_of(*application.facts))][state];
    });
    version_->tallies.for_each([&](std::uint32_t, const read_model::QueueTally& tally) {
        const std::string_view queue = tally.queue->empty() ? kOneLeaf : std::string_view(*tally.queue);
        tallies_[queue] = tally;
        by_queue_[std::string(queue)]["completed"] = tally.completed;
    });
    by_state_["completed"] = version_->partition_tally.completed;
    queues_.for_each([&](std::string_view path, const QueueNode& queue) { rows_.emplace_back(path, &queue); });
}

std::uint64_t ShownMetrics::in_state(std::string_view state) const { return count_of(by_state_, state); }

std::uint64_t ShownMetrics::in_state(std::string_view queue, std::string_view state) const {
    const auto found = by_queue_.find(queue);
    return found == by_queue_.end() ? 0 : count_of(found->second, state);
}

const read_model::QueueTally& ShownMetrics::tally(std::string_view queue) const {
    static const read_model::QueueTally kNothing;
    const auto found = tallies_.find(queue);
    return found == tallies_.end() ? kNothing : found->second;
}

void ShownMetrics::put_applications(MetricText& text, std::string_view partition, const Row& row) const {
    if (!row.second->facts->leaf) return;
    for (const std::string_view state : kQueueStates) {
        text.sample({{"partition", partition}, {"queue", row.first}, {"state", state}}, in_state(row.first, state));
    }
}

void ShownMetrics::put_resources(MetricText& text, std::string_view partition, const Row& row) const {
    const auto& [path, queue] = row;
    const auto put = [&, path = path](std::string_view state, const Resources& amounts) {
        for (const auto& [resource, value] : amounts) {
            text.sample({{"partition", partition}, {"queue", path}, {"resource", resource}, {"state", state}}, value);
        }
    };
    put("allocated", queue->allocated);
    put("guaranteed", queue->facts->guaranteed);
    put("max", queue->max);
    put("pending", queue->pending);
    put("preempting", queue->preempting);
    text.sample({{"partition", partition}, {"queue", path}, {"resource", "apps"}, {"state", "maxRunningApps"}},
                queue->facts->max_applications);
}

void ShownMetrics::put_containers(MetricText& text, std::string_view partition, const Row& row) const {
    if (!row.second->facts->leaf) return;
    const read_model::QueueTally& counts = tally(row.first);
    text.sample({{"partition", partition}, {"queue", row.first}, {"state", "allocated"}}, counts.placed);
    text.sample({{"partition", partition}, {"queue", row.first}, {"state", "released"}},
                counts.placed - counts.on_nodes);
}

}  // namespace bayplan::answers
