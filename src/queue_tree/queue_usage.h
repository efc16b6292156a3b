// Usage of each queue, pending asks in it, and values that follow from them: headroom, share, priority, whether one
// more application may run.
//
//   share      the largest part, over resources, of what is allocated in the queue's own measure: guaranteed where it names
//              the resource, else the lowest maximum of the path (of root: the cluster), else the resource is ignored
//   headroom   what is left of every maximum on the path. A resource that a queue does not name is unlimited there; one
//              that the cluster does not have is zero at root, if root has a maximum
//   priority   the highest of what waits below, with offsets on the way up; a fence shows its offset instead
//
// A charge or a refund touches the path to root alone. Orders are kept elsewhere: a caller that changes something here
// tells them.
//
// Thread: the engine's. Owner of names and queues: the caller.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "queue_tree/amounts.h"
#include "queue_tree/priority_counts.h"
#include "queue_tree/queue_table.h"

namespace bayplan::queue_tree {

class QueueUsage {
public:
    QueueUsage(const QueueTable& queues, ResourceNames& names) : queues_(queues), names_(names) {}

    // Rows for every queue and resource that there is now. Called before those are used.
    void fit();
    // After a reload, a new queue, or another capacity of the cluster: maxima, guarantees, measures, shares, priorities.
    // `usable` is what may be charged at root (none: any amount, nodes alone say what fits), `total` what shares are measured
    // by: it does not move with drained nodes.
    void configure(const std::optional<Resources>& usable, const Resources& total);

    // --- what is used
    void charge(QueueId leaf, Request, int sign);
    void add_pending(QueueId leaf, Request, int sign);
    // kNoQueue: it fits. Else the lowest queue of the path that has not enough left.
    QueueId lacking(QueueId leaf, Request) const;
    Resources allocated(QueueId id) const { return above_zero(row(kAllocated, id)); }
    Resources pending(QueueId id) const { return above_zero(row(kPending, id)); }
    Resources headroom(QueueId) const;
    std::int64_t allocated(QueueId id, std::uint32_t resource) const { return row(kAllocated, id)[resource]; }
    std::int64_t maximum(QueueId id, std::uint32_t resource) const { return row(kMax, id)[resource]; }  // or kUnlimited
    // Amounts left of resources on the path of a leaf, or in one queue, never below 0.
    Room room(QueueId leaf, std::span<const std::uint32_t> resources) const;
    Room room_in(QueueId, std::span<const std::uint32_t> resources) const;
    // Resources that maxima name, the first Room::kWidth of them.
    std::vector<std::uint32_t> limited_resources() const;

    // Memory that a charge of the queue looks at.
    void fetch(QueueId id) const {
        queue_tree::fetch(states_[raw(id)]);
        amounts_.fetch_row(raw(id));
    }

    // --- what orders siblings
    // Root has no siblings: nobody keeps its share.
    double share(QueueId id) const { return id == kRoot ? share_of(id) : states_[raw(id)].share; }
    std::span<const std::int64_t> measure(QueueId id) const { return row(kMeasure, id); }
    std::span<const std::int64_t> pending_row(QueueId id) const { return row(kPending, id); }
    // As the settings of the queue, or of its parent, say: applications by shares; by priority before all else; likewise
    // the queue and its siblings.
    bool by_shares(QueueId id) const { return states_[raw(id)].by_shares; }
    bool priority_first(QueueId id) const { return states_[raw(id)].priority_first; }
    bool siblings_priority_first(QueueId id) const { return states_[raw(id)].siblings_priority_first; }
    // Seen from the parent.
    std::int32_t published_priority(QueueId) const;
    std::int32_t priority(QueueId id) const { return states_[raw(id)].priorities.highest(); }
    // Of an application of the leaf, from `before` to `after` (kNothingPending: none). `stale`: configure() comes, and finds
    // those above anew; what they publish now may not be what they published.
    void change_priority(QueueId leaf, std::int32_t before, std::int32_t after, bool stale);

    // --- applications
    // kNoQueue: one more may run. Else a queue of the path that has as many as it may.
    QueueId full(QueueId leaf) const;
    void add_running(QueueId leaf, int sign);
    std::uint32_t running(QueueId id) const { return states_[raw(id)].running; }
    std::uint32_t most_running(QueueId id) const { return states_[raw(id)].max_applications; }

private:
    // One cache line: what every charge looks at. Settings are the queue's by the last configure().
    struct alignas(64) State {
        double share = 0;
        PriorityCounts priorities;  // of applications, or published by children
        std::uint32_t running = 0;
        std::uint32_t max_applications = UINT32_MAX;
        std::int32_t priority_offset = 0;
        bool priority_fence = false;
        bool by_shares = false;
        bool priority_first = true;
        bool siblings_priority_first = true;
    };
    static constexpr std::size_t kAllocated = 0, kMax = 1, kMeasure = 2, kPending = 3;

    Resources above_zero(std::span<const std::int64_t> row) const;
    void configure_queue(QueueId, std::span<const std::int64_t> max_above);
    void copy_settings(QueueId);
    double share_of(QueueId) const;
    QueueId parent(QueueId id) const { return queues_.parent(id); }
    std::span<std::int64_t> row(std::size_t table, QueueId id) { return amounts_(table, raw(id)); }
    std::span<const std::int64_t> row(std::size_t table, QueueId id) const { return amounts_(table, raw(id)); }

    const QueueTable& queues_;
    ResourceNames& names_;
    std::vector<State> states_;
    bool root_is_limited_ = true;
    AmountTables<4> amounts_{{0, kUnlimited, kNotNamed, 0}};
};

}  // namespace bayplan::queue_tree
