// When time alone will change something in an engine: the earliest of all that wait for a moment.
//
// Thread: the engine's; pure.
#pragma once

#include <cstdint>

#include "engine/quota_steps.h"
#include "engine/room_steps.h"
#include "engine/world.h"

namespace bayplan {

// INT64_MAX: nothing waits.
std::int64_t next_timer_ns(const World&, const QuotaSteps&, const RoomSteps&);

}  // namespace bayplan
