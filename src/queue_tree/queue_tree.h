// The pending order of a tree of queues: applications, their asks, what each has, and an order that follows every
// charge.
//
//   root:    heap of children that have something to try, by priority and share, then by what waits, then by id
//   leaf:    heap of applications, by priority and age (fifo) or by priority and share (fair)
//   application: heap of runs of asks
//
// An ask is pending (outside, or inside where it can be taken), taken (charged as if placed), or allocated.
//
//   none --add_ask--> outside --insert--> inside --take--> taken --placed--> allocated --release--> none
//                        ^ ^---- remove ----+                 |
//                        +------------- give_back ------------+
//
// What a full queue or a used-up limit stands against leaves the order until that has room again, in runs: lacking() says
// for what. Pending asks count for priorities and for what waits, wherever they are.
//
// Thread: the engine's. Calls that the states forbid are faults of the caller, and checked. A charge costs the path to root;
// nothing is allocated for it.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/ids.h"
#include "base/indexed_heap.h"
#include "queue_tree/amounts.h"
#include "queue_tree/applications.h"
#include "queue_tree/ask_runs.h"
#include "queue_tree/queue_table.h"
#include "queue_tree/queue_usage.h"
#include "queue_tree/user_limits.h"

namespace bayplan::queue_tree {

class QueueTree {
public:
    QueueTree();
    QueueTree(const QueueTree&) = delete;
    QueueTree& operator=(const QueueTree&) = delete;

    // --- queues
    // All of it, or nothing, and why.
    bool reload(const queue_config::PartitionConfig&, std::string& why);
    // For placement rules, which make queues, and for the cleaner.
    QueueTable& queues() { return queues_; }
    const QueueTable& queues() const { return queues_; }
    void queues_changed() { stale_ = true; }
    // What of the nodes can be used, the maximum of root; and what there is, which shares are measured by.
    void set_capacity(const Resources& usable, const Resources& total);

    // --- applications
    ApplicationId add_application(QueueId leaf, User);
    // Its asks are gone before.
    void remove_application(ApplicationId);
    const Application& operator[](ApplicationId id) const { return applications_[raw(id)]; }

    // --- asks
    void add_ask(AskId, ApplicationId, const Resources&, std::int32_t priority, std::int64_t created);
    void insert(AskId);
    void remove(AskId);
    AskId peek();  // kNone: nothing can be taken
    AskId take();
    void give_back(AskId);                 // taken, and not placed: outside again
    void placed(AskId);                    // taken, and it has its node
    void restore(AskId);                   // outside, and it runs already: whatever is left, it counts
    void release(AskId);                   // outside or allocated, and over
    void resize(AskId, const Resources&);  // outside or allocated, in place: whatever is left

    // --- what is known
    const QueueUsage& usage();
    const UserLimits& limits() const { return limits_; }
    Resources allocated(ApplicationId id) const { return above_zero(allocated_[raw(id)]); }
    Resources pending(ApplicationId id) const { return above_zero(pending_[raw(id)]); }
    // In the order of rows, in which what waits is compared.
    const std::vector<std::string>& resource_names() const { return names_.all(); }
    // Why a pending ask is not taken; empty: queues and limits have room for it.
    std::string lacking(AskId) const;

private:
    enum class Standing : std::uint8_t { none, outside, inside, taken, allocated };
    struct Ask {
        Standing standing = Standing::none;
        ApplicationId application = kNone<ApplicationId>;
        RequestId request{};
        AskKey key;
    };
    // Runs that wait for room in one queue, or of one limit.
    struct Waiting {
        struct Alike {
            RequestId request;
            std::vector<RunId> runs;
        };
        std::vector<Alike> runs;
        std::vector<ApplicationId> applications;
    };
    // In which of them a run or an application waits.
    struct Blocker {
        QueueId queue = kNoQueue;
        LimitId limit = kNoLimit;
        bool exists() const { return queue != kNoQueue || limit != kNoLimit; }
    };
    struct ApplicationBefore {
        const QueueTree* tree;
        bool operator()(ApplicationId a, ApplicationId b) const;
    };
    struct ApplicationPosition {
        QueueTree* tree;
        std::uint32_t& operator()(ApplicationId id) const { return tree->places_[raw(id)].position; }
    };
    struct QueueBefore {
        const QueueTree* tree;
        bool operator()(QueueId a, QueueId b) const;
    };
    struct QueuePosition {
        QueueTree* tree;
        std::uint32_t& operator()(QueueId id) const { return tree->orders_[raw(id)].position; }
    };
    // A queue's children or applications that have something to try.
    struct Order {
        std::unique_ptr<IndexedHeap<QueueId, QueueBefore, QueuePosition>> children;
        std::unique_ptr<IndexedHeap<ApplicationId, ApplicationBefore, ApplicationPosition>> applications;
        std::uint32_t position = kNotInHeap;
    };
    struct Place {
        std::uint32_t position = kNotInHeap;  // in its leaf's heap
        Blocker blocker;                      // of the whole application
        std::vector<double> shares;           // of what it has, the largest first
    };

    void settle();  // brings orders up to date after a change of the whole
    void fit();
    void resolve_limits();
    void rebuild_orders();
    void add_to_pending(Ask&, int sign);
    void charge(const Ask&, int sign);
    void count_running(ApplicationId, bool counted);
    void update_state(ApplicationId);
    void settle_shares(ApplicationId);
    void settle_application(ApplicationId);
    void settle_queue(QueueId);

    void park(RunId, Blocker);
    void unpark(RunId);
    void park(ApplicationId, Blocker);
    void unblock(ApplicationId);
    void wake_runs(ApplicationId);  // room came back on the path of it
    void wake_runs(Waiting&);
    void wake_applications(Waiting&);
    void wake_all();  // out of order: orders are made anew afterwards
    Waiting& waiting_at(const Blocker&);
    void set_blocker(RunId, Blocker);
    Blocker lacking(const Application&, RequestId) const;
    Blocker full(const Application&) const;
    Resources above_zero(std::span<const std::int64_t> row) const;

    QueueTable queues_;
    ResourceNames names_;
    RequestTable requests_{names_};
    QueueUsage usage_{queues_, names_};
    UserLimits limits_{queues_, names_};
    AskRuns runs_;
    Resources usable_;
    Resources total_;
    std::vector<Ask> asks_;
    std::vector<Application> applications_;
    std::vector<ApplicationId> free_applications_;
    std::vector<Place> places_;
    std::vector<Order> orders_;
    std::vector<Waiting> at_queue_;
    std::vector<Waiting> at_limit_;
    std::vector<Blocker> run_blockers_;
    AmountRows allocated_{0};
    AmountRows pending_{0};
    std::uint32_t fitted_resources_ = 0;
    std::uint32_t next_ask_ = 0;
    std::uint32_t next_application_ = 0;
    bool stale_ = true;
    bool limits_stale_ = false;
};

}  // namespace bayplan::queue_tree
