// How many pods of a class the domains of a topology key take, kept up to date by the blocks that changed: by amounts and by
// facts of nodes alone, so that it is no less than can be placed (rules/gangs.md, "Topology").
//
// Thread: the engine's. Owner: GangDomains.
#pragma once

#include <cstdint>
#include <list>
#include <memory>
#include <vector>

#include "engine/world.h"
#include "predicates/predicate_set.h"

namespace bayplan {

enum class Room : std::uint8_t { that_is_free, of_whole_nodes };

class DomainPlaces {
public:
    // Of one node.
    static constexpr std::int64_t kMost = 16'384;

    DomainPlaces(World& world, const PredicateSet& predicates);

    // By domain of the key. Valid until the next call.
    const std::vector<std::uint64_t>& of(ClassId, KeyId, Room);
    // The key's column is given up.
    void forget(KeyId);
    // Bits of predicates that fail pods where there are no places.
    std::uint32_t predicates() const { return bits_; }

private:
    static constexpr std::size_t kKept = 16;
    struct Entry {
        std::shared_ptr<const AskClass> ask_class;  // held, so that no other can be taken for it
        KeyId key{};
        Room room = Room::that_is_free;
        std::uint64_t position = 0;         // of the nodes' change log
        std::vector<Domain> domains;        // by slot
        std::vector<std::uint16_t> takes;   // by slot
        std::vector<std::uint64_t> places;  // by domain
    };

    void bring_up_to_date(Entry&, ClassId);
    void judge_block(Entry&, const Subject&, std::uint32_t number);
    std::uint16_t takes(const Entry&, const NodeBlock&, std::uint32_t lane) const;

    World& world_;
    std::vector<const Predicate*> of_nodes_;  // in force; they look at nothing but the node
    std::uint32_t bits_ = 0;
    bool by_amounts_ = false;
    std::list<Entry> entries_;  // used last first
    std::vector<std::uint32_t> changed_;
    ReasonCounts reasons_;  // of no interest
};

}  // namespace bayplan
