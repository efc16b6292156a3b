// Files of a cluster's objects, read with a word now and then on how far it is.
//
// Thread: main.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kube/cluster_dump.h"
#include "terminal/progress.h"

namespace bayplan::cli {

// Thrown when Ctrl-C came (interrupt.h) while a file was read: half a dump is good for nothing.
struct InterruptedReading {};

// Nanoseconds of a clock that only goes forward.
std::int64_t now_ns();

// All of them, into one dump; "-" is standard input. False: none can be read, and the dump's faults say why.
bool read_files(const std::vector<std::string>& files, kube::ClusterDump&, terminal::Progress&);

}  // namespace bayplan::cli
