// Decisions of an engine whose asks exclude nodes each on its own account: the three that their class would take first,
// so that no attempt is spared the look beside them. The same asks without that are the peer.
//
// The engine's parts are reached so that the nodes can be excluded without three victims each that do not go. Thread: one;
// the teller's work is left out of the time.
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include <benchmark/benchmark.h>

#include "measure/forgetting_sink.h"
#include "measure/preemption_shim.h"
#include "measure/stopwatch.h"
#include "tests/engine/open_parts.h"

namespace bayplan::bench {
namespace {

constexpr std::uint32_t kPods = 20'000;
constexpr std::uint32_t kExcludedNodes = 3;
constexpr std::size_t kRingBytes = std::size_t{16} << 20;  // takes all that is announced in the time that is measured

struct Parts : testing::OpenParts<measure::ForgettingSink> {
    Parts() : OpenParts(EngineOptions(), kRingBytes) {}

    // The first nodes of an empty cluster are the best of equals, and stay empty: nobody may take them.
    void exclude_first_nodes() {
        std::vector<AskId> all;
        world.asks.for_each([&](AskId id, const Ask&) { all.push_back(id); });
        for (const AskId id : all) {
            for (std::uint32_t node = 0; node < kExcludedNodes; ++node) {
                lifecycle.commit().exclude(id, static_cast<Slot>(node), all.back());
            }
        }
        lifecycle.commit().finish();
    }

    // How many asks got a node.
    std::uint64_t decide_all() {
        for (Element next = pipeline.next(); !next.empty(); next = pipeline.next()) {
            attempts.make(next.front());
        }
        return lifecycle.tally().placed();
    }
};

void decide(benchmark::State& state, bool excludes) {
    workload::PreemptionLoad load;
    load.nodes = static_cast<std::uint32_t>(state.range(0));
    load.classes = 1;
    load.pods_per_node = 0;
    for (auto _ : state) {
        const auto parts = std::make_unique<Parts>();
        measure::PreemptionShim<Parts> shim(load, *parts);
        shim.ask(0, kPods);
        if (excludes) {
            parts->exclude_first_nodes();
        }
        const double start = measure::seconds_by(CLOCK_THREAD_CPUTIME_ID);
        const std::uint64_t placed = parts->decide_all();
        state.SetIterationTime(measure::seconds_by(CLOCK_THREAD_CPUTIME_ID) - start);
        if (placed != kPods) {
            state.SkipWithError("asks were left over");
            break;
        }
    }
    state.SetItemsProcessed(state.iterations() * std::int64_t{kPods});
}
void none(benchmark::State& state) { decide(state, false); }
void three(benchmark::State& state) { decide(state, true); }
BENCHMARK(none)->Name("decide/none_excluded")->Arg(5'000)->Arg(100'000)->UseManualTime()->Unit(benchmark::kMillisecond);
BENCHMARK(three)
    ->Name("decide/three_excluded")
    ->Arg(5'000)
    ->Arg(100'000)
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace bayplan::bench

BENCHMARK_MAIN();
