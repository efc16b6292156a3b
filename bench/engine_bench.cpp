// Decisions per second in one process: the engine by executor and path, and the plain scan as its
// peer in the same run. Every run's sequence of placements must hash to what the scan chose; if one
// does not, or the filter matches nothing, the exit status is 1.
//
//   scan/LOAD                            the peer
//   decide/LOAD/EXECUTOR/PATH            all asks are there; attempts, decisions, acknowledgements
//   stream/LOAD/EXECUTOR/PATH            the same with the asks coming in by turns: intake included
//
// EXECUTOR is inline, or tbb with its number of workers; PATH is inline, graph or automatic; with /teller a second
// thread tells what was decided.
// Time is wall time of the deciding part. Counters: decisions/s on average (items_per_second) and
// of the best iteration (best); CPU time per decision of the engine's thread (engine_ns) and of all
// threads (all_ns), the least of the iterations; x_scan, the peer's CPU time over all_ns, so that
// other work on the machine hardly touches it; intake_ns (per ask, `decide` only); batches by path,
// batches overlapped, proposals, blocks rechecked at commit per decision. The label shows the hash
// and the decision digest.
#include <cstdio>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>

#include "measure/engine_driver.h"
#include "measure/scan_baseline.h"
#include "measure/stopwatch.h"
#include "workload/named_workloads.h"

namespace bayplan::bench {
namespace {

using namespace measure;
using workload::NamedWorkload;
using workload::Workload;

// The plain loads that `bayplan bench` has too, with the names of workload/named_workloads.
constexpr const char* kLoads[] = {
    "SchedulingBasic/500Nodes_1000Pods",
    "Overfull/100Nodes_6000Pods",
    "ManyClasses/500Nodes_2000Pods_50",
    "Mixed/500Nodes_3000Pods_100",
    "Unique/500Nodes_3000Pods",
    "SchedulingBasic/5000Nodes_10000Pods",
    "SchedulingBasic/5000Nodes_50000Pods",
    "ManyClasses/5000Nodes_50000Pods_100",
    "ManyClasses/5000Nodes_50000Pods_1000",
    "Mixed/5000Nodes_50000Pods_100",
    "Unique/5000Nodes_50000Pods",
    "Priorities/500Nodes_2000Pods_50",
    "Priorities/5000Nodes_50000Pods_1000",
    "SchedulingBasic/100000Nodes_10000Pods",
    "ManyClasses/100000Nodes_10000Pods_100",
    "Priorities/100000Nodes_10000Pods_1000",
    "Unique/100000Nodes_1000Pods",
};

struct Way {
    const char* name;
    ExecutorKind executor;
    std::uint32_t workers;
    BatchPath path;
    TellerMode teller = TellerMode::inline_;
};
constexpr Way kWays[] = {
    {"inline/inline", ExecutorKind::inline_, 1, BatchPath::inline_},
    {"inline/graph", ExecutorKind::inline_, 1, BatchPath::graph},
    {"tbb1/graph", ExecutorKind::tbb, 1, BatchPath::graph},
    {"tbb2/graph", ExecutorKind::tbb, 2, BatchPath::graph},
    {"tbb1/automatic", ExecutorKind::tbb, 1, BatchPath::automatic},
    {"tbb1/automatic/teller", ExecutorKind::tbb, 1, BatchPath::automatic, TellerMode::thread},
    {"inline/inline/teller", ExecutorKind::inline_, 1, BatchPath::inline_, TellerMode::thread},
};

bool all_equal = true;

std::string hex(std::uint64_t value) {
    char text[17];
    std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(value));
    return text;
}

// One load with what the scan made of it; made when first needed, so that a filtered run is quick.
class Case {
public:
    explicit Case(const NamedWorkload& named) : named_(named) {}

    const Workload& load() {
        if (!load_) {
            load_ = std::make_unique<Workload>(workload::make_workload(named_));
        }
        return *load_;
    }

    const std::vector<std::size_t>& order() {
        if (order_.empty()) {
            order_ = order_of(load());
        }
        return order_;
    }
    std::uint64_t scan_hash() { return measure_scan(), hash_; }
    double scan_seconds() { return measure_scan(), scan_seconds_; }

private:
    void measure_scan() {
        if (scan_seconds_ > 0) {
            return;
        }
        std::vector<std::size_t> places;
        Cost cost;
        for (int turn = 0; turn < 3; ++turn) {
            cost.keep_least(cost_of([&] { places = scan_all(load(), order()); }));
        }
        scan_seconds_ = cost.engine_cpu;
        PlacementHash hash;
        for (const std::size_t pod : order()) {
            if (places[pod] != ScanBaseline::kNoNode) {
                hash.add(load().pods[pod].name, load().nodes[places[pod]].name);
            }
        }
        hash_ = hash.value();
    }

