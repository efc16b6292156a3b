// A steady load allocates nothing on its way through run(), but for the decisions that go out: neither the engine's
// thread nor the workers that propose. jemalloc counts the bytes that each thread asks for.

#include <gtest/gtest.h>
#include <jemalloc/jemalloc.h>

#include <mutex>
#include <vector>

#include "measure/forgetting_sink.h"
#include "tests/engine/harness.h"

namespace bayplan {
namespace {

using measure::ForgettingSink;
using testing::TestShim;

constexpr int kNodes = 1'000;
constexpr int kPods = 1'000;  // at a time
constexpr int kClasses = 10;

// Where jemalloc counts what this thread asks for.
const std::uint64_t* counter_of_this_thread() {
    const std::uint64_t* bytes = nullptr;
    std::size_t size = sizeof(bytes);
    EXPECT_EQ(mallctl("thread.allocatedp", &bytes, &size, nullptr, 0), 0);
    return bytes;
}

// Bytes that threads have allocated, read while they have nothing to do.
class Counted {
public:
    void add_this_thread() {
        const std::lock_guard lock(mutex_);
        counters_.push_back(counter_of_this_thread());
    }
    std::uint64_t bytes() const {
        const std::lock_guard lock(mutex_);
        std::uint64_t sum = 0;
        for (const std::uint64_t* counter : counters_) sum += *counter;
        return sum;
    }
    std::size_t threads() const {
        const std::lock_guard lock(mutex_);
        return counters_.size();
    }

private:
    mutable std::mutex mutex_;
    std::vector<const std::uint64_t*> counters_;
};

class Load {
public:
    Load(Engine& engine, ForgettingSink& sink, const Counted& counted)
        : engine_(engine), sink_(sink), counted_(counted), shim_(engine, "s") {
        for (int node = 0; node < kNodes; ++node) {
            shim_.node("n" + std::to_string(node), {{"cpu", 100'000}, {"memory", 1'000'000}, {"pods", 110}});
        }
        shim_.application("app");
    }

    // Some pods come, are placed, and go again. Returns what their placement allocated.
    std::uint64_t turn() {
        for (int pod = 0; pod < kPods; ++pod) {
            shim_.ask("pod" + std::to_string(pod), "app",
                      {{"cpu", 100 + pod % kClasses}, {"memory", 100}, {"pods", 1}});
        }
        sent();
        sink_.text = 0;
        const std::uint64_t before = counted_.bytes();
        EXPECT_EQ(engine_.run(kPods), static_cast<std::uint64_t>(kPods));
        const std::uint64_t allocated = counted_.bytes() - before;
        sent();
        for (int pod = 0; pod < kPods; ++pod) {
            shim_.release("pod" + std::to_string(pod));
        }
        return allocated;
    }

private:
    void sent() {
        engine_.flush();
        shim_.acknowledge(sink_.last);
    }

    Engine& engine_;
    ForgettingSink& sink_;
    const Counted& counted_;
    TestShim shim_;
};

// The last of many turns may allocate only its decisions.
void expect_decisions_alone(EngineOptions options, std::size_t threads) {
    Counted counted;
    counted.add_this_thread();
    ForgettingSink sink;
    Engine engine(options, sink, [&](std::uint32_t) { counted.add_this_thread(); });
    Load load(engine, sink, counted);
    for (int turn = 0; turn < 20; ++turn) {
        load.turn();  // tables and logs find their size
    }
    const std::uint64_t allocated = load.turn();
    // Records of a batch are given room by doubling, texts by pieces four times as large up to 16 KiB, and
    // unacknowledged decisions are remembered.
    const std::uint64_t decisions = 2 * 1'024 * sizeof(Decision) + 2 * sink.text + 16'384 + 16 * kPods;
    EXPECT_LE(allocated, decisions);
    EXPECT_EQ(counted.threads(), threads);
    EXPECT_EQ(engine.counters().proposals > 0, threads > 1);
    ::testing::Test::RecordProperty("bytes_per_placement", static_cast<int>(allocated / kPods));
    ::testing::Test::RecordProperty("of_them_decisions", static_cast<int>(decisions / kPods));
}

TEST(Allocation, a_steady_load_allocates_its_decisions_and_nothing_else) {
    for (const BatchPath path : {BatchPath::inline_, BatchPath::automatic}) {
        EngineOptions options;
        options.executor = ExecutorKind::inline_;
        options.path = path;
        expect_decisions_alone(options, 1);
    }
}

TEST(Allocation, nor_do_proposals_of_workers_or_the_messages_to_them) {
    for (const ExecutorKind executor : {ExecutorKind::threads, ExecutorKind::tbb}) {
        EngineOptions options;
        options.executor = executor;
        options.path = BatchPath::graph;
        options.workers = 1;
        expect_decisions_alone(options, 2);
    }
}

}  // namespace
}  // namespace bayplan
