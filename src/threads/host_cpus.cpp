// The host's CPUs from sysfs, the process's from its affinity mask.
//
// Thread: main, once.
#include "threads/host_cpus.h"

#include <sched.h>

#include <fstream>
#include <string>

namespace bayplan::threads {

HostCpus read_host_cpus() {
    HostCpus host;
    cpu_set_t mask;
    CPU_ZERO(&mask);
    if (sched_getaffinity(0, sizeof mask, &mask) == 0) {
        for (std::size_t cpu = 0; cpu < kCpusMax; ++cpu) {
            if (CPU_ISSET(cpu, &mask)) host.allowed.add(cpu);
        }
    }
    std::string line;
    std::string error;
    if (std::getline(std::ifstream("/sys/devices/system/cpu/online"), line)) {
        host.online = CpuSet::parse(line, error).value_or(CpuSet());
    }
    if (host.online.empty()) host.online = host.allowed;
    return host;
}

}  // namespace bayplan::threads
