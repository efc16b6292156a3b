// The search for victims for an ask on which amounts alone decide: sums over the index of pods instead of
// trials of the node. Finds exactly what VictimSearch finds (tests/property holds both against the oracle).
//
// Thread: as said below; each search belongs to one thread.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "preemption/budgets.h"
#include "preemption/gang_budgets.h"
#include "preemption/victim_index.h"
#include "preemption/victim_search.h"
#include "topology/cluster_view.h"

namespace bayplan {

class AmountSearch {
public:
    struct Tables {
        const ClusterView& cluster;
        Budgets& budgets;
        VictimIndex& index;
        const GangBudgets& gangs;
    };
    // The ask's own nomination is lifted.
    AmountSearch(const Tables&, const AskClass&);

    // --- any number of searches at a time, while nobody changes the tables; the index has the node's pods as they are
    // The cost of making room on the node. Nothing if it cannot be done, or would cost more than `best` (null: none).
    std::optional<VictimCost> cost(Slot, const VictimCost* best);

    // --- the engine's thread
    NodeVictims victims(Slot);  // of a node that has a cost
    // Judges the nodes one by one. `all`: gets what was found on each; null: nobody wants to know, and nodes that
    // cannot be the best are passed over.
    void run(const NodeMask&, std::vector<NodeVictims>* all);

    // --- of run()
    const std::optional<NodeVictims>& best() const { return best_; }
    std::uint64_t without_victims() const { return without_victims_; }
    // How many nodes lack the class's n-th request even without the pool.
    const std::vector<std::uint64_t>& short_of() const { return short_of_; }

private:
    // The node under judgement.
    struct Node {
        Slot slot;
        const IndexedPods* pods;
        std::size_t first;  // of the pool
        bool has_pool() const { return first < pods->pods.size(); }
    };
    Node node_at(Slot) const;

    bool find_room(const Node&);
    bool fits_without(std::size_t from) const;  // the pods from this one on
    std::size_t first_victim(const Node&) const;
    // Decides which pods, from this one on, must go. False: it would cost more than `sum_max`.
    bool reprieve(const Node&, std::size_t from, std::int64_t sum_max);
    void reprieve_by_budgets(const Node&);
    bool spare(std::size_t pod);
    VictimCost cost_of(const Node&) const;

    const Tables tables_;
    const AskClass& ask_class_;
    const bool any_budgets_;                           // of objects, or of gangs
    std::vector<std::int64_t> free_;                   // by request, minus the request
    std::vector<const IndexedPods::Kind*> resources_;  // by request
    std::vector<std::int64_t> room_;                   // by request, while sparing
    std::vector<std::size_t> victims_;                 // indices of pods
    std::vector<bool> violating_;                      // by pod, from the pool's first
    std::int32_t violations_ = 0;
    std::optional<NodeVictims> best_;
    std::uint64_t without_victims_ = 0;
    std::vector<std::uint64_t> short_of_;
};

}  // namespace bayplan
