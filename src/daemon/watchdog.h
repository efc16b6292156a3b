// Which threads of the daemon do not go on.
//
// Thread: main, which looks once a second. Owner: main; heartbeats are their threads'.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "instruments/heartbeat.h"

namespace bayplan::daemon {

class Watchdog {
public:
    using Clock = std::chrono::steady_clock;
    // 0: nobody is ever found stuck.
    explicit Watchdog(std::chrono::nanoseconds limit) : limit_(limit) {}

    void watch(std::string thread, const instruments::Heartbeat&);

    // A thread that is stuck since this look, or goes on again since it.
    struct Change {
        std::string thread;
        std::string doing;  // the part of its turn
        std::chrono::milliseconds silent_for{0};
        bool stuck = false;
    };
    std::vector<Change> look(Clock::time_point now);

    std::vector<std::string> stuck() const;  // threads by name

private:
    struct Watched {
        std::string thread;
        const instruments::Heartbeat* heartbeat;
        std::uint64_t beats = 0;  // when they last changed
        Clock::time_point since;
        bool stuck = false;
    };
    const std::chrono::nanoseconds limit_;
    std::vector<Watched> watched_;
    Clock::time_point last_look_{};
};

}  // namespace bayplan::daemon
