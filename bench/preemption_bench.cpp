// Preemptions per second in one process: a cluster full of pods of low priority, and asks of high priority
// that fit nowhere. Each nominates a node and sends victims away; then the victims go, and each is placed.
//
//   cpu/s       nominations by CPU time of all threads, without the first, which also makes the index of pods
//   wall/s      the same by wall time
//   first       the first one, in ms
//   : plain     cpu/s over that of the way that looks at all pods of every node (victim_path plain), same run
//   placed/s    preemptors placed by wall time once the victims have gone
//   searches    that began with what was kept of the class / looked at all columns / on the workers too
//   nodes       judged by columns and by pods, per search
//   cpus        that searches were seen on
//
// Each load goes with 0, 1 and 2 victim workers and plain, and all digests must be equal. PreemptionBasic and
// PreemptionAsync have the shapes of scheduler_perf's; the figure of the latter is decisions on its 5,000 small pods,
// with one preemptor before each 100 (5 a second at 500 pods a second). With --small, and at 500 nodes with --oracle,
// the naive oracle takes the same inputs, and every digest must equal its own. Exit status 1 if one differs, or a
// preemptor is left over.
// Thread: main.
#include <time.h>

#include <algorithm>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>

#include "measure/preemption_shim.h"
#include "oracle.h"
#include "workload/awkward_preemption.h"

