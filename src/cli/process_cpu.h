// How much CPU time a process of this host has used: the kernel's own sum over its threads.
//
// Thread: any. Needs no privilege, and costs about a microsecond: a load asks at its first ask and at
// its last answer, which a status file written once a second could not tell for a run of 0.1 s.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <ctime>
#include <optional>

namespace bayplan::cli {

// Nanoseconds since the process began; nothing if there is no such process here.
inline std::optional<std::int64_t> process_cpu_ns(pid_t pid) {
    clockid_t clock{};
    timespec used{};
    if (pid <= 0 || clock_getcpuclockid(pid, &clock) != 0 || clock_gettime(clock, &used) != 0) {
        return std::nullopt;
    }
    return std::int64_t{used.tv_sec} * 1'000'000'000 + used.tv_nsec;
}

}  // namespace bayplan::cli
