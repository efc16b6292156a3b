// A proposal and a commit by themselves, and the plain scan of scan_baseline.h beside them.
//
//   propose/all_fit     a class that has never looked at the cluster: every block judged
//   propose/none_fits   the same where the first predicate with an amount refuses every node
//   propose/changed     a class that knows all but N blocks (second argument)
//   scan                the peer: one ask over all nodes
//   commit/same_class   resolve, take the node: the next ask of a class in a run of them
//   commit/excluded     the same, where each ask excludes three nodes: the nodes that the class would take first
//   commit/changed      resolve of a class after N other blocks changed; taking is not in it
//
// First argument: nodes. Thread: the benchmark's. per_node and per_block are times.
#include <chrono>

#include <benchmark/benchmark.h>

#include "bench/placement_world.h"
#include "measure/scan_baseline.h"

namespace bayplan::bench {
namespace {

using measure::ScanBaseline;
using Clock = std::chrono::steady_clock;

double per(benchmark::State& state, double items) { return static_cast<double>(state.iterations()) * items; }

void report(benchmark::State& state, double nodes, double blocks) {
    const auto kTime = benchmark::Counter::kIsRate | benchmark::Counter::kInvert;
    state.counters["per_node"] = benchmark::Counter(per(state, nodes), kTime);
    if (blocks > 0) {
        state.counters["per_block"] = benchmark::Counter(per(state, blocks), kTime);
    }
}

Proposal proposal_for(PlacementWorld& cluster, ClassId id) {
    Proposal proposal;
    proposal.ask_class = id;
    proposal.spec = cluster.world.classes[id].spec;
    proposal.cache = std::make_unique<ClassCache>();
    proposal.position = cluster.world.node_state.published();
    proposal.block_count = cluster.world.node_state.block_count();
    return proposal;
}

void propose_all(benchmark::State& state, std::int64_t cpu) {
    const auto nodes = static_cast<std::uint32_t>(state.range(0));
    PlacementWorld cluster(nodes);
    cluster.use_some();
    Proposal proposal = proposal_for(cluster, cluster.add_class(cpu, kPodMemory));
    for (auto _ : state) {
        proposal.cache->clear();
        cluster.pipeline.propose(proposal, 0);
        benchmark::DoNotOptimize(proposal.cache->top(cluster.evaluator.kernels()));
    }
    report(state, nodes, proposal.block_count);
}
BENCHMARK_CAPTURE(propose_all, all_fit, kPodCpu)->Name("propose/all_fit")->Arg(5'000)->Arg(100'000);
BENCHMARK_CAPTURE(propose_all, none_fits, kNodeCpu * 2)->Name("propose/none_fits")->Arg(5'000)->Arg(100'000);

// Changes `count` blocks, far apart.
void change_blocks(PlacementWorld& cluster, std::uint32_t count, std::uint32_t turn) {
    NodeState& nodes = cluster.world.node_state;
    const std::vector<ResourceAmount> pod = cluster.amounts(1, kMi, 0);
    const std::uint32_t step = nodes.block_count() / count;
    for (std::uint32_t change = 0; change < count; ++change) {
        const std::uint32_t block = (change * step + turn) % nodes.block_count();
        nodes.add_used(slot_at(block, 0), pod, turn / nodes.block_count() % 2 == 0 ? 1 : -1);
    }
}

template <typename Work>
void time_this(benchmark::State& state, Work&& work) {
    const auto start = Clock::now();
    work();
    state.SetIterationTime(std::chrono::duration<double>(Clock::now() - start).count());
}

void propose_changed(benchmark::State& state) {
    PlacementWorld cluster(static_cast<std::uint32_t>(state.range(0)));
    cluster.use_some();
    Proposal proposal = proposal_for(cluster, cluster.add_class(kPodCpu, kPodMemory));
    cluster.pipeline.propose(proposal, 0);
    std::uint32_t turn = 0;
    for (auto _ : state) {
        change_blocks(cluster, static_cast<std::uint32_t>(state.range(1)), turn++);
        cluster.world.node_state.publish();
        proposal.position = cluster.world.node_state.published();
        time_this(state, [&] { cluster.pipeline.propose(proposal, 0); });
    }
}
BENCHMARK(propose_changed)->Name("propose/changed")->Args({5'000, 16})->Args({100'000, 16})->UseManualTime();

void scan(benchmark::State& state) {
    const auto nodes = static_cast<std::size_t>(state.range(0));
    ScanBaseline cluster;
    for (std::size_t node = 0; node < nodes; ++node) {
        cluster.add_node({{"cpu", kNodeCpu}, {"memory", kNodeMemory}, {"pods", kNodePods}});
    }
    const ScanBaseline::Ask ask = cluster.make_ask({{"cpu", kPodCpu}, {"memory", kPodMemory}, {"pods", 1}});
    for (std::size_t pod = 0; pod < nodes / 2; ++pod) {
        cluster.place(ask);
    }
    for (auto _ : state) {
        benchmark::DoNotOptimize(cluster.find(ask));
    }
    report(state, static_cast<double>(nodes), 0);
}
BENCHMARK(scan)->Arg(5'000)->Arg(100'000);

void commit_run(benchmark::State& state, bool excludes) {
    PlacementWorld cluster(static_cast<std::uint32_t>(state.range(0)));
    NodeState& nodes = cluster.world.node_state;
    const ClassId id = cluster.add_class(kPodCpu, kPodMemory);
    const std::vector<ResourceAmount> pod = cluster.amounts(kPodCpu, kPodMemory);
    std::vector<Slot> placed;
    cluster.pipeline.resolve(id);
    ExcludedNodes excluded;
    while (excludes && excluded.slots().size() < 3) {
        excluded.add(slot_of(cluster.pipeline.resolve(id, excluded)));
    }
    for (auto _ : state) {
        const NodeKey best = cluster.pipeline.resolve(id, excluded);
        if (best != 0) {
            nodes.add_used(slot_of(best), pod, 1);
            placed.push_back(slot_of(best));
        }
        if (placed.size() % 64 == 0) {
            nodes.publish();
        }
        if (best == 0) {
            state.PauseTiming();  // full: once in some hundred thousand
            for (const Slot slot : placed) {
                nodes.add_used(slot, pod, -1);
            }
            placed.clear();
            nodes.publish();
            cluster.pipeline.resolve(id);
            state.ResumeTiming();
        }
    }
    state.SetItemsProcessed(state.iterations());
}
void commit_same_class(benchmark::State& state) { commit_run(state, false); }
void commit_excluded(benchmark::State& state) { commit_run(state, true); }
BENCHMARK(commit_same_class)->Name("commit/same_class")->Arg(5'000)->Arg(100'000);
BENCHMARK(commit_excluded)->Name("commit/excluded")->Arg(5'000)->Arg(100'000);

void commit_changed(benchmark::State& state) {
    PlacementWorld cluster(static_cast<std::uint32_t>(state.range(0)));
    cluster.use_some();
    const auto changed = static_cast<std::uint32_t>(state.range(1));
    const ClassId id = cluster.add_class(kPodCpu, kPodMemory);
    cluster.pipeline.resolve(id);
    std::uint32_t turn = 0;
    for (auto _ : state) {
        change_blocks(cluster, changed, turn++);
        cluster.world.node_state.publish();
        time_this(state, [&] { benchmark::DoNotOptimize(cluster.pipeline.resolve(id)); });
    }
}
BENCHMARK(commit_changed)
    ->Name("commit/changed")
    ->Args({5'000, 1})
    ->Args({5'000, 16})
    ->Args({100'000, 1})
    ->Args({100'000, 16})
    ->UseManualTime();

}  // namespace
}  // namespace bayplan::bench

BENCHMARK_MAIN();
