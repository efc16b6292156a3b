// The state of partitions as Prometheus reads it, with YuniKorn's names. See answers.h.

#include <array>
#include <deque>
#include <map>

#include <fmt/format.h>

#include "answers/amounts.h"
#include "answers/answers.h"
#include "answers/pieces.h"
#include "answers/queue_view.h"
#include "base/label_value.h"
#include "queue_config/characters.h"

namespace bayplan::answers {

using read_model::Version;

namespace {

constexpr std::array<std::string_view, 6> kStates = {"new", "accepted", "running", "completing", "failing", "resuming"};
using Counts = std::map<std::string, std::uint64_t, std::less<>>;  // of applications, by state

// A partition as it is shown: sums are found once.
struct Shown {
    Shown(VersionPtr from, const Place& place)
        : version(std::move(from)), partition(place.partition), queues(*version) {
        version->applications.for_each([&](std::uint32_t, const read_model::Application& application) {
            const std::string state = queue_config::lower_case(std::string(state_of(application)));
            if (state.empty()) return;
            ++by_state[state];
            ++by_queue[std::string(queue_of(*application.facts))][state];
        });
        queues.for_each([&](std::string_view path, const QueueNode& queue) { rows.emplace_back(path, &queue); });
    }

    VersionPtr version;
    std::string partition;
    QueueView queues;
    std::vector<std::pair<std::string_view, const QueueNode*>> rows;
    Counts by_state;
    std::map<std::string, Counts, std::less<>> by_queue;
};

std::uint64_t count_of(const Counts& counts, std::string_view state) {
    const auto found = counts.find(state);
    return found == counts.end() ? 0 : found->second;
}

class MetricsAnswer final : public Answer {
public:
    explicit MetricsAnswer(const std::vector<std::pair<VersionPtr, Place>>& partitions) {
        for (const auto& [version, place] : partitions) shown_.emplace_back(version, place);
    }

    std::string next() override {
        text_.clear();
        while (family_ < kFamilies.size() && text_.size() < kPieceBytes) step();
        return text_;
    }

private:
    struct Family {
        std::string_view name;
        std::string_view help;
        bool by_queue;  // a row for each queue; else one row for each partition
        void (MetricsAnswer::*put)(const Shown&, std::size_t row);
    };
    static const std::array<Family, 4> kFamilies;

    // One row of one family.
    void step() {
        const Family& family = kFamilies[family_];
        if (partition_ == 0 && row_ == 0 && !has_head_) {
            fmt::format_to(std::back_inserter(text_), "# HELP {} {}\n# TYPE {} gauge\n", family.name, family.help,
                           family.name);
            has_head_ = true;
        }
        if (partition_ == shown_.size()) {
            ++family_;
            partition_ = row_ = 0;
            has_head_ = false;
            return;
        }
        const Shown& shown = shown_[partition_];
        if (row_ < (family.by_queue ? shown.rows.size() : 1)) {
            (this->*family.put)(shown, row_++);
        } else {
            ++partition_;
            row_ = 0;
        }
    }

    // Labels come in pairs: name, value. Of several partitions each row says which.
    void sample(const Shown& shown, std::initializer_list<std::string_view> labels, std::int64_t value) {
        text_ += kFamilies[family_].name;
        char before = '{';
        const auto label = [&](std::string_view name, std::string_view of_it) {
            text_ += before;
            text_.append(name).append("=\"").append(label_value(of_it)) += '"';
            before = ',';
        };
        if (shown_.size() > 1) label("partition", shown.partition);
        for (auto at = labels.begin(); at != labels.end(); at += 2) label(at[0], at[1]);
        fmt::format_to(std::back_inserter(text_), "}} {}\n", value);
    }

    void put_queue_applications(const Shown& shown, std::size_t row) {
        const auto& [path, queue] = shown.rows[row];
        if (!queue->facts->leaf) return;
        const auto found = shown.by_queue.find(path);
        for (const std::string_view state : kStates) {
            const std::uint64_t count = found == shown.by_queue.end() ? 0 : count_of(found->second, state);
            sample(shown, {"queue", path, "state", state}, static_cast<std::int64_t>(count));
        }
    }

    void put_queue_resources(const Shown& shown, std::size_t row) {
        const auto& [path, queue] = shown.rows[row];
        const auto put = [&, path = path](std::string_view state, const Resources& amounts) {
            for (const auto& [resource, value] : amounts) {
                sample(shown, {"queue", path, "resource", resource, "state", state}, value);
            }
        };
        put("allocated", queue->allocated);
        put("guaranteed", queue->facts->guaranteed);
        put("max", queue->max);
        put("pending", queue->pending);
        put("preempting", queue->preempting);
        sample(shown, {"queue", path, "resource", "apps", "state", "maxRunningApps"},
               static_cast<std::int64_t>(queue->facts->max_applications));
    }

    void put_applications(const Shown& shown, std::size_t) {
        for (const std::string_view state : kStates) {
            sample(shown, {"state", state}, static_cast<std::int64_t>(count_of(shown.by_state, state)));
        }
    }

    void put_nodes(const Shown& shown, std::size_t) {
        std::int64_t active = 0, draining = 0;
        shown.version->nodes.for_each(
            [&](std::uint32_t, const read_model::Node& node) { ++(node.facts->schedulable ? active : draining); });
        sample(shown, {"state", "active"}, active);
        sample(shown, {"state", "draining"}, draining);
    }

    std::deque<Shown> shown_;
    std::size_t family_ = 0;
    std::size_t partition_ = 0;
    std::size_t row_ = 0;
    bool has_head_ = false;
    std::string text_;
};

const std::array<MetricsAnswer::Family, 4> MetricsAnswer::kFamilies = {{
    {"yunikorn_queue_app", "Applications of a leaf queue that are not over, by state.", true,
     &MetricsAnswer::put_queue_applications},
    {"yunikorn_queue_resource",
     "Resources of a queue: allocated, guaranteed, max, pending, preempting; maxRunningApps has the resource apps.",
     true, &MetricsAnswer::put_queue_resources},
    {"yunikorn_scheduler_application_total", "Applications that are not over, by state.", false,
     &MetricsAnswer::put_applications},
    {"yunikorn_scheduler_node", "Nodes: active, or draining when they take no more pods.", false,
     &MetricsAnswer::put_nodes},
}};

}  // namespace

AnswerPtr metrics(const std::vector<std::pair<VersionPtr, Place>>& partitions) {
    return std::make_unique<MetricsAnswer>(partitions);
}

}  // namespace bayplan::answers
