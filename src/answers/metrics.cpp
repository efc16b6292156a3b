// The state of partitions as Prometheus reads it, with YuniKorn's names. See answers.h.

#include <array>
#include <deque>
#include <map>
#include <optional>

#include <fmt/format.h>

#include "answers/answers.h"
#include "answers/node_use.h"
#include "answers/pieces.h"
#include "answers/queue_metrics.h"
#include "answers/shown_metrics.h"

namespace bayplan::answers {

namespace {

// In turn: families with a row for each partition or queue, how nodes are used, families of a queue each.
class MetricsAnswer final : public Answer {
public:
    explicit MetricsAnswer(const std::vector<std::pair<VersionPtr, Place>>& partitions) {
        for (const auto& [version, place] : partitions) shown_.emplace_back(version, place);
        by_queue_.emplace(shown_);
    }

    std::string next() override {
        while (text_.size() < kPieceBytes && step()) {
        }
        return text_.take();
    }

private:
    struct Family {
        std::string_view name;
        std::string_view help;
        MetricType type;
        bool by_queue;  // a row for each queue; else one row for each partition
        void (MetricsAnswer::*put)(const ShownMetrics&, std::size_t row);
    };
    static const std::array<Family, 7> kFamilies;

    // False: there is nothing more.
    bool step() {
        if (family_ < kFamilies.size()) {
            step_family();
            return true;
        }
        if (!nodes_told_) {
            put_node_use();
            nodes_told_ = true;
            return true;
        }
        return by_queue_->step(text_);
    }

    // One row of one family.
    void step_family() {
        const Family& family = kFamilies[family_];
        if (partition_ == 0 && row_ == 0 && !has_head_) {
            text_.begin(family.name, family.help, family.type);
            has_head_ = true;
        }
        if (partition_ == shown_.size()) {
            ++family_;
            partition_ = row_ = 0;
            has_head_ = false;
            return;
        }
        const ShownMetrics& shown = shown_[partition_];
        if (row_ < (family.by_queue ? shown.rows().size() : 1)) {
            (this->*family.put)(shown, row_++);
        } else {
            ++partition_;
            row_ = 0;
        }
    }

    // Of several partitions each row says which.
    std::string_view label(const ShownMetrics& shown) const {
        return shown_.size() > 1 ? std::string_view(shown.partition()) : std::string_view();
    }

    void put_queue_applications(const ShownMetrics& shown, std::size_t row) {
        shown.put_applications(text_, label(shown), shown.rows()[row]);
    }

    // Applications that end otherwise have no queue.
    void put_queue_ends(const ShownMetrics& shown, std::size_t row) {
        const auto& [path, queue] = shown.rows()[row];
        if (!queue->facts->leaf) return;
        text_.sample({{"partition", label(shown)}, {"queue", path}, {"state", "completed"}},
                     shown.tally(path).completed);
    }

    void put_queue_resources(const ShownMetrics& shown, std::size_t row) {
        shown.put_resources(text_, label(shown), shown.rows()[row]);
    }

    void put_applications(const ShownMetrics& shown, std::size_t) {
        for (const std::string_view state : kApplicationStates) {
            text_.sample({{"partition", label(shown)}, {"state", state}}, shown.in_state(state));
        }
    }

    void put_submissions(const ShownMetrics& shown, std::size_t) {
        const read_model::PartitionTally& tally = shown.version().partition_tally;
        text_.sample({{"partition", label(shown)}, {"result", "new"}}, tally.came);
        text_.sample({{"partition", label(shown)}, {"result", "accepted"}}, tally.accepted);
        text_.sample({{"partition", label(shown)}, {"result", "rejected"}}, tally.rejected);
    }

    void put_attempts(const ShownMetrics& shown, std::size_t) {
        std::uint64_t placed = shown.version().partition_tally.placed_where_gone, on_nodes = 0;
        shown.version().tallies.for_each([&](std::uint32_t, const read_model::QueueTally& tally) {
            placed += tally.placed;
            on_nodes += tally.on_nodes;
        });
        text_.sample({{"partition", label(shown)}, {"state", "allocated"}}, placed);
        text_.sample({{"partition", label(shown)}, {"state", "released"}}, placed - on_nodes);
        text_.sample({{"partition", label(shown)}, {"state", "error"}}, 0);
    }

