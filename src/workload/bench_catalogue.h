// Everything that `bayplan bench` can run, by name: the one list of workloads of the suite.
//
// Thread: any; plain data.
#pragma once

#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "workload/awkward_loads.h"
#include "workload/kube_loads.h"
#include "workload/named_workloads.h"
#include "workload/preemption_loads.h"

namespace bayplan::workload {

// Two processes and the wire between them: not run in this one.
struct WireLoad {
    std::string_view workload;  // for `bayplan load --workload`: of named_workloads or preemption_workload
    bool recorded = false;      // the daemon writes a record of its run
    // Asks per second of the runs that give the latency: half of the 150,000 that are promised at least.
    std::uint64_t rate = 75'000;
    // A plugin of the shim, for `bayplan load --plugin-answers-in`; empty: none.
    std::string_view plugin_answers_in = {};
    double plugin_share = 1;  // of the pods
};

struct BenchCase {
    std::string name;
    std::string summary;
    std::uint32_t nodes = 0;
    std::uint32_t pods = 0;  // measured ones
    std::variant<NamedWorkload, KubeLoad, PreemptionLoad, AwkwardLoad, WireLoad> load;
};

std::vector<BenchCase> bench_catalogue();

// The cases whose name matches one of the patterns (`*` stands for anything), in the order of the catalogue; a pattern
// that matches none goes into `unknown`.
std::vector<BenchCase> choose_cases(const std::vector<std::string>& patterns, std::string& unknown);

}  // namespace bayplan::workload
