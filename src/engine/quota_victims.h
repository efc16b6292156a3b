// Of a queue that is over its maximum: whose going brings it there (rules/quotas.md). Decides only; Lifecycle carries the
// decision out.
//
// Thread: the engine's.
#pragma once

#include <cstdint>
#include <map>
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
        bool let_in = false;
        bool whole = false;  // let in with all its gang
        bool victim = false;
    };
    struct PodsOfGang {
        GangId id = kNone<GangId>;
        std::vector<Pod*> pods;
    };
    // Amounts of the kinds that are over, of one pod.
    using Part = std::vector<queue_tree::Amount>;
    // By resource: so much more than needed goes.
    using Rest = std::map<std::uint32_t, std::int64_t>;
    class Spare;

    queue_tree::Guarantees& guarantees() const { return world_.tree->tree().guarantees(); }
    queue_tree::QueueId leaf_of(AskId id) const { return world_.tree->leaf_of(world_.asks[id].application); }
    bool is_below(queue_tree::QueueId leaf, queue_tree::QueueId) const;
    Part part_of(AskId, const Excess&) const;
    void collect(queue_tree::QueueId, const Excess&);
    void collect(ApplicationId, const Excess&);
    void sort();
    void let_in(queue_tree::QueueId, const Excess&);
    void let_in_gangs(Spare&, const Excess&);
    bool let_in_whole(const PodsOfGang&, Spare&, const Excess&);
    Rest rest_of(const Excess&) const;
    void split_by_budgets();
    void reprieve(const Excess&);
    void reprieve(const PodsOfGang&, const Excess&, Rest& more);

    World& world_;
    const GangBudgets gangs_;
    std::vector<Pod> pool_;                  // candidates, most important first
    std::vector<PodsOfGang> gangs_of_pool_;  // by their most important pods
};

}  // namespace bayplan
