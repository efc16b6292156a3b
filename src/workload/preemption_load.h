// A cluster full of pods of low priority, and pods of high priority that fit nowhere: the shape of scheduler_perf's
// PreemptionBasic, with as many different preemptors as wanted.
//
// Thread: plain data.
#pragma once

#include <cstdint>
#include <string_view>

namespace bayplan::workload {

struct PreemptionLoad {
    std::string_view name;
    std::uint32_t nodes = 0;
    std::uint32_t preemptors = 0;
    std::uint32_t classes = 0;         // distinct preemptors; 0 = every one is its own
    std::uint32_t pods_per_node = 30;  // of three low priorities, full by cpu
};

}  // namespace bayplan::workload
