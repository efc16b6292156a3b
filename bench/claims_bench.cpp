// Pods with claims on devices in one process: each pod has a claim of its own, made from a template, with a selector on an
// attribute. Eight devices a node, which differ by uuid; no two pods are of one class.
//
//   first ms    the first pod's decision: selectors are asked of every device of the cluster
//   asked/s     statements of specs, claims and asks, of the other pods
//   decided/s   other pods placed, or found to fit nowhere
//
// By CPU time of all threads (by wall with --wall), the least of some runs. Every run must have the same digest. With
// --small, the naive oracle takes the same inputs, and its digest must be equal. Exit status 1 if one differs, or a pod is
// not placed that has room.
// Thread: main.
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "claims_shim.h"
#include "measure/stopwatch.h"
#include "oracle_side.h"

namespace bayplan::bench {
namespace {

using measure::Cost;
using measure::cost_of;

std::vector<ClaimLoad> loads_of(std::uint32_t nodes, std::uint32_t pods) {
    const std::string size = std::to_string(nodes) + "Nodes";
    return {{"Claims/One/" + size, nodes, pods},
            {"Claims/FourTogether/" + size, nodes, pods / 4, 4, true},
            {"Claims/Unservable/" + size, nodes, 200, 1, false, 2}};
}

EngineOptions options() {
    EngineOptions options;
    options.executor = ExecutorKind::inline_;
    options.objects_max = 10'000'000;
    options.dictionary_max = 10'000'000;
    return options;
}

// All pods are asked for, and decided.
template <typename Time>
void decide(const ClaimLoad& load, measure::Scheduler& scheduler, Time&& time) {
    constexpr std::uint64_t kBetween = 4'096;  // attempts; so that the shim always has credit
    ClaimShim shim(load, scheduler);
    const auto run = [&] {
        for (; scheduler.has_work(); shim.take_decisions()) scheduler.run(kBetween);
    };
    shim.ask(0, 1);
    time(0, run);
    time(1, [&] { shim.ask(1, load.pods - 1); });
    time(2, run);
}

bool measure(const ClaimLoad& load, int runs, bool by_wall, bool beside_oracle) {
    Cost costs[3];  // of the steps of decide()
    std::string digest;
    bool good = true;
    std::uint64_t placed = 0;
    for (int run = 0; run < runs; ++run) {
        measure::EngineScheduler scheduler(options());
        decide(load, scheduler, [&](int step, auto&& work) { costs[step].keep_least(cost_of(work)); });
        const std::string now = scheduler.engine().digest();
        good = good && (digest.empty() || digest == now);
        digest = now;
        placed = scheduler.engine().counters().placed;
    }
    good = good && placed == (load.kind == 1 ? load.pods : 0);
    if (beside_oracle) {
        OracleSide oracle(options());
        decide(load, oracle, [](int, auto&& work) { work(); });
        good = good && oracle.digest() == digest;
    }
    const auto seconds = [&](const Cost& cost) { return by_wall ? cost.wall : cost.all_cpu; };
    const auto rate = [&](const Cost& cost) { return (load.pods - 1) / seconds(cost); };
    std::printf("%-32s %8u %9.2f %10.0f %10.0f %9.2f  %.12s%s\n", load.name.c_str(), load.pods, 1e3 * seconds(costs[0]),
                rate(costs[1]), rate(costs[2]), 1e6 / rate(costs[2]), digest.c_str(),
                good ? "" : "  FAULT: pods left over, or digests differ");
    std::fflush(stdout);
    return good;
}

}  // namespace
}  // namespace bayplan::bench

int main(int argc, char** argv) {
    CLI::App app("pods with claims on devices, in process");
    bool small = false, large = false, by_wall = false;
    int runs = 3;
    app.add_flag("--small", small, "40 nodes, and the naive oracle beside the engine");
    app.add_flag("--large", large, "100,000 nodes too");
    app.add_flag("--wall", by_wall, "figures by wall time");
    app.add_option("--runs", runs, "runs of each; the least times count")->check(CLI::Range(1, 1'000));
    CLI11_PARSE(app, argc, argv);

    using bayplan::bench::ClaimLoad;
    std::vector<ClaimLoad> loads = small ? bayplan::bench::loads_of(40, 200) : bayplan::bench::loads_of(5'000, 20'000);
    if (large) {
        for (ClaimLoad& load : bayplan::bench::loads_of(100'000, 20'000)) loads.push_back(load);
    }
    std::printf("%-32s %8s %9s %10s %10s %9s  %s\n", "load", "pods", "first ms", "asked/s", "decided/s", "us each",
                "digest");
    bool good = true;
    for (const ClaimLoad& load : loads) good = bayplan::bench::measure(load, runs, by_wall, small) && good;
    return good ? 0 : 1;
}
