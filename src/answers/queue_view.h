// The queues of a version as a tree with sums, for one answer.
//
// Thread: its owner's; built once, then read.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "answers/amounts.h"
#include "queue_tree/queue_table.h"
#include "read_model/version.h"

namespace bayplan::answers {

// Where a partition has no queues of its own, the one leaf that it has.
inline constexpr std::string_view kOneLeaf = "root.default";
std::string_view queue_of(const read_model::ApplicationFacts&);
// YuniKorn's name of the application's state, or empty.
std::string_view state_of(const read_model::Application&);
bool is_complete(const read_model::Application&);
// Is there such a queue?
bool has_queue(const read_model::Version&, std::string_view path);

struct QueueNode {
    const queue_tree::Queue* facts = nullptr;
    std::vector<std::string_view> children;  // paths, in order
    Resources max;                           // of root: what all nodes have
    Resources allocated;
    Resources pending;
    Resources preempting;
    std::uint64_t running = 0;  // applications
    // Applications that have nodes, and wait for the rest of their placeholders.
    std::vector<std::string_view> accepted;
    // The highest of what waits, with the offsets below; INT32_MIN: nothing waits.
    std::int32_t waits_with = INT32_MIN;
    // The same as its parent sees it.
    std::int32_t priority = INT32_MIN;
};

class QueueView {
public:
    explicit QueueView(const read_model::Version&);
    QueueView(const QueueView&) = delete;
    QueueView& operator=(const QueueView&) = delete;

    // Null: there is no such queue.
    const QueueNode* find(std::string_view path) const;
    // each(path, node), in the order of paths.
    template <typename Each>
    void for_each(Each&& each) const {
        for (const auto& [path, node] : nodes_) each(path, node);
    }
    // The least that is left of every maximum on the path.
    Resources headroom(std::string_view path) const;
    static std::string_view parent(std::string_view path);

private:
    void add_queues(const read_model::Version&);
    void add_applications(const read_model::Version&);
    void settle_priorities();

    std::vector<queue_tree::Queue> made_up_;  // of a partition that has no queues
    std::map<std::string_view, QueueNode> nodes_;
};

}  // namespace bayplan::answers