    void put_nodes(const ShownMetrics& shown, std::size_t) {
        std::uint64_t draining = 0;
        shown.version().nodes.for_each(
            [&](std::uint32_t, const read_model::Node& node) { draining += node.facts->schedulable ? 0 : 1; });
        text_.sample({{"partition", label(shown)}, {"state", "active"}}, shown.version().node_count);
        text_.sample({{"partition", label(shown)}, {"state", "draining"}}, draining);
        text_.sample({{"partition", label(shown)}, {"state", "decommissioned"}},
                     shown.version().partition_tally.nodes_gone);
        text_.sample({{"partition", label(shown)}, {"state", "failed"}}, 0);
    }

    void put_node_use();

    std::deque<ShownMetrics> shown_;
    std::optional<QueueMetrics> by_queue_;
    std::size_t family_ = 0;
    std::size_t partition_ = 0;
    std::size_t row_ = 0;
    bool has_head_ = false;
    bool nodes_told_ = false;
    MetricText text_;
};

const std::array<MetricsAnswer::Family, 7> MetricsAnswer::kFamilies = {{
    {"yunikorn_queue_app", "Applications of a leaf queue, by state: completed ones ever, the others now.",
     MetricType::gauge, true, &MetricsAnswer::put_queue_applications},
    {"yunikorn_queue_app_total", "Applications of a leaf queue that ended.", MetricType::counter, true,
     &MetricsAnswer::put_queue_ends},
    {"yunikorn_queue_resource",
     "Resources of a queue: allocated, guaranteed, max, pending, preempting; maxRunningApps has the resource apps.",
     MetricType::gauge, true, &MetricsAnswer::put_queue_resources},
    {"yunikorn_scheduler_application_total", "Applications by state: completed ones ever, the others now.",
     MetricType::gauge, false, &MetricsAnswer::put_applications},
    {"yunikorn_scheduler_application_submission_total", "Applications that came, were accepted, were rejected.",
     MetricType::counter, false, &MetricsAnswer::put_submissions},
    {"yunikorn_scheduler_container_allocation_attempt_total",
     "Pods that ever got a node, and those that left it again. An error ends the daemon.", MetricType::counter, false,
     &MetricsAnswer::put_attempts},
    {"yunikorn_scheduler_node",
     "Nodes: active ones, those of them that drain, all that ever went. None is ever failed.", MetricType::gauge, false,
     &MetricsAnswer::put_nodes},
}};

std::string metric_name(std::string_view resource) {
    std::string name = fmt::format("yunikorn_scheduler_{}_node_usage_total", resource);
    for (char& one : name) {
        const bool fits = (one >= 'a' && one <= 'z') || (one >= 'A' && one <= 'Z') || (one >= '0' && one <= '9');
        if (!fits && one != ':') one = '_';
    }
    return name;
}

// A family for each resource. Of two resources with one name of a metric the first is shown.
void MetricsAnswer::put_node_use() {
    std::map<std::string, std::vector<std::pair<const ShownMetrics*, NodeCounts>>> families;
    for (const ShownMetrics& shown : shown_) {
        std::map<std::string, NodeCounts> named;
        for (const auto& [resource, counts] : node_use(shown.version())) named.emplace(metric_name(resource), counts);
        for (const auto& [name, counts] : named) families[name].emplace_back(&shown, counts);
    }
    for (const auto& [name, of_it] : families) {
        text_.begin(name, "Nodes by how much of the resource their pods use.", MetricType::gauge);
        for (const auto& [shown, counts] : of_it) {
            for (std::size_t at = 0; at < kBuckets; ++at) {
                const std::string range = at == 0 ? "[0,10%]" : fmt::format("({}%,{}%]", at * 10, at * 10 + 10);
                text_.sample({{"partition", label(*shown)}, {"range", range}}, counts[at]);
            }
        }
    }
}

}  // namespace

AnswerPtr metrics(const std::vector<std::pair<VersionPtr, Place>>& partitions) {
    return std::make_unique<MetricsAnswer>(partitions);
}

}  // namespace bayplan::answers
