// Decisions per second in one process for scheduler_perf's affinity and topology spread loads, all
// default predicates and scores on, every node considered. Prints one line per load and executor:
//
//   pods/s     measured pods by wall time, all asks there (best of the runs)
//   cpu/s      the same by CPU time of all threads: what other work on the machine hardly touches
//   intake     the same by wall time with the asks' intake in it
//   searches   attempts that looked at cluster-wide counts or scores
//   inline, graph   batches by path;  nodes   different nodes that got measured pods;  digest
//
// --large: 100,000 nodes. With --small (500 nodes, a tenth of the pods) the naive oracle takes the same inputs, and every
// digest must equal its own. Exit status 1 if one differs, a pod is left over or no load was chosen.
// Thread: main; the engine has its own workers.
#include <algorithm>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include <CLI/CLI.hpp>

#include "measure/kube_driver.h"
#include "measure/scheduler.h"
#include "measure/stopwatch.h"
#include "oracle_side.h"
#include "workload/kube_loads.h"

namespace bayplan::bench {
namespace {

using namespace measure;
using workload::KubeLoad;

struct Way {
    const char* name;
    ExecutorKind executor;
    std::uint32_t workers;
    BatchPath path;
};
constexpr Way kWays[] = {
    {"inline", ExecutorKind::inline_, 1, BatchPath::inline_},
    {"tbb1", ExecutorKind::tbb, 1, BatchPath::automatic},
    {"tbb2", ExecutorKind::tbb, 2, BatchPath::automatic},
};

// Of the measured pods of one load, one way.
struct Result {
    double decide_wall = 1e9;
    double decide_cpu = 1e9;
    double intake_wall = 1e9;
    EngineCounters before;
    EngineCounters after;
    std::size_t nodes = 0;
    std::uint64_t faults = 0;
    std::string digest;
};

// One run; the times in `least` become the least of all runs so far.
void run_once(const KubeLoad& load, const Way& way, Result& least) {
    EngineOptions options;
    options.executor = way.executor;
    options.workers = way.workers;
    options.path = way.path;
    EngineScheduler side(options);
    KubeDriver driver(load, side);
    driver.register_cluster();
    driver.place_init();
    least.before = side.engine().counters();
    const std::uint64_t first = side.sink().last_decision() + 1;

    const double start = seconds_by(CLOCK_MONOTONIC);
    driver.ask_measured();
    const double cpu = seconds_by(CLOCK_PROCESS_CPUTIME_ID);
    const double asked = seconds_by(CLOCK_MONOTONIC);
    driver.decide_all();
    const double end = seconds_by(CLOCK_MONOTONIC);
    least.decide_cpu = std::min(least.decide_cpu, seconds_by(CLOCK_PROCESS_CPUTIME_ID) - cpu);
    least.decide_wall = std::min(least.decide_wall, end - asked);
    least.intake_wall = std::min(least.intake_wall, end - start);

    least.after = side.engine().counters();
    least.nodes = side.sink().nodes_used(first);
    least.faults = side.sink().rejections() + side.sink().cuts() + load.measured_pods() -
                   (least.after.placed - least.before.placed);
    least.digest = side.engine().digest();
}

void print(const KubeLoad& load, const Way& way, const Result& result) {
    const auto pods = static_cast<double>(load.measured_pods());
    std::printf("%-36s %-6s %9.0f %9.0f %9.0f %9llu %7llu %6llu %6zu  %.16s\n", std::string(load.name).c_str(),
                way.name, pods / result.decide_wall, pods / result.decide_cpu, pods / result.intake_wall,
                static_cast<unsigned long long>(result.after.searches - result.before.searches),
                static_cast<unsigned long long>(result.after.batches_inline - result.before.batches_inline),
                static_cast<unsigned long long>(result.after.batches_graph - result.before.batches_graph), result.nodes,
                result.digest.c_str());
    std::fflush(stdout);
}

std::string oracle_digest(const KubeLoad& load) {
    OracleSide side;
    KubeDriver driver(load, side);
    driver.register_cluster();
    driver.place_init();
    driver.ask_measured();
    driver.decide_all();
    return side.digest();
}

// True if nothing was left over and all digests are the same.
bool measure(const KubeLoad& load, const std::string& only, int runs, bool compare) {
    std::string expected;
    if (compare) {
        expected = oracle_digest(load);
        std::printf("%-36s %-6s %77.16s\n", std::string(load.name).c_str(), "oracle", expected.c_str());
    }
    bool good = true;
    for (const Way& way : kWays) {
        if (!only.empty() && only != way.name) {
            continue;
        }
        Result least;
        for (int run = 0; run < runs; ++run) {
            run_once(load, way, least);
        }
        print(load, way, least);
        if (expected.empty()) {
            expected = least.digest;
        }
        if (least.digest != expected || least.faults != 0) {
            std::printf("%-36s %-6s FAULT: %s, %llu items not taken or not placed\n", std::string(load.name).c_str(),
                        way.name, least.digest == expected ? "same digest" : "another digest",
                        static_cast<unsigned long long>(least.faults));
            good = false;
        }
    }
    return good;
}

}  // namespace
}  // namespace bayplan::bench

int main(int argc, char** argv) {
    CLI::App app("scheduler_perf's affinity and topology spread loads, in process");
    bool small = false;
    bool large = false;
    int runs = 3;
    std::string load_filter;
    std::string way;
    app.add_flag("--small", small, "500 nodes, and the naive oracle beside the engine");
    app.add_flag("--large", large, "100,000 nodes")->excludes("--small");
    app.add_option("--runs", runs, "runs of each; the best counts")->check(CLI::Range(1, 1'000));
    app.add_option("--load", load_filter, "only loads whose name has this in it");
    app.add_option("--executor", way, "only this one")->check(CLI::IsMember({"inline", "tbb1", "tbb2"}));
    CLI11_PARSE(app, argc, argv);

    std::printf("%-36s %-6s %9s %9s %9s %9s %7s %6s %6s  %s\n", "load", "exec", "pods/s", "cpu/s", "intake", "searches",
                "inline", "graph", "nodes", "digest");
    bool good = true;
    std::size_t ran = 0;
    using bayplan::workload::KubeScale;
    const KubeScale scale = small ? KubeScale::small : large ? KubeScale::large : KubeScale::full;
    for (const auto& load : bayplan::workload::kube_loads(scale)) {
        if (load.name.find(load_filter) != std::string_view::npos) {
            ++ran;
            good = bayplan::bench::measure(load, way, runs, small) && good;
        }
    }
    return good && ran > 0 ? 0 : 1;
}
