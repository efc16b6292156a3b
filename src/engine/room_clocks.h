// Since when leaves have had asks that a maximum leaves no room though they are guaranteed it, and when pods may go for them
// (rules/guarantees.md).
//
// Thread: the engine's. Owner: World. Plain tables: engine/room_steps.h keeps them.
#pragma once

#include <cstdint>
#include <map>
#include <string>

namespace bayplan {

struct RoomClock {
    std::int64_t since_ns = 0;
    std::int64_t due_ns = 0;  // by the delay that the leaf had at the last look
};

using RoomClocks = std::map<std::string, RoomClock, std::less<>>;  // by path

}  // namespace bayplan
