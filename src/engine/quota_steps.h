// Queues that shrink to their maxima: which are watched, since when they are over, and whom they send away
// (rules/quotas.md). Where no queue is watched, an input costs a look at a flag, and an attempt nothing.
//
// Thread: the engine's. Owner: Lifecycle.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <boost/unordered/unordered_flat_map.hpp>

#include "engine/quota_victims.h"
#include "engine/world.h"

namespace bayplan {

class Lifecycle;

struct QuotaCounters {
    std::uint64_t preemptions = 0;
    std::uint64_t victims = 0;
};

// Queues of the ask that pods must leave first, for people: since when, and when. Empty: none.
std::string over_maxima(const World&, AskId);

class QuotaSteps {
public:
    QuotaSteps(World& world, Lifecycle& lifecycle) : world_(world), lifecycle_(lifecycle), victims_(world) {}

    // After an input, and what came of it for gangs and task groups.
    void settle();
    // When a queue shrinks next; INT64_MAX: never, as far as it is known.
    std::int64_t next_time_ns() const;
    const QuotaCounters& counters() const { return counters_; }

private:
    using QueueId = queue_tree::QueueId;

    bool is_on() const;
    void stop();
    void watch();
    void look();
    void look_at_clocks();
    void begin_clock(QueueId);
    void note_next_time();
    void tell_queues();
    void shrink_due();
    void shrink(QueueId, QuotaClock&, const Excess&);
    bool is_watched(QueueId id) const;
    std::int64_t due_ns(QueueId, const QuotaClock&) const;
    Excess excess_of(QueueId);
    std::int64_t nominated(QueueId, std::uint32_t resource);

    World& world_;
    Lifecycle& lifecycle_;
    QuotaVictims victims_;
    std::vector<std::vector<queue_tree::Amount>> maxima_;  // by queue; empty: it is not watched
    std::uint64_t seen_queues_ = 0;                        // their version when they were looked through; 0: never
    std::uint64_t seen_holding_ = 0;
    bool any_watched_ = false;
    bool all_anew_ = false;  // all that are watched must be looked at
    // Amounts of nominated asks without a node, by queue and resource; none: they must be summed up.
    std::optional<boost::unordered_flat_map<std::pair<std::uint32_t, std::uint32_t>, std::int64_t>> nominated_;
    std::vector<QueueId> told_;  // queues of which it was told that they are over
    QuotaCounters counters_;
};

}  // namespace bayplan
