// A DaemonSet's rollout in one process: a pod for each node, half of the nodes full of pods of low priority. The pods of
// the other half are placed; these are asked for first. Then the pods of the full half reserve their nodes, come of age
// all in one instant, and send victims away; when those have gone, each is placed.
//
//   placed/s     of the half with room
//   reserved/s   nodes reserved, before the delay has passed
//   preempted/s  victims chosen and told, after it
//   settled/s    placed once the victims have gone
//   by workers   victims looked for by the victim workers, of all nodes
//   cpus         that looks for victims were seen on
//
// All by CPU time of all threads (by wall with --wall), the least of some runs. Every run must have the same digest. With
// --small, the naive oracle takes the same inputs, and its digest must be equal. Exit status 1 if one differs, or a pod is
// left over.
// Thread: main.
#include <time.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "measure/preemption_shim.h"
#include "measure/stopwatch.h"
#include "oracle_side.h"

namespace bayplan::bench {
namespace {

using measure::Cost;
using measure::cost_of;
using measure::PreemptionShim;
using measure::VictimSink;
using workload::PreemptionLoad;

struct Shape {
    std::string name;
    std::uint32_t nodes;
    std::uint32_t pods_per_node;
};

PreemptionLoad load_of(const Shape& shape) {
    PreemptionLoad load;
    load.name = shape.name;
    load.nodes = shape.nodes;
    load.full_nodes = shape.nodes / 2;
    load.pods_per_node = shape.pods_per_node;
    load.node_cpu = load.pod_cpu * shape.pods_per_node;
    return load;
}

EngineOptions options_for(std::uint32_t workers) {
    EngineOptions options;
    options.executor = ExecutorKind::inline_;
    options.victim_workers = workers;
    return options;
}

struct Result {
    Cost place, reserve, preempt, settle;
    std::uint64_t placed = 0;
    std::size_t victims = 0;
    std::vector<std::string> gone;
    std::uint64_t by_workers = 0;
    std::vector<std::uint32_t> cpus;
    std::string digest;
};

// The steps of a rollout by the engine or the oracle. `take`: decisions are out and acknowledged.
template <typename Side, typename Take, typename Time>
void roll_out(const PreemptionLoad& load, Side& side, Take&& take, Time&& time, const auto& victims) {
    constexpr std::uint64_t kBetween = 4'096;  // attempts; so that the shim always has credit
    PreemptionShim<Side> shim(load, side);
    const auto run = [&] {
        for (; side.has_work(); take()) side.run(kBetween);
    };
    take();
    shim.ask_daemons(load.full_nodes, load.nodes - load.full_nodes);
    time(0, run);
    shim.ask_daemons(0, load.full_nodes);
    time(1, run);
    side.apply(Tick{DaemonsetOptions().delay_ns});
    time(2, run);
    shim.let_go(victims());
    time(3, run);
}

void run_once(const PreemptionLoad& load, std::uint32_t workers, Result& result) {
    VictimSink sink;
    const EngineOptions options = options_for(workers);
    Engine engine(options, sink);
    Cost* const costs[] = {&result.place, &result.reserve, &result.preempt, &result.settle};
    roll_out(
        load, engine,
        [&] {
            engine.flush();
            engine.settle();
            engine.apply(Acknowledge{1, sink.last});
        },
        [&](int step, auto&& work) { costs[step]->keep_least(cost_of(work)); }, [&] { return sink.victims; });
    result.placed = engine.counters().placed;
    result.gone = sink.victims;
    result.victims = sink.victims.size();
    result.by_workers = engine.counters().victim_pieces_by_workers;
    result.cpus = engine.victim_cpus();
    result.digest = engine.digest();
}

std::string oracle_digest(const PreemptionLoad& load, const std::vector<std::string>& victims) {
    const EngineOptions options = options_for(0);
    OracleSide oracle(options);
    roll_out(
        load, oracle,
        [&] {
            oracle.apply(Acknowledge{1, oracle.last_decision()});
        },
        [](int, auto&& work) { work(); }, [&] { return victims; });
    return oracle.digest();
}

bool measure(const Shape& shape, std::uint32_t workers, int runs, bool by_wall, bool beside_oracle) {
    const PreemptionLoad load = load_of(shape);
    Result result;
    std::string digest;
    bool good = true;
    for (int run = 0; run < runs; ++run) {
        run_once(load, workers, result);
        good = good && (digest.empty() || digest == result.digest);
        digest = result.digest;
    }
    good = good && result.placed == load.nodes && result.victims >= load.full_nodes;
    if (beside_oracle) good = good && oracle_digest(load, result.gone) == digest;
    const auto rate = [&](std::uint32_t pods, const Cost& cost) { return pods / (by_wall ? cost.wall : cost.all_cpu); };
    std::string cpus;
    for (const std::uint32_t cpu : result.cpus) cpus += (cpus.empty() ? "" : ",") + std::to_string(cpu);
    std::printf("%-24s %2u %9.0f %10.0f %11.0f %9.0f %8zu %10llu %-6s %.12s%s\n", load.name.c_str(), workers,
                rate(load.nodes - load.full_nodes, result.place), rate(load.full_nodes, result.reserve),
                rate(load.full_nodes, result.preempt), rate(load.full_nodes, result.settle), result.victims,
                static_cast<unsigned long long>(result.by_workers), cpus.c_str(), digest.c_str(),
                good ? "" : "  FAULT: pods left over, or digests differ");
    std::fflush(stdout);
    return good;
}

}  // namespace
}  // namespace bayplan::bench

int main(int argc, char** argv) {
    CLI::App app("a DaemonSet's rollout over half full clusters, in process");
    bool small = false, large = false, by_wall = false;
    int runs = 3;
    app.add_flag("--small", small, "40 nodes, and the naive oracle beside the engine");
    app.add_flag("--large", large, "100,000 nodes too");
    app.add_flag("--wall", by_wall, "figures by wall time");
    app.add_option("--runs", runs, "runs of each; the least times count")->check(CLI::Range(1, 1'000));
    CLI11_PARSE(app, argc, argv);

    using bayplan::bench::Shape;
    std::vector<Shape> shapes = {{"Rollout/15000Nodes_10", 15'000, 10}, {"Rollout/15000Nodes_30", 15'000, 30}};
    if (small) shapes = {{"Rollout/40Nodes_10", 40, 10}};
    if (large) shapes.push_back({"Rollout/100000Nodes_10", 100'000, 10});
    std::printf("%-24s %2s %9s %10s %11s %9s %8s %10s %-6s %s\n", "load", "vw", "placed/s", "reserved/s", "preempted/s",
                "settled/s", "victims", "by workers", "cpus", "digest");
    bool good = true;
    for (const Shape& shape : shapes) {
        for (const std::uint32_t workers : {0u, 1u}) {
            good = bayplan::bench::measure(shape, workers, runs, by_wall, small) && good;
        }
    }
    return good ? 0 : 1;
}
