// See room_waiting.h.
#include "engine/room_waiting.h"

#include <algorithm>

namespace bayplan {

using queue_tree::QueueId;

void RoomWaiting::bring_up_to_date() {
    if (seen_changes_ != world_.tree->tree().order_changes()) {
        gather();
        seen_changes_ = world_.tree->tree().order_changes();
    }
}

void RoomWaiting::gather() {
    asks_.resize(world_.tree->queues().end());
    for (Leaf& leaf : asks_) {
        leaf.firsts.clear();
        leaf.nominated.clear();
    }
    world_.tree->tree().for_each_first([&](AskId first, QueueId leaf) { asks_[raw(leaf)].firsts.push_back(first); });
    world_.nominations.for_each_node([&](Slot slot) {
        for (const AskId id : world_.nominations.on(slot)) {
            if (world_.asks[id].state == AskState::pending) {
                nominated(id);
            }
        }
    });
}

const std::vector<QueueId>& RoomWaiting::leaves() {
    const queue_tree::QueueTable& queues = world_.tree->queues();
    if (seen_queues_ != queues.version()) {
        seen_queues_ = queues.version();
        leaves_.clear();
        for (std::uint32_t at = 0; at < queues.end(); ++at) {
            if (queues[QueueId{at}].exists && queues[QueueId{at}].leaf) {
                leaves_.push_back(QueueId{at});
            }
        }
        std::ranges::sort(leaves_, {}, [&](QueueId id) -> const std::string& { return queues[id].path; });
    }
    return leaves_;
}

}  // namespace bayplan
