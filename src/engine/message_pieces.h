// Cuts a message that would take long into pieces (rules/sessions.md), so that the daemon can let other shims' work run in
// between. The cost of a piece is counted in steps: one is about the cost of an ask.
//
// Thread: the engine's. Owner: the engine; a piece is valid until the next cut.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "engine/world.h"

namespace bayplan {

class MessagePieces {
public:
    explicit MessagePieces(World& world) : world_(world) {}

    // Cuts about so many steps off the beginning of `rest`. False: it has not many more, and is to be applied as it is.
    bool cut(StateMessage& rest, std::uint32_t steps, StateMessage& piece);

private:
    bool cut(const Shim&, std::uint32_t, DefineMessage& rest, StateBody& piece);
    bool cut(const Shim&, std::uint32_t, ForgetMessage& rest, StateBody& piece);
    bool cut(Shim&, std::uint32_t, NodesMessage& rest, StateBody& piece);
    bool cut(Shim&, std::uint32_t, ApplicationsMessage& rest, StateBody& piece);
    bool cut(const Shim&, std::uint32_t, AsksMessage& rest, StateBody& piece);
    bool cut(Shim&, std::uint32_t, ReleasesMessage& rest, StateBody& piece);
    bool cut(const Shim&, std::uint32_t, NacksMessage& rest, StateBody& piece);
    bool cut(const Shim&, std::uint32_t, ResyncBeginMessage& rest, StateBody& piece);
    bool cut(const Shim&, std::uint32_t, ResyncEndMessage& rest, StateBody& piece);
    bool cut(const Shim&, std::uint32_t, ConfigurationMessage& rest, StateBody& piece);
    bool cut(const Shim&, std::uint32_t, SpecsMessage& rest, StateBody& piece);
    bool cut(const Shim&, std::uint32_t, ObjectsMessage& rest, StateBody& piece);
    bool cut(const Shim&, std::uint32_t, PluginAnswersMessage& rest, StateBody& piece);

    bool cut_specs(const Shim&, std::uint32_t, SpecsMessage& rest, SpecsMessage& cut_off) const;
    std::size_t entries_of_spec(const Shim&, SpecNumber) const;
    std::uint32_t steps_of(Shim&, const NodeItem&) const;
    // Of its asks, but no more than `most`.
    std::uint32_t asks_of(Shim&, DictId application, std::uint32_t most) const;
    StateBody releases_of(Shim&, DictId application, std::uint32_t most, Termination);

    World& world_;
    ShimId shim_ = kNone<ShimId>;  // whose message it is
    std::uint32_t things_ = 0;     // of a piece without items
    std::vector<std::string> keys_;
    std::vector<ReleaseItem> releases_;
};

}  // namespace bayplan
