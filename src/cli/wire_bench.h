// A workload of the suite through the wire: `tuning/quickstart` starts the daemon and a shim, this reads their reports.
//
// Runs from a build directory inside the source tree only, where both programs and that script are.
//
// Thread: main; blocks for some seconds per run, while the processes run. Errors: as text.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "measure/measure.h"
#include "workload/bench_catalogue.h"

namespace bayplan::cli {

// `runs` as fast as it goes, and as many at the load's rate. `tell` hears what is done next.
std::optional<measure::WireFigures> measure_wire(const workload::WireLoad&, int runs, const measure::Tell& tell,
                                                 std::string& error);

// The figures of several reports of `bayplan load` (JSON): medians.
std::optional<measure::WireFigures> wire_figures(const std::vector<std::string>& fast,
                                                 const std::vector<std::string>& paced, std::string& error);

}  // namespace bayplan::cli
