// Which CPUs this host has and which of them this process may use.
//
// Thread: read once at the start of main(), before anything pins a thread: pinning (ours, or DPDK's
// EAL on the thread that starts it) changes what sched_getaffinity answers.
#pragma once

#include "threads/cpu_set.h"

namespace bayplan::threads {

struct HostCpus {
    CpuSet online;   // of the host
    CpuSet allowed;  // to the calling thread now: cpuset, taskset
};

// Where the host does not tell what is online, that is taken to be what is allowed.
HostCpus read_host_cpus();

}  // namespace bayplan::threads
