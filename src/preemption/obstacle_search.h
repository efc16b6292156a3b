// Victims on nodes with obstacles (obstacles.h), pod by pod: obstacles of the pool must go, and of the others those for which
// no room is left. Finds exactly what VictimSearch finds, by sums in place of trials.
//
// Thread: the engine's, for one attempt.
#pragma once

#include <cstdint>
#include <vector>

#include "preemption/amount_search.h"
#include "preemption/obstacles.h"

namespace bayplan {

class ObstacleSearch {
public:
    // Nodes without victims, by the first predicate that fails without the pool.
    struct Refusals {
        std::uint64_t without_victims = 0;
        std::uint64_t ports = 0;
        std::vector<std::uint64_t> short_of;  // by request
        std::uint64_t anti_affinity = 0;
        std::uint64_t of_others = 0;
    };

    ObstacleSearch(const AmountSearch::Tables& tables, const Obstacles& obstacles, const AskClass& ask_class)
        : tables_(tables),
          obstacles_(obstacles),
          ask_class_(ask_class),
          violating_(tables.cluster.asks, tables.budgets),
          room_(ask_class.requests.size()),
          resources_(ask_class.requests.size()) {
        refusals_.short_of.resize(ask_class.requests.size());
    }

    // The node takes the place of `best` if it costs less, or as much and has a lower slot.
    void judge(Slot, VictimCandidate& best);
    NodeVictims victims(Slot);  // of a node that has some
    const Refusals& refusals() const { return refusals_; }

private:
    // False: not even without the pool; that is counted.
    bool passes_without_pool(Slot);
    bool has_room(Slot);
    bool spare(std::size_t pod);
    bool find_victims(Slot);
    VictimCost cost() const;

    const AmountSearch::Tables tables_;
    const Obstacles& obstacles_;
    const AskClass& ask_class_;
    ViolatingPods violating_;
    Refusals refusals_;
    // Of the node under judgement.
    const IndexedPods* pods_ = nullptr;
    std::size_t first_ = 0;                            // of the pool
    std::vector<std::int64_t> room_;                   // by request, with all of the pool gone and the ask there
    std::vector<const IndexedPods::Kind*> resources_;  // by request
    std::vector<std::size_t> victims_;                 // indices of pods
    std::int32_t violations_ = 0;
};

}  // namespace bayplan
