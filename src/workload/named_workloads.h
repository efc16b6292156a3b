// Loads by name, named and shaped as the cases of Kubernetes' scheduler_perf, and the generic one.
//
// Thread: any, pure functions.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "workload/workload.h"

namespace bayplan::workload {

// The pods of a load. `yunikorn`: its BenchmarkScheduling; `daemonset`: each for one of eight nodes; `each_node`,
// `each_field`: a pod for each node, by its name or by matchFields; `unschedulable`: pods that fit nowhere wait before
// the others come.
enum class PodPattern : std::uint8_t { plain, yunikorn, daemonset, each_node, each_field, unschedulable };

// In what a load differs from one class on an empty cluster of equal nodes.
struct Extras {
    std::uint32_t machines = 1;    // types of machines, at most 5
    std::uint32_t priorities = 1;  // each with its share of the classes
    std::uint32_t filled = 0;      // percent of each node's cpu in use before, some points more or less
    std::uint32_t churn_stay = 0;  // turns of 1,024 pods after which they go; 0 = they stay
    PodPattern pattern = PodPattern::plain;
};

struct NamedWorkload {
    std::string_view name;
    std::string_view summary;
    std::uint32_t nodes = 0;
    std::uint32_t pods = 0;
    std::uint32_t classes = 0;  // at most kClassesMax; 0: all pods as scheduler_perf's default pod
    Extras extras = {};

    // Whether it is nodes and pods alone, so that `bayplan load` can send it.
    bool sendable() const {
        return extras.filled == 0 && extras.churn_stay == 0 && extras.pattern == PodPattern::plain;
    }
};

inline constexpr std::uint32_t kClassesMax = 200'000;

// The registry; a new named load is a line of it.
std::span<const NamedWorkload> named_workloads();

// Null if there is none of that name.
const NamedWorkload* find_workload(std::string_view name);

Workload make_workload(const NamedWorkload&);

}  // namespace bayplan::workload
