// Sums of applications along the paths. See queue_view.h.

#include "answers/queue_view.h"

#include <algorithm>

#include "queue_tree/applications.h"

namespace bayplan::answers {

using read_model::Pod;
using read_model::Version;

std::string_view queue_of(const read_model::ApplicationFacts& facts) {
    return facts.queue.empty() ? kOneLeaf : std::string_view(facts.queue);
}

std::string_view state_of(const read_model::Application& application) {
    return application.state == read_model::kNoApplicationState
               ? std::string_view()
               : to_text(static_cast<queue_tree::ApplicationState>(application.state));
}

bool is_complete(const read_model::Application& application) {
    return application.state == static_cast<std::uint8_t>(queue_tree::ApplicationState::completed);
}

bool has_queue(const Version& version, std::string_view path) {
    bool any = false;
    bool found = false;
    version.queues.for_each([&](std::uint32_t, const read_model::Queue& queue) {
        any = true;
        found = found || queue.facts->path == path;
    });
    return any ? found : path == "root" || path == kOneLeaf;
}

QueueView::QueueView(const Version& version) {
    add_queues(version);
    add_applications(version);
    settle_priorities();
}

std::string_view QueueView::parent(std::string_view path) {
    const std::size_t dot = path.rfind('.');
    return dot == std::string_view::npos ? std::string_view() : path.substr(0, dot);
}

const QueueNode* QueueView::find(std::string_view path) const {
    const auto found = nodes_.find(path);
    return found == nodes_.end() ? nullptr : &found->second;
}

void QueueView::add_queues(const Version& version) {
    version.queues.for_each([&](std::uint32_t, const read_model::Queue& queue) {
        QueueNode& node = nodes_[queue.facts->path];
        node.facts = queue.facts.get();
        node.max = queue.facts->max;
    });
    if (nodes_.empty()) {
        made_up_.resize(2);
        made_up_[0].path = "root";
        made_up_[1].path = kOneLeaf;
        made_up_[1].leaf = true;
        for (queue_tree::Queue& queue : made_up_) {
            queue.managed = true;
            nodes_[queue.path].facts = &queue;
        }
    }
    for (const auto& [path, node] : nodes_) {
        if (const auto above = nodes_.find(parent(path)); above != nodes_.end()) {
            above->second.children.push_back(path);
        }
    }
    if (const auto root = nodes_.find("root"); root != nodes_.end()) {
        root->second.max = stated(version, version.capacity());
    }
}

void QueueView::add_applications(const Version& version) {
    version.applications.for_each([&](std::uint32_t id, const read_model::Application& application) {
        const read_model::ApplicationSums& of_it = version.sums(id);
        const Resources allocated = sums(version, of_it.used);
        const Resources pending = sums(version, of_it.pending);
        const Resources preempting = sums(version, of_it.preempting);
        const bool runs = application.state == static_cast<std::uint8_t>(queue_tree::ApplicationState::running);
        const bool is_accepted = application.state == static_cast<std::uint8_t>(queue_tree::ApplicationState::accepted);
        for (std::string_view path = queue_of(*application.facts); !path.empty(); path = parent(path)) {
            const auto found = nodes_.find(path);
            if (found == nodes_.end()) {
                continue;  // the queue is told in the next record
            }
            queue_config::add_to(found->second.allocated, allocated);
            queue_config::add_to(found->second.pending, pending);
            queue_config::add_to(found->second.preempting, preempting);
            found->second.running += runs ? 1 : 0;
            if (is_accepted && application.placed > 0) {
                found->second.accepted.emplace_back(application.facts->name);
            }
            if (found->second.facts->leaf) {
                found->second.waits_with = std::max(found->second.waits_with, of_it.highest_waiting);
            }
        }
    });
}

// From the leaves up: a path comes before those below it.
void QueueView::settle_priorities() {
    for (auto at = nodes_.rbegin(); at != nodes_.rend(); ++at) {
        QueueNode& node = at->second;
        for (const std::string_view child : node.children) {
            node.waits_with = std::max(node.waits_with, nodes_.at(child).priority);
        }
        if (node.waits_with == INT32_MIN) {
            continue;
        }
        const queue_tree::QueueSettings& settings = node.facts->settings;
        const std::int64_t sum =
            (settings.priority_fence ? 0 : std::int64_t{node.waits_with}) + settings.priority_offset;
        node.priority =
            static_cast<std::int32_t>(std::clamp<std::int64_t>(sum, INT32_MIN + std::int64_t{1}, INT32_MAX));
    }
}

Resources QueueView::headroom(std::string_view path) const {
    Resources least;
    for (; !path.empty(); path = parent(path)) {
        const QueueNode& node = nodes_.at(path);
        for (const auto& [resource, max] : node.max) {
            const auto used = node.allocated.find(resource);
            const std::int64_t left = max - (used == node.allocated.end() ? 0 : used->second);
            const auto [place, is_new] = least.emplace(resource, left);
            place->second = is_new ? left : std::min(place->second, left);
        }
    }
    return least;
}

}  // namespace bayplan::answers
