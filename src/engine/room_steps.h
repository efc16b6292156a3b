// Asks of queues under their guarantees that a maximum above leaves no room: once a second the first of each leaf is looked
// at, and pods of other queues below that maximum go for it (rules/guarantees.md). Where no queue has a maximum, or none a
// guarantee, an input costs a look at a flag.
//
// Thread: the engine's. Owner: the engine.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "engine/attempts.h"
#include "engine/room_victims.h"
#include "engine/room_waiting.h"
#include "engine/world.h"

namespace bayplan {

// Whether pods go, or will, so that queues have room for the ask, for people. Empty: none do for its sake.
std::string room_to_be_made(const World&, AskId);

struct RoomCounters {
    std::uint64_t looks = 0;
    std::uint64_t preemptions = 0;
    std::uint64_t victims = 0;  // told to go
};

class RoomSteps {
public:
    RoomSteps(World& world, Pipeline& pipeline, Attempts& attempts, const PredicateSet& predicates)
        : world_(world),
          pipeline_(pipeline),
          attempts_(attempts),
          predicates_(predicates),
          waiting_(world),
          victims_(world) {}

    // Whether something has happened.
    void stir(bool happened) { stirred_ = stirred_ || happened; }
    // After an input, and what came of it for queues over their maxima.
    void settle();
    // When the next look is due; INT64_MAX: nothing has happened since the last.
    std::int64_t next_time_ns() const;
    const RoomCounters& counters() const { return counters_; }

private:
    using QueueId = queue_tree::QueueId;
    struct Shortage {
        QueueId queue = queue_tree::kNoQueue;  // the lowest that is short
        RoomNeeded needed;
    };

    bool is_on() const;
    bool any_maximum() const;
    void look();
    void look_at_clocks();
    void go_on(RoomClocks::iterator&, QueueId leaf);
    void claim(QueueId leaf);
    void bring_up_to_date();
    AskId claimant(QueueId leaf) const;
    AskId first_of_run(AskId first, AskId before) const;
    bool others_lack_room(AskId first) const;
    bool may_claim(AskId) const;
    bool lacks_room(AskId) const;
    Shortage shortage(AskId id) const;
    Shortage shortage(QueueId leaf, queue_tree::Request, bool held_already) const;
    bool make_room(AskId);
    std::optional<NodeVictims> find_node(AskId, QueueId within);

    World& world_;
    Pipeline& pipeline_;
    Attempts& attempts_;
    const PredicateSet& predicates_;
    RoomWaiting waiting_;
    RoomVictims victims_;
    std::optional<std::int64_t> looked_ns_;
    bool stirred_ = false;
    RoomCounters counters_;
    mutable std::uint64_t seen_queues_ = 0;  // their version when maxima were looked for; 0: never
    mutable bool any_maximum_ = false;
};

}  // namespace bayplan
