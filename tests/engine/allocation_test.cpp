// A steady load allocates nothing on its way through run(), but for the decisions that go out. jemalloc counts
// the bytes that this thread asks for.

#include <gtest/gtest.h>
#include <jemalloc/jemalloc.h>

#include "tests/engine/harness.h"

namespace bayplan {
namespace {

using testing::TestShim;

constexpr int kNodes = 1'000;
constexpr int kPods = 1'000;  // at a time
constexpr int kClasses = 10;

std::uint64_t allocated_here() {
    std::uint64_t bytes = 0;
    std::size_t size = sizeof(bytes);
    EXPECT_EQ(mallctl("thread.allocated", &bytes, &size, nullptr, 0), 0);
    return bytes;
}

// Lets go of what it is given, as a shim that reads and acknowledges.
class ForgettingSink final : public DecisionSink {
public:
    void hello_reply(ConnectionId, const HelloReply&) override {}
    bool decisions(ConnectionId, std::shared_ptr<const DecisionBatch> batch, std::size_t, std::uint64_t) override {
        last = batch->first_sequence + batch->decisions.size() - 1;
        for (const Decision& decision : batch->decisions) {
            text += decision.name.size() + decision.node.size() + decision.text.size();
        }
        return true;
    }
    bool state_applied(ConnectionId, std::uint64_t) override { return true; }
    void cut(ConnectionId, std::string_view) override {}
    void log_line(std::string_view) override {}

    std::uint64_t last = 0;
    std::uint64_t text = 0;  // bytes
};

class Load {
public:
    Load(Engine& engine, ForgettingSink& sink) : engine_(engine), sink_(sink), shim_(engine, "s") {
        for (int node = 0; node < kNodes; ++node) {
            shim_.node("n" + std::to_string(node), {{"cpu", 100'000}, {"memory", 1'000'000}, {"pods", 110}});
        }
        shim_.application("app");
    }

    // Some pods come, are placed, and go again. Returns what their placement allocated.
    std::uint64_t turn() {
        for (int pod = 0; pod < kPods; ++pod) {
            shim_.ask("pod" + std::to_string(pod), "app", {{"cpu", 100 + pod % kClasses}, {"memory", 100}, {"pods", 1}});
        }
        sent();
        sink_.text = 0;
        const std::uint64_t before = allocated_here();
        EXPECT_EQ(engine_.run(kPods), static_cast<std::uint64_t>(kPods));
        const std::uint64_t allocated = allocated_here() - before;
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
    TestShim shim_;
};

TEST(Allocation, a_steady_load_allocates_its_decisions_and_nothing_else) {
    for (const BatchPath path : {BatchPath::inline_, BatchPath::automatic}) {
        ForgettingSink sink;
        EngineOptions options;
        options.executor = ExecutorKind::inline_;
        options.path = path;
        Engine engine(options, sink);
        Load load(engine, sink);
        for (int turn = 0; turn < 20; ++turn) {
            load.turn();  // tables and logs find their size
        }
        const std::uint64_t allocated = load.turn();
        // Records of a batch are given room by doubling, texts by pieces four times as large up to 16 KiB, and
        // what is not acknowledged is remembered.
        const std::uint64_t decisions = 2 * 1'024 * sizeof(Decision) + 2 * sink.text + 16'384 + 16 * kPods;
        EXPECT_LE(allocated, decisions);
        RecordProperty("bytes_per_placement", static_cast<int>(allocated / kPods));
        RecordProperty("of_them_decisions", static_cast<int>(decisions / kPods));
    }
}

}  // namespace
}  // namespace bayplan
