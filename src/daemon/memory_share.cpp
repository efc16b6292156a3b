// Reads /proc and the control group's limit. Thread: main.
#include "daemon/memory_share.h"

#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <string>

namespace bayplan::daemon {
namespace {

constexpr std::uint64_t kUnacknowledgedMin = 16u << 20;

// Of the process's own group and those above it (version 2). UINT64_MAX: none.
std::uint64_t group_limit() {
    std::ifstream groups("/proc/self/cgroup");
    std::string path;
    for (std::string line; std::getline(groups, line);) {
        if (line.starts_with("0::")) path = line.substr(3);
    }
    std::uint64_t least = UINT64_MAX;
    while (path.size() > 1) {
        std::ifstream file("/sys/fs/cgroup" + path + "/memory.max");
        std::uint64_t limit = 0;
        if (file >> limit) least = std::min(least, limit);  // else it says "max"
        path.resize(path.rfind('/'));
    }
    return least;
}

}  // namespace

std::uint64_t memory_bytes() {
    const long pages = sysconf(_SC_PHYS_PAGES);
    const long page = sysconf(_SC_PAGESIZE);
    if (pages <= 0 || page <= 0) return 0;
    return std::min(static_cast<std::uint64_t>(pages) * static_cast<std::uint64_t>(page), group_limit());
}

void share_memory(std::uint64_t memory_bytes, std::vector<config::PartitionConfig>& partitions) {
    for (config::PartitionConfig& partition : partitions) {
        EngineOptions& engine = partition.engine;
        if (engine.bytes_max == 0) engine.bytes_max = memory_bytes / 4 / partitions.size();
        if (engine.unacknowledged_bytes_max == 0) {
            engine.unacknowledged_bytes_max = std::max(kUnacknowledgedMin, engine.bytes_max / 64);
        }
    }
}

}  // namespace bayplan::daemon
