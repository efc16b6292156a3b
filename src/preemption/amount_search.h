// The search for victims for an ask on which amounts alone decide: sums over the index of pods instead of
// trials of the node. Finds exactly what VictimSearch finds (tests/property holds both against the oracle).
//
// Thread: as said below; each search belongs to one thread.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "preemption/budgets.h"
#include "preemption/gang_budgets.h"
#include "preemption/victim_index.h"
#include "preemption/victim_search.h"
#include "preemption/violating_pods.h"
#include "topology/cluster_view.h"

namespace bayplan {

// Why the nodes of a block have no victims.
struct BlockRefusals {
    static constexpr std::size_t kRequestsMax = 7;  // a class with more of them is counted anew each time
    std::uint8_t without_victims = 0;
    std::array<std::uint8_t, kRequestsMax> short_of{};  // by request: nodes that lack it even without the pool
};
// The same of many blocks.
struct AllRefusals {
    std::int64_t without_victims = 0;
    std::array<std::int64_t, BlockRefusals::kRequestsMax> short_of{};

    void add(const BlockRefusals& block, std::int64_t sign) {
        without_victims += sign * block.without_victims;
        for (std::size_t k = 0; k < short_of.size(); ++k) {
            short_of[k] += sign * block.short_of[k];
        }
    }
};

class AmountSearch {
public:
    struct Tables {
        const ClusterView& cluster;
        const Budgets& budgets;
        VictimIndex& index;
        const GangBudgets& gangs;
    };
    // The ask's own nomination is lifted.
    AmountSearch(const Tables&, const AskClass&);

    // --- any number of searches at a time, while nobody changes the tables; the index has the node's pods as they are
    // The cost of making room on the node. Nothing if it cannot be done, or would cost more than `best` (null: none).
    std::optional<VictimCost> cost(Slot, const VictimCost* best);
    // Counts the node, on which no room can be made. Of a class with few requests.
    void count_refusal(Slot, BlockRefusals&);

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
    bool lacks(const Node&, std::size_t request) const;
    bool fits_without(std::size_t from) const;  // the pods from this one on
    std::size_t first_victim(const Node&) const;
    // Decides which pods, from this one on, must go. False: it would cost more than `sum_max`.
    bool reprieve(const Node&, std::size_t from, std::int64_t sum_max);
    void add_violating_gangs(const Node&);
    void reprieve_by_budgets(const Node&);
    bool spare(std::size_t pod);
    VictimCost cost_of(const Node&) const;

    const Tables tables_;
    const AskClass& ask_class_;
    const bool any_gangs_;                             // whose pods may be victims
    std::vector<std::int64_t> free_;                   // by request, minus the request
    std::vector<const IndexedPods::Kind*> resources_;  // by request
    std::vector<std::int64_t> room_;                   // by request, while sparing
    std::vector<std::size_t> victims_;                 // indices of pods
    ViolatingPods violating_;                          // of the node
    std::int32_t violations_ = 0;
    std::optional<NodeVictims> best_;
    std::uint64_t without_victims_ = 0;
    std::vector<std::uint64_t> short_of_;
};

}  // namespace bayplan
