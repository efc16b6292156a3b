// Parts of read_host_facts() that have a file of their own.
//
// Thread: as read_host_facts().
#pragma once

#include "host/host_facts.h"

namespace bayplan::host {

// Memory, swap, hugepages, transparent ones, NUMA balancing.
void read_memory(const HostFiles&, HostFacts&);

Limits read_limits(const HostFiles&);
// The CPUs of this process's own cpuset if that is an isolated partition; else none.
Known<threads::CpuSet> isolated_by_cpuset(const HostFiles&);

}  // namespace bayplan::host
