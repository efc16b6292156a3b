// See next_timer.h.
#include "engine/next_timer.h"

#include <algorithm>

namespace bayplan {

std::int64_t next_timer_ns(const World& world, const QuotaSteps& quotas, const RoomSteps& room) {
    std::int64_t next = std::min(
        {world.backoff.next_time_ns(), world.nacked.next_time_ns(), world.departures.next_time_ns(),
         world.reservations.next_time_ns(), world.plugins.next_time_ns(), world.gangs.next_deadline_ns(),
         world.gangs.reserved_until_ns(), world.placeholders.next_deadline_ns(), world.guarantee_waits.next_time_ns(),
         quotas.next_time_ns(), room.next_time_ns(), world.rests.next_time_ns()});
    for (std::uint32_t number = 0; world.resyncs.holding > 0 && number < world.shims.size(); ++number) {
        const ResyncHold& hold = world.shims[static_cast<ShimId>(number)].hold;
        next = hold.holds() ? std::min(next, hold.until_ns()) : next;
    }
    return next;
}

}  // namespace bayplan
