// Wall and CPU time of a piece of work.
//
// Thread: the thread whose work is measured. Units: seconds.
#pragma once

#include <time.h>

#include <algorithm>
#include <utility>

namespace bayplan::measure {

inline double seconds_by(clockid_t clock) {
    timespec now{};
    clock_gettime(clock, &now);
    return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

// Of a piece of work, or the least of several.
struct Cost {
    double wall = 1e9;
    double engine_cpu = 1e9;  // of the calling thread
    double all_cpu = 1e9;     // of the process

    void keep_least(const Cost& other) {
        wall = std::min(wall, other.wall);
        engine_cpu = std::min(engine_cpu, other.engine_cpu);
        all_cpu = std::min(all_cpu, other.all_cpu);
    }
};

template <typename Work>
Cost cost_of(Work&& work) {
    const double engine = seconds_by(CLOCK_THREAD_CPUTIME_ID);
    const double all = seconds_by(CLOCK_PROCESS_CPUTIME_ID);
    const double wall = seconds_by(CLOCK_MONOTONIC);
    std::forward<Work>(work)();
    return {.wall = seconds_by(CLOCK_MONOTONIC) - wall,
            .engine_cpu = seconds_by(CLOCK_THREAD_CPUTIME_ID) - engine,
            .all_cpu = seconds_by(CLOCK_PROCESS_CPUTIME_ID) - all};
}

}  // namespace bayplan::measure