    const NamedWorkload named_;
    std::unique_ptr<Workload> load_;
    std::vector<std::size_t> order_;
    std::uint64_t hash_ = 0;
    double scan_seconds_ = 0;  // CPU time, least of three
};

void scan(benchmark::State& state, Case& one) {
    for (auto _ : state) {
        benchmark::DoNotOptimize(scan_all(one.load(), one.order()));
    }
    state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(one.load().pods.size()));
    state.SetLabel("placements " + hex(one.scan_hash()));
}

void check(benchmark::State& state, Case& one, const EngineDriver& driver) {
    const std::uint64_t hash = driver.sink().placement_hash();
    if (driver.sink().rejections() > 0 || driver.sink().cuts() > 0) {
        all_equal = false;
        state.SkipWithError("the engine did not take every item");
    } else if (hash != one.scan_hash()) {
        all_equal = false;
        state.SkipWithError(("placements " + hex(hash) + ", the scan's are " + hex(one.scan_hash())).c_str());
    } else {
        state.SetLabel("placements " + hex(hash) + ", digest " + driver.engine().digest().substr(0, 12));
    }
}

void count(benchmark::State& state, Case& one, const EngineCounters& counters, const Cost& least) {
    const auto asks = static_cast<double>(one.load().pods.size());
    state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(asks));
    state.counters["best"] = asks / least.wall;
    state.counters["engine_ns"] = least.engine_cpu * 1e9 / asks;
    state.counters["all_ns"] = least.all_cpu * 1e9 / asks;
    state.counters["x_scan"] = one.scan_seconds() / least.all_cpu;
    state.counters["inline"] = static_cast<double>(counters.batches_inline);
    state.counters["graph"] = static_cast<double>(counters.batches_graph);
    state.counters["overlapped"] = static_cast<double>(counters.batches_overlapped);
    state.counters["proposals"] = static_cast<double>(counters.proposals);
    state.counters["rechecked"] =
        static_cast<double>(counters.blocks_rechecked) / static_cast<double>(counters.attempts);
    state.counters["bounded"] = static_cast<double>(counters.blocks_bounded) / static_cast<double>(counters.attempts);
    state.counters["judged"] = static_cast<double>(counters.blocks_judged) / static_cast<double>(counters.attempts);
}

void drive(benchmark::State& state, Case& one, const Way& way, bool stream) {
    EngineOptions options;
    options.executor = way.executor;
    options.workers = way.workers;
    options.path = way.path;
    options.teller = way.teller;
    Cost least;
    Cost intake;
    std::unique_ptr<EngineDriver> driver;
    for (auto _ : state) {
        driver.reset();
        driver = std::make_unique<EngineDriver>(one.load(), options);
        driver->register_cluster();
        if (!stream) {
            intake.keep_least(cost_of([&] { driver->ask_all(); }));
        }
        const Cost cost = cost_of([&] { stream ? driver->stream_all() : driver->decide_all(); });
        state.SetIterationTime(cost.wall);
        least.keep_least(cost);
    }
    check(state, one, *driver);
    count(state, one, driver->engine().counters(), least);
    if (!stream) {
        state.counters["intake_ns"] = intake.engine_cpu * 1e9 / static_cast<double>(one.load().pods.size());
    }
}

void register_all(std::vector<std::unique_ptr<Case>>& cases) {
    for (const char* const load : kLoads) {
        const NamedWorkload& named = *workload::find_workload(load);
        cases.push_back(std::make_unique<Case>(named));
        Case& one = *cases.back();
        const std::string name(named.name);
        benchmark::RegisterBenchmark(("scan/" + name).c_str(), [&one](benchmark::State& state) {
            scan(state, one);
        })->Unit(benchmark::kMillisecond);
        for (const bool stream : {false, true}) {
            if (stream && name.starts_with("Priorities")) {
                continue;  // the order of attempts depends on the asks that have come in
            }
            for (const Way& way : kWays) {
                const std::string full = (stream ? "stream/" : "decide/") + name + "/" + way.name;
                benchmark::RegisterBenchmark(
                    full.c_str(), [&one, &way, stream](benchmark::State& state) { drive(state, one, way, stream); })
                    ->UseManualTime()
                    ->Unit(benchmark::kMillisecond);
            }
        }
    }
}

}  // namespace
}  // namespace bayplan::bench

int main(int argc, char** argv) {
    std::vector<std::unique_ptr<bayplan::bench::Case>> cases;
    bayplan::bench::register_all(cases);
    benchmark::Initialize(&argc, argv);
    if (benchmark::ReportUnrecognizedArguments(argc, argv)) {
        return 2;
    }
    const std::size_t ran = benchmark::RunSpecifiedBenchmarks();
    benchmark::Shutdown();
    return ran > 0 && bayplan::bench::all_equal ? 0 : 1;
}
