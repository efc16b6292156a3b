// The report of a load: for people, and as JSON.
//
// Thread: any, pure functions. Where the daemon's status is not known, packets and drops are the
// shim's own port's, and digest, workers, cores and cpus are null.
#pragma once

#include <optional>
#include <string>

#include "cli/daemon_status.h"
#include "cli/load_result.h"
#include "workload/workload.h"

namespace bayplan::cli {

std::string report_text(const LoadResult&, const workload::Workload&, const std::optional<DaemonStatus>&);
std::string report_json(const LoadResult&, const workload::Workload&, const std::optional<DaemonStatus>&);

}  // namespace bayplan::cli
