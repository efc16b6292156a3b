// Loads by name, named and shaped as the cases of Kubernetes' scheduler_perf, and the generic one.
//
// Thread: any, pure functions.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "workload/workload.h"

namespace bayplan::workload {

struct NamedWorkload {
    std::string_view name;
    std::string_view summary;
    std::uint32_t nodes = 0;
    std::uint32_t pods = 0;
    std::uint32_t classes = 0;  // at most kClassesMax; 0: all pods as scheduler_perf's default pod
};

inline constexpr std::uint32_t kClassesMax = 200'000;

// The registry; a new named load is a line of it.
std::span<const NamedWorkload> named_workloads();

// Null if there is none of that name.
const NamedWorkload* find_workload(std::string_view name);

Workload make_workload(const NamedWorkload&);

}  // namespace bayplan::workload
