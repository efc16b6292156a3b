// The ring between a data-plane lcore and an engine (base/spsc_ring.h).
//
//   one_thread       push a burst, pop it: what the ring itself costs
//   two_threads      a producer and a consumer on two CPUs: throughput
//   there_and_back   one item to another thread and back through a second ring: latency of a hop
//
// Arguments: items per burst. Threads: the benchmark's and, where said, one of its own. Both sides
// give up their CPU when they have waited long, so that a busy machine cannot stop the run.
#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <thread>
#include <vector>

#include <benchmark/benchmark.h>

#include "base/spsc_ring.h"

namespace bayplan::bench {
namespace {

constexpr std::size_t kCapacity = 4'096;
constexpr std::size_t kBurstMax = 256;

// The daemon's rings move their entries, and copy none: a pointer and a few numbers.
struct Message {
    std::unique_ptr<int> body;
    std::uint64_t connection = 0;
    std::uint64_t sequence = 0;
};

using Numbers = SpscRing<std::uint64_t>;
using Messages = SpscRing<Message>;

void relax(int& turns) {
    if (++turns > 1'000) {
        std::this_thread::yield();
        turns = 0;
    }
}

void report(benchmark::State& state, std::size_t items_per_iteration) {
    const auto items = state.iterations() * static_cast<std::int64_t>(items_per_iteration);
    state.SetItemsProcessed(items);
    state.counters["per_item"] =
        benchmark::Counter(static_cast<double>(items), benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}

template <typename Ring, typename Item>
void one_thread(benchmark::State& state) {
    const auto burst = static_cast<std::size_t>(state.range(0));
    Ring ring(kCapacity);
    std::vector<Item> items(burst);
    for (auto _ : state) {
        ring.push_batch(std::span(items));
        benchmark::DoNotOptimize(ring.pop_batch(std::span(items)));
        benchmark::ClobberMemory();
    }
    report(state, burst);
}

void two_threads(benchmark::State& state) {
    const auto burst = static_cast<std::size_t>(state.range(0));
    Numbers ring(kCapacity);
    std::atomic<bool> stop{false};
    std::uint64_t received = 0;
    std::thread consumer([&] {
        std::array<std::uint64_t, kBurstMax> items;
        int turns = 0;
        for (;;) {
            const bool last = stop.load(std::memory_order_acquire);
            const std::size_t count = ring.pop_batch(std::span(items.data(), burst));
            received += count;
            if (count == 0) {
                if (last) {
                    return;
                }
                relax(turns);
            }
        }
    });
    std::array<std::uint64_t, kBurstMax> items{};
    std::uint64_t sent = 0;
    int turns = 0;
    for (auto _ : state) {
        for (std::size_t done = 0; done < burst;) {
            const std::size_t count = ring.push_batch(std::span(items.data() + done, burst - done));
            done += count;
            if (count == 0) {
                relax(turns);
            }
        }
        sent += burst;
    }
    stop.store(true, std::memory_order_release);
    consumer.join();
    if (received != sent) {
        state.SkipWithError("the consumer did not get every item");
    }
    report(state, burst);
}

void there_and_back(benchmark::State& state) {
    Numbers there(kCapacity);
    Numbers back(kCapacity);
    std::atomic<bool> stop{false};
    std::thread echo([&] {
        std::uint64_t item = 0;
        int turns = 0;
        while (!stop.load(std::memory_order_relaxed)) {
            if (there.pop(item)) {
                back.push(std::move(item));
                turns = 0;
            } else {
                relax(turns);
            }
        }
    });
    for (auto _ : state) {
        std::uint64_t item = 1;
        int turns = 0;
        there.push(std::move(item));
        while (!back.pop(item)) {
            relax(turns);
        }
    }
    stop.store(true, std::memory_order_relaxed);
    echo.join();
    report(state, 1);
}

BENCHMARK(one_thread<Numbers, std::uint64_t>)->Name("one_thread/numbers")->Arg(1)->Arg(16)->Arg(64);
BENCHMARK(one_thread<Messages, Message>)->Name("one_thread/messages")->Arg(1)->Arg(16)->Arg(64);
BENCHMARK(two_threads)->Arg(1)->Arg(16)->Arg(64)->Arg(256)->UseRealTime();
BENCHMARK(there_and_back)->UseRealTime();

}  // namespace
}  // namespace bayplan::bench

BENCHMARK_MAIN();
