// Latency as percentiles.
//
// Thread: plain data.
#pragma once

#include <cstdint>
#include <vector>

namespace bayplan::measure {

struct Latency {
    double p50_us = 0;
    double p99_us = 0;
    double p999_us = 0;
};

// Exact, of values in ns; the vector is sorted.
Latency latency_of(std::vector<std::int64_t>& times_ns);

}  // namespace bayplan::measure
