// Queues, one or with all below. See answers.h.

#include <algorithm>
#include <cstdint>
#include <optional>

#include <fmt/format.h>

#include "answers/pieces.h"
#include "answers/queue_view.h"

namespace bayplan::answers {

using queue_tree::PreemptionPolicy;
using queue_tree::Queue;
using queue_tree::SortPolicy;

namespace {

// As Go writes a duration: 30s, 1m30s, 1.5s, 250ms.
std::string duration(std::chrono::milliseconds time) {
    constexpr std::int64_t kMinute = 60'000;
    constexpr std::int64_t kHour = 60 * kMinute;
    const std::int64_t ms = time.count();
    if (ms > 0 && ms < 1'000) {
        return fmt::format("{}ms", ms);
    }
    const std::string seconds = fmt::format("{:g}s", static_cast<double>(ms % kMinute) / 1'000);
    if (ms >= kHour) {
        return fmt::format("{}h{}m{}", ms / kHour, ms % kHour / kMinute, seconds);
    }
    return ms >= kMinute ? fmt::format("{}m{}", ms / kMinute, seconds) : seconds;
}

void put_properties(JsonText& json, const queue_config::Properties& properties) {
    if (properties.empty()) {
        return;
    }
    json.name("properties");
    json.begin_object();
    for (const auto& [key, value] : properties) {
        json.member(key, std::string_view(value));
    }
    json.end_object();
}

void put_count_if(JsonText& json, std::string_view name, std::uint64_t count) {
    if (count != 0) {
        json.name(name).value_unsigned(count);
    }
}

// A parent's, for leaves that are made below it.
void put_template(JsonText& json, const Queue& queue) {
    if (queue.leaf || queue.child_template == nullptr) {
        return;
    }
    const queue_config::ChildTemplateConfig& of_it = *queue.child_template;
    json.name("template");
    json.begin_object();
    put_count_if(json, "maxApplications", of_it.max_applications);
    put_if(json, "maxResource", of_it.resources.max.or_none());
    put_if(json, "guaranteedResource", of_it.resources.guaranteed.or_none());
    put_properties(json, of_it.properties);
    json.end_object();
}

void put_sorted_names(JsonText& json, std::string_view member, std::vector<std::string_view> names) {
    if (names.empty()) {
        return;
    }
    std::ranges::sort(names);
    json.name(member);
    json.begin_array();
    for (const std::string_view name : names) {
        json.value(name);
    }
    json.end_array();
}

void put_settings(JsonText& json, const Queue& queue) {
    const queue_tree::QueueSettings& settings = queue.settings;
    json.member("sortingPolicy",
                std::string_view(!queue.leaf || settings.sort_policy == SortPolicy::fair ? "fair" : "fifo"));
    json.member("prioritySorting", settings.sort_priority);
    json.member("preemptionEnabled", settings.preemption_policy != PreemptionPolicy::disabled);
    json.member("isPreemptionFence", settings.preemption_policy == PreemptionPolicy::fence);
    json.member("preemptionDelay", duration(settings.preemption_delay));
    json.member("quotaPreemptionDelay", duration(settings.quota_preemption_delay));
    json.member("isPriorityFence", settings.priority_fence);
    json.member_if("priorityOffset", std::int64_t{settings.priority_offset});
}

// All members before the children.
void put_head(JsonText& json, const QueueView& view, std::string_view path, std::string_view partition) {
    const QueueNode& node = *view.find(path);
    const Queue& queue = *node.facts;
    json.begin_object();
    json.member("queuename", path);
    json.member("status", std::string_view(queue.status == queue_tree::QueueStatus::draining ? "Draining" : "Active"));
    json.member("partition", partition);
    put_if(json, "pendingResource", node.pending);
    put_if(json, "maxResource", node.max);
    put_if(json, "guaranteedResource", queue.guaranteed);
    put_if(json, "allocatedResource", node.allocated);
    put_if(json, "preemptingResource", node.preempting);
    put_if(json, "headroom", view.headroom(path));
    json.member("isLeaf", queue.leaf);
    json.member("isManaged", queue.managed);
    put_properties(json, queue.properties);
    json.member_if("parent", QueueView::parent(path));
    put_template(json, queue);
}

// Since when it is over its maximum, and when it sends pods away.
void put_over_max(JsonText& json, const Queue& queue, std::optional<std::int64_t> zero_tick_ns) {
    if (queue.over_max && zero_tick_ns) {
        json.member("overMaxSince", *zero_tick_ns + queue.over_max->since_ns);
        const std::int64_t most = INT64_MAX - *zero_tick_ns;
        json.member("quotaPreemptionStartTime", *zero_tick_ns + std::min(queue.over_max->due_ns, most));
    }
}

void put_tail(JsonText& json, const QueueNode& node, std::optional<std::int64_t> zero_tick_ns) {
    put_sorted_names(json, "childNames", node.children);
    put_if(json, "absUsedCapacity", percent(node.allocated, node.max));
    put_count_if(json, "maxRunningApps", node.facts->max_applications);
    put_count_if(json, "runningApps", node.running);
    json.member("currentPriority", std::int64_t{node.priority});
    put_sorted_names(json, "allocatingAcceptedApps", node.accepted);
    put_settings(json, *node.facts);
    put_over_max(json, *node.facts, zero_tick_ns);
    json.end_object();
}

// One queue, or all below it too: a queue begins or ends with each step.
class QueueSteps {
public:
    // `partition`: root names it in the answer with all queues, and no queue does elsewhere.
    QueueSteps(VersionPtr version, std::unique_ptr<const QueueView> view, std::string_view path, std::string partition,
               bool subtree, std::optional<std::int64_t> zero_tick_ns)
        : version_(std::move(version)),
          view_(std::move(view)),
          partition_(std::move(partition)),
          zero_tick_ns_(zero_tick_ns),
          subtree_(subtree),
          open_({{path, view_->find(path)}}) {}

    bool step(JsonText& json) {
        Open& last = open_.back();
        const bool has_children = subtree_ && !last.node->children.empty();
        if (!last.begun) {
            last.begun = true;
            put_head(json, *view_, last.path, open_.size() == 1 ? std::string_view(partition_) : std::string_view());
            if (has_children) {
                json.name("children");
                json.begin_array();
            }
        } else if (has_children && last.next_child < last.node->children.size()) {
            const std::string_view child = last.node->children[last.next_child++];
            open_.push_back({child, view_->find(child)});
        } else {
            if (has_children) {
                json.end_array();
            }
            put_tail(json, *last.node, zero_tick_ns_);
            open_.pop_back();
        }
        return !open_.empty();
    }

private:
    struct Open {
        std::string_view path;
        const QueueNode* node;
        bool begun = false;
        std::size_t next_child = 0;
    };

    VersionPtr version_;  // the view refers to it
    std::unique_ptr<const QueueView> view_;
    std::string partition_;
    std::optional<std::int64_t> zero_tick_ns_;
    bool subtree_;
    std::vector<Open> open_;  // from the first queue down to the present one
};

AnswerPtr answer(VersionPtr version, std::string_view path, std::string partition, bool subtree, const Place& place) {
    auto view = std::make_unique<const QueueView>(*version);
    const QueueNode* const node = view->find(path);
    if (node == nullptr) {
        return nullptr;
    }
    const std::string_view kept = node->facts->path;
    return piecewise(
        QueueSteps(std::move(version), std::move(view), kept, std::move(partition), subtree, place.zero_tick_ns));
}

}  // namespace

AnswerPtr queues(VersionPtr version, const Place& place) {
    return answer(std::move(version), "root", place.partition, true, place);
}

AnswerPtr queue(VersionPtr version, std::string_view path, bool subtree, const Place& place) {
    return answer(std::move(version), path, {}, subtree, place);
}

}  // namespace bayplan::answers
