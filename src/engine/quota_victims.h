// Of a queue that is over its maximum: whose going brings it there (rules/quotas.md). Decides only; Lifecycle carries the
// decision out.
//
// Thread: the engine's.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/world.h"
#include "preemption/gang_budgets.h"
#include "queue_tree/guarantees.h"

namespace bayplan {

// Amounts that a queue runs too much of, each above 0; empty: it is not over.
using Excess = std::vector<queue_tree::Amount>;

class QuotaVictims {
public:
    QuotaVictims(World& world) : world_(world), gangs_(world.asks, world.gangs) {}

    // In order of importance. Guarantees are up to date.
    std::vector<AskId> find(queue_tree::QueueId, const Excess&);

private:
    struct Pod {
        AskId id = kNone<AskId>;
        std::uint8_t victim_class = 0;  // the larger the more important
        bool violating = false;
        bool victim = true;
    };
    // Amounts of the kinds that are over, of one pod.
    using Part = std::vector<queue_tree::Amount>;

    queue_tree::Guarantees& guarantees() const { return world_.tree->tree().guarantees(); }
    bool is_below(queue_tree::QueueId leaf, queue_tree::QueueId) const;
    Part part_of(AskId, const Excess&) const;
    void collect(queue_tree::QueueId, const Excess&);
    void collect(ApplicationId, const Excess&);
    void let_in(queue_tree::QueueId, const Excess&);
    void split_by_budgets();
    void reprieve(const Excess&);

    World& world_;
    const GangBudgets gangs_;
    std::vector<Pod> pool_;  // most important first
};

}  // namespace bayplan
