// Preemption between queues: may a failed ask take from queues over their guarantees, and on which node, from whom
// (rules/guarantees.md). Decides only; Lifecycle carries the decision out.
//
// Thread: the engine's.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "apps/class_table.h"
#include "engine/diagnosis.h"
#include "engine/world.h"
#include "preemption/gang_budgets.h"
#include "preemption/victim_search.h"
#include "queue_tree/spare_pods.h"

namespace bayplan {

// Of an ask whose attempt has failed.
enum class Guaranteed : std::uint8_t {
    no,      // its queue has no guarantee for it, or it has all of that already, or the ask may not preempt so
    waits,   // its delay is not over
    may,     // a search may follow
    failed,  // it may, but a search for an ask like it has found nobody, and nothing has changed since
};

struct GuaranteeCounters {
    std::uint64_t searches = 0;
    std::uint64_t spared = 0;  // searches that were not made: nothing had changed
    std::uint64_t preemptions = 0;
    std::uint64_t victims = 0;  // told to go
    std::uint64_t waits = 0;    // failed attempts before the delay was over
    std::uint64_t nodes_tried = 0;
};

// Amounts that queues hold of their guarantees, up to date. Within a trial of the engine that would count as tried.
queue_tree::Guarantees& guarantees_of(const World&);

class Guaranteeing final : public ClassListener {
public:
    Guaranteeing(World&, const PredicateSet&, const GangBudgets&);
    Guaranteeing(const Guaranteeing&) = delete;
    Guaranteeing& operator=(const Guaranteeing&) = delete;

    // How it stands, without a trace. `alike`: what fails the ask fails its class.
    Guaranteed look(AskId, bool alike) const;
    // The same of a failed attempt: its wait begins, and its wake-up is set.
    Guaranteed failed(AskId, bool alike);
    // Of an ask that may: the nodes by block. None: nobody is found.
    std::optional<NodeVictims> search(AskId, const NodeMask& nodes);
    // Likewise; pods go of queues below this one of the ask's path alone.
    std::optional<NodeVictims> search_within(queue_tree::QueueId, AskId, const NodeMask& nodes);
    // Of an ask that is tried alone: it is guaranteed what it asks for, and preemption between queues is on.
    bool concerned(AskId) const;
    // Its wait goes on, or begins.
    Guaranteed wait(AskId);
    // --- of the members of a pod group, the eldest first, in a trial of the engine's
    // The group's wait is that of its eldest: as failed(). Nothing is supposed yet.
    Guaranteed group_failed(const std::vector<AskId>& members);
    // How they stand, without a trace; not within a trial.
    Guaranteed look_at_group(const std::vector<AskId>& members);
    // A trial begins: none of them holds anything.
    void begin_trial(const std::vector<AskId>& members);
    // It has a node in the trial; these have none any more.
    void takes(AskId member);
    void go(const std::vector<AskId>& victims);
    // As search(), if the member is guaranteed what it asks for. `counts`: it is more than a look.
    std::optional<NodeVictims> search_in_trial(AskId member, const NodeMask& nodes, bool counts);

    // Keeps that the search has found nobody.
    void keep_failure(AskId);
    // For people: whom the ask may preempt so, or why nobody. Empty: there are no queues, or they do not matter to it.
    std::string text(AskId, Guaranteed, bool found) const;
    // The same of a pod group, by its eldest member that waits.
    std::string group_text(AskId eldest, Guaranteed, bool found) const;
    // A search that has found these, for the counters.
    void count(const NodeVictims*);
    // Path of the queue for whose guarantee victims of the ask would go; "": none has any.
    std::string_view guarantor(AskId) const;
    const GuaranteeCounters& counters() const { return counters_; }

    void class_gone(ClassId) override;

private:
    // Violating, opted out, owners of others, any at all; then VictimCost decides.
    using Rank = std::tuple<std::int32_t, std::uint32_t, std::uint32_t, bool>;
    struct Pod {
        AskId id = kNone<AskId>;
        std::uint8_t victim_class = 0;  // 0: it goes anyway; the larger the more important
        bool violating = false;
        bool victim = false;
    };
    struct Found {
        NodeVictims victims;
        Rank rank;
        bool better_than(const Found&) const;
    };
    struct Position {
        std::uint64_t world = 0;
        std::uint64_t holding = 0;
        bool operator==(const Position&) const = default;
    };

    struct LeafFailure {
        queue_tree::QueueId leaf = queue_tree::kNoQueue;
        Position position;
    };

    bool group_is_guaranteed(const std::vector<AskId>& members);
    bool is_over(AskId) const;
    bool is_on(AskId) const;
    bool may_ever(AskId) const;
    std::optional<NodeVictims> search(AskId, const NodeMask&, const queue_tree::HeldBeside*,
                                      queue_tree::QueueId within = queue_tree::kRoot);
    std::int64_t delay_ns(AskId) const;
    queue_tree::QueueId leaf_of(AskId) const;
    Position position() const;
    bool failed_before(AskId) const;
    void collect(Slot, queue_tree::SparePods&);
    bool may_make_room(AskId, Slot) const;
    // No choice of pods of the pool is better than this.
    Found bound() const;
    void let_in(queue_tree::SparePods&);
    void split_by_budgets();
    void reprieve(NodeTrial&);
    Found result(Slot) const;

    World& world_;
    const TrialTables tables_;
    const GangBudgets& gangs_;
    const bool looks_at_amounts_;                     // the predicate NodeResourcesFit is in force
    std::vector<Pod> pool_;                           // of the node under way, most important first
    std::vector<std::vector<LeafFailure>> failures_;  // by class
    std::optional<queue_tree::HeldBeside> supposed_;  // in a trial; none: there are no queues
    GuaranteeCounters counters_;
};

}  // namespace bayplan
