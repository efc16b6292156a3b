// Figures of a workload through the wire: daemon and shim as two processes of this host.
//
// Thread: plain data.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "measure/latency.h"

namespace bayplan::measure {

// Pods that need no plugin, of a load in which some need one.
struct WithoutPlugin {
    double per_s = 0;  // as fast as flow control lets all of them
    double p50_us = 0;
    double p99_us = 0;
};

struct WireFigures {
    std::string port;  // the daemon's
    std::string note;  // why that port, if another was wanted
    double per_s = 0;  // as fast as flow control lets it: the median of the runs
    double per_s_least = 0;
    double per_s_most = 0;
    double daemon_cores = 0;  // meanwhile; CPU time over wall time
    double shim_cores = 0;
    std::uint64_t rate = 0;                // asks per second, for all that follows
    Latency latency;                       // from the intended time of sending an ask to its allocation
    std::uint64_t switches_of_daemon = 0;  // involuntary ones
    std::uint64_t switches_of_shim = 0;
    std::uint64_t dropped = 0;  // frames by the daemon's port, of all runs
    std::optional<WithoutPlugin> without_plugin;
    std::string digest;  // of the last run; it depends on when what came in
};

}  // namespace bayplan::measure
