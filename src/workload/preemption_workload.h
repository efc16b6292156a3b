// Loads of preemption as a shim can send them: pods of low priority that run when the daemon hears of the cluster, and asks of
// high priority that fit nowhere until some of those are gone. Victims do not come back (`Workload::victims_end`).
//
// Thread: any, pure functions. Errors: a name that nobody has is nothing.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "workload/preemption_loads.h"
#include "workload/workload.h"

namespace bayplan::workload {

// Those whose pods are alike, by the names that the catalogue of the suite has for them.
std::vector<std::string> sendable_preemptions();
// Null if a shim cannot send one of that name.
std::optional<PreemptionLoad> find_preemption(std::string_view name);
std::string name_of(const PreemptionLoad&);

Workload make_workload(const PreemptionLoad&);

}  // namespace bayplan::workload
