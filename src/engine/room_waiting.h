// Asks that wait in the order of a tree of queues, leaf by leaf, while there is a look for room below maxima
// (engine/room_steps.h). They are gathered anew only after an ask has entered or left the order: a claim that finds nobody
// leaves them as they are.
//
// Thread: the engine's. Owner: RoomSteps. Nothing in here outlives a look.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "engine/world.h"

namespace bayplan {

class RoomWaiting {
public:
    struct Leaf {
        std::vector<AskId> firsts;     // of each run
        std::vector<AskId> nominated;  // which differ from others of their runs
    };

    explicit RoomWaiting(World& world) : world_(world) {}

    // The order is up to date.
    void bring_up_to_date();
    void forget() { seen_changes_.reset(); }
    // All leaves, by their paths.
    const std::vector<queue_tree::QueueId>& leaves();
    const Leaf& of(queue_tree::QueueId id) const { return asks_[raw(id)]; }
    // From now on.
    void nominated(AskId id) { leaf_of(id).nominated.push_back(id); }

private:
    Leaf& leaf_of(AskId id) { return asks_[raw(world_.tree->leaf_of(world_.asks[id].application))]; }
    void gather();

    World& world_;
    std::vector<Leaf> asks_;                     // by queue
    std::vector<queue_tree::QueueId> leaves_;    // by path
    std::optional<std::uint64_t> seen_changes_;  // of the order, when asks were gathered
    std::optional<std::uint64_t> seen_queues_;   // their version, when leaves were put in order
};

}  // namespace bayplan
