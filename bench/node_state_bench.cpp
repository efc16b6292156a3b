// Cost of a placement for the node state: three amounts of one node written to the side that nobody
// reads, logged, and published so often as the argument says (an engine publishes once per batch).
// With and without a reader on another thread that walks all shards all the time, as proposals do.
//
// Arguments: nodes, placements per publish. Time is per placement.
// Threads: the writer is the benchmark's; the reader is one of its own.
#include <atomic>
#include <thread>

#include <benchmark/benchmark.h>

#include "bench/placement_world.h"

namespace bayplan::bench {
namespace {

void write_placements(benchmark::State& state, PlacementWorld& cluster) {
    NodeState& nodes = cluster.world.node_state;
    const auto per_publish = static_cast<std::uint32_t>(state.range(1));
    const std::vector<ResourceAmount> pod = cluster.amounts(kPodCpu, kPodMemory);
    std::uint32_t at = 1;
    std::uint32_t unpublished = 0;
    int sign = 1;
    for (auto _ : state) {
        at = at * 1'664'525 + 1'013'904'223;
        const std::size_t index = std::uint64_t{at} * cluster.slots().size() >> 32;
        nodes.add_used(cluster.slots()[index], pod, sign);
        sign = -sign;
        if (++unpublished == per_publish) {
            nodes.publish();
            unpublished = 0;
        }
    }
    state.SetItemsProcessed(state.iterations());
}

void write_alone(benchmark::State& state) {
    PlacementWorld cluster(static_cast<std::uint32_t>(state.range(0)));
    write_placements(state, cluster);
}

void write_beside_a_reader(benchmark::State& state) {
    PlacementWorld cluster(static_cast<std::uint32_t>(state.range(0)));
    NodeState& nodes = cluster.world.node_state;
    const ClassId id = cluster.add_class(kPodCpu, kPodMemory);
    const std::shared_ptr<const AskClass> spec = cluster.world.classes[id].spec;
    std::atomic<bool> stop{false};
    std::uint64_t walks = 0;
    std::thread reader([&] {
        while (!stop.load(std::memory_order_relaxed)) {
            for (std::uint32_t number = 0; number < nodes.shard_count(); ++number) {
                nodes.shard(number).read(nodes.reader(1), [&](const ShardSide& side) {
                    for (std::uint32_t index = 0; index < side.blocks.size(); ++index) {
                        benchmark::DoNotOptimize(
                            cluster.evaluator.best(*spec, side.blocks[index], index, ~std::uint64_t{0}));
                    }
                });
            }
            ++walks;
        }
    });
    write_placements(state, cluster);
    stop.store(true, std::memory_order_relaxed);
    reader.join();
    state.counters["walks"] = benchmark::Counter(static_cast<double>(walks), benchmark::Counter::kIsRate);
}

void sizes(benchmark::internal::Benchmark* one) {
    for (const std::int64_t nodes : {5'000, 100'000}) {
        for (const std::int64_t per_publish : {1, 64}) {
            one->Args({nodes, per_publish});
        }
    }
}
BENCHMARK(write_alone)->Apply(sizes);
BENCHMARK(write_beside_a_reader)->Apply(sizes)->UseRealTime();

}  // namespace
}  // namespace bayplan::bench

BENCHMARK_MAIN();
