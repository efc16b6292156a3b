// For an ask under its queue's guarantee that a maximum above leaves no room: whose going makes that room
// (rules/guarantees.md). Decides only; Lifecycle carries the decision out.
//
// Thread: the engine's.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "engine/world.h"
#include "preemption/gang_budgets.h"
#include "preemption/victim_search.h"
#include "queue_tree/spare_pods.h"

namespace bayplan {

// By resource of the tree: so much must go; each above 0.
using RoomNeeded = std::map<std::uint32_t, std::int64_t>;

class RoomVictims {
public:
    explicit RoomVictims(World& world) : world_(world), gangs_(world.asks, world.gangs) {}

    // Another look begins: pods may have got nodes since the last.
    void forget() { is_gathered_ = false; }
    // Adds to the victims on the node, which count for what is needed, others below the queue wherever they run; false: all
    // that may go do not suffice, and nothing is added. `spare` is as it was made. Guarantees are up to date.
    bool add(queue_tree::SparePods& spare, queue_tree::QueueId below, RoomNeeded, NodeVictims&);

private:
    struct Pod {
        AskId id = kNone<AskId>;
        std::uint8_t victim_class = 0;  // the larger the more important
        bool violating = false;
    };

    queue_tree::QueueId leaf_of(AskId id) const { return world_.tree->leaf_of(world_.asks[id].application); }
    queue_tree::Request held_by(AskId id) const { return world_.tree->tree().guarantees().held_by(id); }
    bool asks_for_any(AskId, const RoomNeeded&) const;
    static void subtract(queue_tree::Request, RoomNeeded&);
    void gather();
    void collect(queue_tree::SparePods&, queue_tree::QueueId below, const RoomNeeded&,
                 const std::vector<AskId>& without);
    void consider(AskId, queue_tree::SparePods&, const RoomNeeded&, const std::vector<AskId>& without);
    void let_in(queue_tree::SparePods&, const std::vector<AskId>& on_node);
    void split_by_budgets(const std::vector<AskId>& on_node);
    void reprieve(RoomNeeded rest);

    World& world_;
    const GangBudgets gangs_;
    bool is_gathered_ = false;
    std::vector<std::vector<AskId>> on_nodes_;  // by leaf: asks on nodes, as in the look's first claim
    std::vector<Pod> pool_;                     // most important first
};

}  // namespace bayplan
