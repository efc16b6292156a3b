// CPU time and lost CPUs of a process of this host, as the kernel counts them over the process's threads.
//
// Thread: any. Needs no privilege. CPU time costs about a microsecond: a load asks at its first ask and at
// its last answer, which a status file written once a second could not tell for a run of 0.1 s.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>

namespace bayplan::cli {

// Nanoseconds since the process began; nothing if there is no such process here.
std::optional<std::int64_t> process_cpu_ns(pid_t);

// How often something else took the CPU of one of its present threads, since each began: some ten microseconds
// per thread. Nothing if there is no such process here.
std::optional<std::uint64_t> involuntary_switches(pid_t);

}  // namespace bayplan::cli
