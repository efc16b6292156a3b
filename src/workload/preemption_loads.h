// Clusters full of pods of low priority, and pods of high priority that fit nowhere. PreemptionBasic has the shape of
// scheduler_perf's; the others are 30 pods a node, with as many different preemptors as their names say.
//
// Thread: plain data.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace bayplan::workload {

struct PreemptionLoad {
    std::string name;
    std::uint32_t nodes = 0;
    std::uint32_t preemptors = 0;
    std::uint32_t classes = 0;  // of preemptors; 0: every one is its own
    std::uint32_t pods_per_node = 30;
    std::int64_t node_cpu = 3'000;  // in thousandths
    std::int64_t pod_cpu = 100;
    std::int64_t preemptor_cpu = 250;  // and up to 96 more, by class
    std::uint32_t low_priorities = 3;
    bool uneven = false;           // pods of 50 to 150 thousandths in place of equal ones
    std::uint32_t full_nodes = 0;  // the others have no pods; 0: all are full
    // Awkward ones (awkward_preemption.h).
    std::uint32_t applications = 0;  // of the pods, each with a label and a budget; 0: none have any
    std::int32_t budget_allows = 0;
    std::uint32_t groups_apart = 0;  // of preemptors, by turns; no two of a group share a node
    bool nobody_below = false;       // preemptors have the least priority: nobody goes for them
};

// PreemptionBasic and PreemptionAsync of scheduler_perf.
PreemptionLoad basic_preemption(std::string name, std::uint32_t nodes, std::uint32_t preemptors);

// Of so many nodes, for which each list has its own sizes: 40 and 500 (which the naive oracle can follow), 5,000, 100,000.
std::vector<PreemptionLoad> preemption_loads(std::uint32_t nodes);

}  // namespace bayplan::workload
