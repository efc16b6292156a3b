// Nodes that gangs hold until they have their minimum, and who may have them first: an ask that finds no node looks again
// as if gangs behind it in the order held none, and as many of these give way as must (rules/gangs.md).
//
// Thread: the engine's.
#pragma once

#include <optional>

#include "engine/lifecycle.h"

namespace bayplan {

class Yielding {
public:
    Yielding(World& world, const PredicateSet& predicates, Lifecycle& lifecycle)
        : world_(world), predicates_(predicates), lifecycle_(lifecycle) {}

    // Within its scope members of gangs behind the ask are on no node that they hold.
    class Without {
    public:
        Without(const Yielding&, AskId);
        bool any() const { return tentative_.has_value(); }

    private:
        std::optional<Tentative> tentative_;
    };

    // The node would take the ask if they were not there. Gangs give way until it does, the last in the order first: of
    // gangs that hold something there, while there are any.
    void make_room(AskId, Slot);

private:
    bool passes(AskId, Slot) const;
    GangId last_behind(AskId, Slot) const;

    World& world_;
    const PredicateSet& predicates_;
    Lifecycle& lifecycle_;
};

}  // namespace bayplan
