// Nodes that are reserved for a gang whose pass has failed for long: the search of a gang that preempts, where pods of the same
// priority may go, too, and nobody is told to: what ends there by itself is kept for the gang (rules/gangs.md). Decides only:
// what it tries is undone.
//
// Thread: the engine's.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "engine/attempts.h"
#include "engine/gang_domains.h"
#include "engine/gang_preempting.h"

namespace bayplan {

class GangReserving {
public:
    GangReserving(World& world, const PredicateSet& predicates, Attempts& attempts, Lifecycle& lifecycle,
                  GangDomains& domains)
        : world_(world),
          predicates_(predicates),
          attempts_(attempts),
          lifecycle_(lifecycle),
          domains_(domains),
          search_(trial_tables(world, predicates), world.budgets, attempts.preempting().gangs(),
                  world.options.preemption, VictimPool::waited_for) {}

    // The members, the eldest first, are out of the order, and their nominations are suspended. Nominations without
    // victims; none: with them the gang would not have its minimum.
    std::vector<MemberNomination> decide(const std::vector<AskId>& members, const Gang&);
    // Predicates that failed what the last decide() tried; bits by index.
    std::uint32_t failed_predicates() const { return failed_predicates_; }

    // The nodes to which members are nominated would do still, once the pods there have ended.
    bool stands(const std::vector<AskId>& members, const Gang&);

    // Looks at nodes that one search may take.
    static constexpr std::size_t kLooksMax = 1u << 18;

private:
    bool search(const std::vector<AskId>& members, const Gang&);
    void try_member(AskId);
    std::optional<NodeVictims> look_for(AskId);
    bool same_as_the_last_failure(AskId) const;
    std::optional<NodeVictims> next_for(AskId, const NodeMask& unschedulable);
    void put_in_order();
    std::optional<NodeVictims> look_at(AskId, Slot);
    void take(AskId, Slot);
    void take_off(AskId pod, Slot);

    World& world_;
    const PredicateSet& predicates_;
    Attempts& attempts_;
    Lifecycle& lifecycle_;
    GangDomains& domains_;
    const GangDomain* domain_ = nullptr;  // that is searched
    std::size_t looked_at_ = 0;           // members, in all domains
    const VictimSearch search_;
    std::vector<MemberNomination> found_;
    std::uint32_t failed_predicates_ = 0;
    std::vector<Slot> order_;  // in which nodes are looked at; empty: nobody has looked yet
    std::size_t at_ = 0;       // in it: the node that was taken last
    std::size_t looks_ = 0;
    ClassId failed_class_ = kNone<ClassId>;
    std::uint64_t failed_at_ = 0;
    std::size_t failed_looks_ = 0;
};

}  // namespace bayplan
