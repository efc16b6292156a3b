// Preemption in clusters where more than amounts has a say: a disruption budget for each application, preemptors that keep
// away from each other, and pods for which nobody may go, all woken by one node.
//
// Thread: plain data.
#pragma once

#include <cstdint>
#include <vector>

#include "workload/preemption_loads.h"

namespace bayplan::workload {

// Of so many nodes: 40 and 200 (which the naive oracle can follow), 5,000, 100,000.
std::vector<PreemptionLoad> awkward_preemption(std::uint32_t nodes);

}  // namespace bayplan::workload
