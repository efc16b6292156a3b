// Since when queues are over their maxima, and when they shrink (rules/quotas.md). Few are in here.
//
// Thread: the engine's. Owner: World. Plain tables: engine/quota_steps.h keeps them.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>

namespace bayplan {

struct QuotaClock {
    std::int64_t since_ns = 0;
    std::int64_t over_since_ns = 0;  // since when without a break; a clock that began anew is younger
    std::int64_t due_ns = INT64_MAX;
    bool in_vain = false;  // it began anew as nobody was found
};

struct QuotaClocks {
    // By path: a queue may be gone, and made anew, while nobody looks. Children come before their parents.
    std::map<std::string, QuotaClock, std::greater<>> by_path;
    std::int64_t next_due_ns = INT64_MAX;   // the least due time
    std::int64_t next_time_ns = INT64_MAX;  // likewise, but for those in vain: time alone lets nobody go
};

}  // namespace bayplan
