// See watchdog.h.
#include "daemon/watchdog.h"

#include <algorithm>
#include <utility>

namespace bayplan::daemon {
namespace {

constexpr std::chrono::nanoseconds kAway = std::chrono::seconds(2);  // a look is due every second

}  // namespace

void Watchdog::watch(std::string thread, const instruments::Heartbeat& heartbeat) {
    watched_.push_back({std::move(thread), &heartbeat, heartbeat.beats(), Clock::now()});
}

std::vector<Watchdog::Change> Watchdog::look(Clock::time_point now) {
    std::vector<Change> changes;
    if (limit_.count() == 0) return changes;
    // The whole process was stopped, or main was: nobody's silence tells anything.
    const bool away = last_look_ != Clock::time_point() && now - last_look_ > std::max(kAway, limit_ / 2);
    last_look_ = now;
    for (Watched& each : watched_) {
        const std::uint64_t beats = each.heartbeat->beats();
        const bool goes_on = beats != each.beats;
        if (goes_on || (away && !each.stuck)) each.since = now;
        each.beats = beats;
        const bool stuck = goes_on ? false : each.stuck || now - each.since >= limit_;
        if (std::exchange(each.stuck, stuck) == stuck) continue;
        changes.push_back({each.thread, each.heartbeat->doing(),
                           std::chrono::duration_cast<std::chrono::milliseconds>(now - each.since), stuck});
    }
    return changes;
}

std::vector<std::string> Watchdog::stuck() const {
    std::vector<std::string> threads;
    for (const Watched& each : watched_) {
        if (each.stuck) threads.push_back(each.thread);
    }
    return threads;
}

}  // namespace bayplan::daemon
