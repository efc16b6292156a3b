// Cores, hardware threads and NUMA domains of the host, from hwloc. The only user of hwloc is the .cpp.
//
// Thread: main (for another root than "/" an environment variable is set meanwhile).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "host/host_files.h"
#include "threads/cpu_set.h"

namespace bayplan::host {

// One core: its hardware threads.
struct Core {
    threads::CpuSet cpus;
    int numa = -1;  // domain of its memory; -1 = not known
};

struct NumaDomain {
    int number = 0;
    threads::CpuSet cpus;
    std::int64_t memory_bytes = 0;
};

struct HostTopology {
    std::vector<Core> cores;  // in order of their first CPU
    std::vector<NumaDomain> domains;

    // The other hardware threads of the CPU's core.
    threads::CpuSet siblings(std::size_t cpu) const;
    int numa_of(std::size_t cpu) const;  // -1: not known
    // The domains of these CPUs, ascending, each once.
    std::vector<int> numa_of(const threads::CpuSet&) const;
};

Known<HostTopology> read_topology(const HostFiles&);

}  // namespace bayplan::host