namespace bayplan::bench {
namespace {

using measure::PreemptionShim;
using measure::VictimSink;
using workload::PreemptionLoad;

double seconds_by(clockid_t clock) {
    timespec now{};
    clock_gettime(clock, &now);
    return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

// Wall and CPU time of what is called.
struct Timing {
    double wall = 1e9;
    double cpu = 1e9;

    template <typename Work>
    void least_of(Work&& work) {
        const double start = seconds_by(CLOCK_MONOTONIC);
        const double cpu_start = seconds_by(CLOCK_PROCESS_CPUTIME_ID);
        work();
        wall = std::min(wall, seconds_by(CLOCK_MONOTONIC) - start);
        cpu = std::min(cpu, seconds_by(CLOCK_PROCESS_CPUTIME_ID) - cpu_start);
    }
};

struct Way {
    VictimPath path = VictimPath::automatic;
    std::uint32_t workers = 0;
};

struct Result {
    Timing first;
    Timing nominate;
    Timing place;
    std::uint64_t nominations = 0;
    std::uint64_t placed = 0;
    EngineCounters counters;
    std::vector<std::uint32_t> cpus;
    std::vector<std::string> victims;
    std::string digest;
};

EngineOptions options_for(const Way& way) {
    EngineOptions options;
    options.executor = ExecutorKind::inline_;
    options.backoff_early = false;
    options.victim_path = way.path;
    options.victim_workers = way.workers;
    return options;
}

void run_once(const PreemptionLoad& load, const Way& way, Result& result) {
    const EngineOptions options = options_for(way);
    VictimSink sink;
    Engine engine(options, sink);
    PreemptionShim<Engine> shim(load, engine);
    const auto take = [&] {
        engine.flush();
        engine.apply(Acknowledge{1, sink.last});
    };
    take();
    shim.ask(0, load.preemptors);
    result.first.least_of([&] { engine.run(1); });
    result.nominate.least_of([&] { engine.run(load.preemptors - 1); });
    take();
    result.nominations = sink.nominations;
    result.victims = sink.victims;
    result.counters = engine.counters();
    result.cpus = engine.victim_cpus();
    shim.let_go(sink.victims);
    engine.apply(Tick{options.backoff_max_ns});
    result.place.least_of([&] { engine.run(load.preemptors); });
    result.placed = engine.counters().placed;
    result.digest = engine.digest();
}

// Nobody may go for these: each fails, waits, and is woken by a change of one node that helps nobody.
struct WokenResult {
    Timing first;
    Timing woken;
    std::uint64_t attempts = 0;  // after the change
    std::string digest;
};

template <typename Side>
void wake_them(PreemptionShim<Side>& shim, Side& side) {
    shim.change_a_node();
    side.apply(Tick{100 * options_for({}).backoff_max_ns});
}

void run_woken(const PreemptionLoad& load, const Way& way, WokenResult& result) {
    VictimSink sink;
    Engine engine(options_for(way), sink);
    PreemptionShim<Engine> shim(load, engine);
    shim.ask(0, load.preemptors);
    result.first.least_of([&] { engine.run(load.preemptors); });
    const std::uint64_t before = engine.counters().attempts;
    result.woken.least_of([&] {
        wake_them(shim, engine);
        engine.run(load.preemptors);
    });
    result.attempts = engine.counters().attempts - before;
    result.digest = engine.digest();
}

bool measure_woken(const PreemptionLoad& load, int runs, bool compare) {
    WokenResult plain;
    run_woken(load, {VictimPath::plain, 0}, plain);
    WokenResult result;
    for (int run = 0; run < runs; ++run) {
        run_woken(load, {VictimPath::automatic, 0}, result);
    }
    std::printf(
        "%-26s %u pods fail in %.1f ms, woken by one node in %.2f ms by CPU, %.2f by wall (plain %.1f)  %.12s\n",
        load.name.c_str(), load.preemptors, result.first.cpu * 1e3, result.woken.cpu * 1e3, result.woken.wall * 1e3,
        plain.woken.cpu * 1e3, result.digest.c_str());
    bool good = result.attempts == load.preemptors && result.digest == plain.digest;
    if (compare) {
        oracle::Oracle oracle(options_for({}));
        PreemptionShim<oracle::Oracle> shim(load, oracle);
        shim.ask(0, load.preemptors);
        oracle.run(load.preemptors);
        wake_them(shim, oracle);
        oracle.run(load.preemptors);
        good = good && oracle.digest() == plain.digest;
    }
    if (!good) {
        std::printf("%s FAULT: %llu attempts of %u, or digests differ\n", load.name.c_str(),
                    static_cast<unsigned long long>(result.attempts), load.preemptors);
    }
    return good;
}

std::string oracle_digest(const PreemptionLoad& load, const std::vector<std::string>& victims) {
    const EngineOptions options = options_for({});
    oracle::Oracle oracle(options);
    PreemptionShim<oracle::Oracle> shim(load, oracle);
    shim.ask(0, load.preemptors);
    oracle.run(load.preemptors);
    shim.let_go(victims);
    oracle.apply(Tick{options.backoff_max_ns});
    oracle.run(load.preemptors);
    return oracle.digest();
}

void print_heading() {
    std::printf("%-26s %3s %8s %8s %8s %7s %8s %17s %11s %-8s %s\n", "load", "vw", "cpu/s", "wall/s", "first",
                ": plain", "placed/s", "searches k/w/p", "nodes c/p", "cpus", "digest");
}

void print(const PreemptionLoad& load, const Way& way, const Result& result, double plain) {
    const double count = static_cast<double>(result.nominations) - 1;
    const EngineCounters& counters = result.counters;
    const std::uint64_t searches = std::max<std::uint64_t>(result.nominations, 1);
    std::string cpus;
    for (const std::uint32_t cpu : result.cpus) {
        cpus += (cpus.empty() ? "" : ",") + std::to_string(cpu);
    }
    const std::string workers = way.path == VictimPath::plain ? "pl" : std::to_string(way.workers);
    std::printf(
        "%-26s %3s %8.0f %8.0f %8.1f %7.1f %8.0f %5llu/%5llu/%5llu %5llu/%5llu %-8s %.12s\n", load.name.c_str(),
        workers.c_str(), count / result.nominate.cpu, count / result.nominate.wall, result.first.wall * 1e3,
        plain > 0 ? count / result.nominate.cpu / plain : 0, static_cast<double>(result.placed) / result.place.wall,
        static_cast<unsigned long long>(counters.victim_searches_kept),
        static_cast<unsigned long long>(counters.victim_searches_whole),
        static_cast<unsigned long long>(counters.victim_searches_parallel),
        static_cast<unsigned long long>(counters.victim_nodes_by_columns / searches),
        static_cast<unsigned long long>(counters.victim_nodes_by_pods / searches), cpus.c_str(), result.digest.c_str());
    std::fflush(stdout);
}

bool measure(const PreemptionLoad& load, int runs, bool compare) {
    if (load.nobody_below) {
        return measure_woken(load, runs, compare);
    }
    // Plain once: it takes as long as all others together.
    Result plain;
    run_once(load, {VictimPath::plain, 0}, plain);
    const double plain_rate = (static_cast<double>(plain.nominations) - 1) / plain.nominate.cpu;
    print(load, {VictimPath::plain, 0}, plain, plain_rate);
    bool good = plain.nominations == load.preemptors && plain.placed == load.preemptors;
    for (const std::uint32_t workers : {0u, 1u, 2u}) {
        Result result;
        for (int run = 0; run < runs; ++run) {
            run_once(load, {VictimPath::automatic, workers}, result);
        }
        print(load, {VictimPath::automatic, workers}, result, plain_rate);
        good = good && result.digest == plain.digest;
    }
    if (compare && oracle_digest(load, plain.victims) != plain.digest) {
        good = false;
    }
    if (!good) {
        std::printf("%s FAULT: %llu nominated, %llu placed of %u, or digests differ\n", load.name.c_str(),
                    static_cast<unsigned long long>(plain.nominations), static_cast<unsigned long long>(plain.placed),
                    load.preemptors);
    }
    return good;
}

// Ordinary pods that fit, while preemptors come in now and then; victims are gone before the next hundred.
struct AsyncResult {
    Timing time;
    std::uint64_t nominations = 0;
    std::uint64_t placed = 0;
    std::string digest;
};

void run_async(const PreemptionLoad& load, std::uint32_t pods, const Way& way, AsyncResult& result) {
    constexpr std::uint32_t kBetween = 100;
    const EngineOptions options = options_for(way);
    VictimSink sink;
    Engine engine(options, sink);
    PreemptionShim<Engine> shim(load, engine);
    std::int64_t now_ns = 0;
    result.time.least_of([&] {
        for (std::uint32_t first = 0; first < pods; first += kBetween) {
            shim.ask(first / kBetween, 1);
            shim.ask_small(first, kBetween);
            engine.run(2 * kBetween);
            engine.flush();
            engine.apply(Acknowledge{1, sink.last});
            shim.let_go(sink.victims);
            sink.victims.clear();
            now_ns += options.backoff_initial_ns;
            engine.apply(Tick{now_ns});
        }
        engine.run(pods);
    });
    result.nominations = sink.nominations;
    result.placed = engine.counters().placed;
    result.digest = engine.digest();
}

bool measure_async(const PreemptionLoad& load, std::uint32_t pods, int runs) {
    AsyncResult plain;
    run_async(load, pods, {VictimPath::plain, 0}, plain);
    bool good = plain.placed == pods + plain.nominations && plain.nominations > 0;
    for (const std::uint32_t workers : {0u, 1u, 2u}) {
        AsyncResult result;
        for (int run = 0; run < runs; ++run) {
            run_async(load, pods, {VictimPath::automatic, workers}, result);
        }
        std::printf("%-26s %3u %8.0f pods/s by CPU, %8.0f by wall, intake included; %llu nominations  %.12s\n",
                    load.name.c_str(), workers, pods / result.time.cpu, pods / result.time.wall,
                    static_cast<unsigned long long>(result.nominations), result.digest.c_str());
        good = good && result.digest == plain.digest;
    }
    if (!good) {
        std::printf("%s FAULT: %llu placed of %u, or digests differ\n", load.name.c_str(),
                    static_cast<unsigned long long>(plain.placed), pods);
    }
    return good;
}

}  // namespace
}  // namespace bayplan::bench

int main(int argc, char** argv) {
    CLI::App app("preemptions of full clusters, in process");
    bool small = false;
    bool beside_oracle = false;
    bool large = false;
    bool awkward = false;
    int runs = 3;
    std::string only;
    app.add_flag("--small", small, "40 nodes, and the naive oracle beside the engine");
    app.add_flag("--oracle", beside_oracle, "500 nodes likewise (takes minutes)");
    app.add_flag("--large", large, "100,000 nodes too (takes 3 GB and minutes)");
    app.add_option("--runs", runs, "runs of each; the best counts")->check(CLI::Range(1, 1'000));
    app.add_flag("--awkward", awkward, "budgets, anti-affinity, pods for which nobody may go");
    app.add_option("--only", only, "loads whose name has this in it");
    CLI11_PARSE(app, argc, argv);

    using namespace bayplan::bench;
    using bayplan::workload::basic_preemption;
    using bayplan::workload::preemption_loads;
    std::vector<PreemptionLoad> loads;
    if (small || beside_oracle) {
        loads = preemption_loads(small ? 40 : 500);
    } else {
        loads = preemption_loads(5'000);
        loads.insert(loads.begin(), basic_preemption("PreemptionBasic/1000Nodes", 1'000, 1'000));
        for (PreemptionLoad& load : preemption_loads(100'000)) {
            if (large) loads.push_back(std::move(load));
        }
    }
    if (awkward) {
        loads.clear();
        for (const std::uint32_t nodes : {small ? 40u : beside_oracle ? 200u : 5'000u, large ? 100'000u : 0u}) {
            const auto some = nodes == 0 ? std::vector<PreemptionLoad>() : bayplan::workload::awkward_preemption(nodes);
            loads.insert(loads.end(), some.begin(), some.end());
        }
    }
    const auto wanted = [&](const std::string& name) { return name.find(only) != std::string::npos; };
    print_heading();
    bool good = true;
    for (const PreemptionLoad& load : loads) {
        good = (!wanted(load.name) || measure(load, runs, small || beside_oracle)) && good;
    }
    if (const std::uint32_t nodes = small || beside_oracle ? 40 : 5'000; !awkward && wanted("PreemptionAsync")) {
        const std::uint32_t pods = std::max(nodes, 100u);
        const auto load = basic_preemption("PreemptionAsync/" + std::to_string(nodes) + "Nodes", nodes, 0);
        good = measure_async(load, pods, runs) && good;
    }
    return good ? 0 : 1;
}
