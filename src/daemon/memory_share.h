// Limits in bytes that the configuration leaves to the host's memory.
//
// Thread: main, before the engines start.
#pragma once

#include <cstdint>
#include <vector>

#include "config/config.h"

namespace bayplan::daemon {

// Memory that this process may use: the machine's, or less by its control group's limit. 0 if neither is known.
std::uint64_t memory_bytes();

// Settings of 0 get their values: a quarter of the memory in equal parts; a 64th of that part, but 16 MiB at least, for the
// unacknowledged decisions of one shim. Recorded so, hence a replay has the same.
void share_memory(std::uint64_t memory_bytes, std::vector<config::PartitionConfig>&);

}  // namespace bayplan::daemon
