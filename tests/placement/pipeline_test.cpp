// The pipeline at work: proposals of one batch run at the same time, the next batch is proposed while
// the present one commits, commit looks again at what changed, and what comes up in between cuts.

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <set>
#include <thread>

#include "placement/stage_executor.h"
#include "predicates/registry.h"
#include "tests/engine/harness.h"

namespace bayplan {
namespace {

using namespace std::chrono_literals;
using testing::KeepingSink;
using testing::TestShim;

bool tbb_allowed() { return std::getenv("BAYPLAN_NO_TBB") == nullptr; }

// Holds every proposal until proposals of `wanted` classes are inside it at the same time, or the time
// is up: then it gives up for good and says so.
class Rendezvous final : public Predicate {
public:
    Rendezvous(std::thread::id engine, std::chrono::milliseconds patience) : engine_(engine), patience_(patience) {}

    std::uint64_t filter(const AskClass& ask_class, const NodeBlock&, std::uint64_t lanes) const noexcept override {
        if (met || gave_up || (std::this_thread::get_id() == engine_ && !count_engine)) {
            return lanes;
        }
        inside_.fetch_or(1u << (ask_class.cpu_request % 32));
        const auto until = std::chrono::steady_clock::now() + patience_;
        while (std::chrono::steady_clock::now() < until) {
            const std::uint32_t inside = inside_;
            if ((inside & (inside - 1)) != 0) {
                met = true;
                return lanes;
            }
            std::this_thread::yield();
        }
        gave_up = true;
        return lanes;
    }
    Refusal explain(const Subject&, const NodeView&) const override { return {}; }

    mutable std::atomic<bool> met{false};
    mutable std::atomic<bool> gave_up{false};
    bool count_engine = false;

private:
    const std::thread::id engine_;
    const std::chrono::milliseconds patience_;
    mutable std::atomic<std::uint32_t> inside_{0};
};

std::unique_ptr<PredicateSet> with_defaults(std::unique_ptr<Predicate> extra) {
    const LaneKernels& kernels = lane_kernels(SimdLevel::automatic);
    std::vector<PredicateInForce> predicates;
    predicates.push_back({{}, std::move(extra)});
    predicates.push_back({row_of(PredicateId::node_unschedulable), make_node_unschedulable(kernels)});
    predicates.push_back({row_of(PredicateId::node_name), make_node_name(kernels)});
    predicates.push_back({row_of(PredicateId::node_resources_fit), make_node_resources_fit(kernels)});
    return std::make_unique<PredicateSet>(std::move(predicates));
}

EngineOptions graph_options(std::uint32_t depth = 2) {
    EngineOptions options;
    options.path = BatchPath::graph;
    options.workers = 2;
    options.depth = depth;
    options.batch = 2;
    return options;
}

void two_asks(TestShim& shim) {
    shim.node("n1", {{"cpu", 1000}, {"memory", 1000}});
    shim.application("app");
    shim.ask("a", "app", {{"cpu", 1}});
    shim.ask("b", "app", {{"cpu", 2}});
}

std::unique_ptr<StageExecutor> parallel_executor(bool tbb) {
    return tbb ? make_tbb_executor(2, {}) : make_thread_executor(2, {});
}

class OnBothExecutors : public ::testing::TestWithParam<bool> {
protected:
    void SetUp() override {
        if (GetParam() && !tbb_allowed()) {
            GTEST_SKIP() << "BAYPLAN_NO_TBB is set";
        }
    }
};

TEST_P(OnBothExecutors, proposal_a_returns_only_once_proposal_b_runs) {
    auto predicate = std::make_unique<Rendezvous>(std::this_thread::get_id(), 60s);
    const Rendezvous& rendezvous = *predicate;
    KeepingSink sink;
    Engine engine(graph_options(), sink, with_defaults(std::move(predicate)), parallel_executor(GetParam()));
    TestShim shim(engine, "s");
    two_asks(shim);
    EXPECT_EQ(engine.run(2), 2u);
    EXPECT_TRUE(rendezvous.met);
    EXPECT_EQ(engine.counters().batches_graph, 1u);
    EXPECT_EQ(engine.counters().proposals, 2u);
}

TEST(Pipeline, the_inline_path_cannot_make_two_proposals_meet) {
    auto predicate = std::make_unique<Rendezvous>(std::this_thread::get_id(), 200ms);
    predicate->count_engine = true;
    const Rendezvous& rendezvous = *predicate;
    KeepingSink sink;
    EngineOptions options = graph_options();
    options.path = BatchPath::inline_;
    Engine engine(options, sink, with_defaults(std::move(predicate)), make_inline_executor());
    TestShim shim(engine, "s");
    two_asks(shim);
    EXPECT_EQ(engine.run(2), 2u);
    EXPECT_FALSE(rendezvous.met);
    EXPECT_TRUE(rendezvous.gave_up);
    EXPECT_EQ(engine.counters().batches_graph, 0u);
    EXPECT_GE(engine.counters().batches_inline, 1u);
}

// Holds a commit (the engine thread's own look at a block) until a worker proposes for the next batch.
class CommitGate final : public Predicate {
public:
    explicit CommitGate(std::thread::id engine) : engine_(engine) {}

    std::uint64_t filter(const AskClass& ask_class, const NodeBlock&, std::uint64_t lanes) const noexcept override {
        const bool late = ask_class.cpu_request >= 3;  // a class of the second batch
        if (std::this_thread::get_id() != engine_) {
            if (late) {
                // Waits for the commit of the first batch to be under way.
                wait_for(committing_);
                proposing_ = true;
            }
            return lanes;
        }
        committing_ = true;
        overlapped = wait_for(proposing_) || overlapped;
        return lanes;
    }
    Refusal explain(const Subject&, const NodeView&) const override { return {}; }

    mutable std::atomic<bool> overlapped{false};

private:
    static bool wait_for(const std::atomic<bool>& flag) noexcept {
        const auto until = std::chrono::steady_clock::now() + 60s;
        while (!flag && std::chrono::steady_clock::now() < until) {
            std::this_thread::yield();
        }
        return flag;
    }

    const std::thread::id engine_;
    mutable std::atomic<bool> committing_{false};
    mutable std::atomic<bool> proposing_{false};
};

TEST_P(OnBothExecutors, the_next_batch_is_proposed_while_the_present_one_commits) {
    auto predicate = std::make_unique<CommitGate>(std::this_thread::get_id());
    const CommitGate& gate = *predicate;
    KeepingSink sink;
    Engine engine(graph_options(), sink, with_defaults(std::move(predicate)), parallel_executor(GetParam()));
    TestShim shim(engine, "s");
    shim.node("n1", {{"cpu", 1000}, {"memory", 1000}});
    shim.application("app");
    for (int number = 1; number <= 4; ++number) {
        shim.ask("p" + std::to_string(number), "app", {{"cpu", number}});
    }
    // The second ask of the first batch must look again at what the first one changed: a commit on the
    // engine thread that the gate holds until the second batch's proposals run.
    EXPECT_EQ(engine.run(4), 4u);
    EXPECT_TRUE(gate.overlapped);
    EXPECT_GE(engine.counters().batches_overlapped, 1u);
    EXPECT_GE(engine.counters().blocks_rechecked, 1u);
}

INSTANTIATE_TEST_SUITE_P(Executors, OnBothExecutors, ::testing::Values(false, true),
                         [](const auto& param) { return param.param ? "tbb" : "threads"; });

TEST(Pipeline, commit_looks_again_at_nodes_that_earlier_commits_of_the_batch_changed) {
    // Both asks prefer n1 when proposed; after the first, only n2 has room.
    for (const bool tbb : {false, true}) {
        if (tbb && !tbb_allowed()) {
            continue;
        }
        KeepingSink sink;
        Engine engine(graph_options(), sink, make_predicates({}), parallel_executor(tbb));
        TestShim shim(engine, "s");
        shim.node("n1", {{"cpu", 10}, {"memory", 1000}});
        shim.node("n2", {{"cpu", 9}, {"memory", 1000}});
        shim.application("app");
        shim.ask("a", "app", {{"cpu", 8}});
        shim.ask("b", "app", {{"cpu", 7}});
        engine.run(2);
        ASSERT_EQ(sink.log.size(), 2u);
        EXPECT_EQ(sink.log[0], "1 0 place s/a n1 - -");
        EXPECT_EQ(sink.log[1], "2 0 place s/b n2 - -");
    }
}

TEST(Pipeline, an_ask_of_higher_priority_that_comes_between_cuts_what_was_selected) {
    KeepingSink sink;
    EngineOptions options = graph_options();
    options.batch = 4;
    Engine engine(options, sink, make_predicates({}), make_inline_executor());
    TestShim shim(engine, "s");
    shim.node("n1", {{"cpu", 3}});
    shim.application("app");
    for (const char* key : {"a", "b", "c", "d"}) {
        shim.ask(key, "app", {{"cpu", 1}});
    }
    EXPECT_EQ(engine.run(1), 1u);
    EXPECT_EQ(engine.counters().pending, 3u) << "selected asks still count as pending";
    shim.ask("urgent", "app", {{"cpu", 1}}, 100);
    engine.run(10);
    EXPECT_EQ(sink.log[1], "2 0 place s/urgent n1 - -");
    EXPECT_EQ(sink.log[2], "3 0 place s/b n1 - -");
    EXPECT_GE(engine.counters().batches_cut, 1u);
    EXPECT_EQ(engine.ask_state("s", "c"), "unschedulable");
}

TEST(Pipeline, a_selected_ask_that_is_released_is_not_placed) {
    KeepingSink sink;
    Engine engine(graph_options(), sink, make_predicates({}), make_inline_executor());
    TestShim shim(engine, "s");
    two_asks(shim);
    shim.ask("c", "app", {{"cpu", 1}});
    EXPECT_EQ(engine.run(1), 1u);
    shim.release("b");
    EXPECT_EQ(engine.run(10), 1u);
    EXPECT_EQ(sink.log.back(), "2 0 place s/c n1 - -");
    std::vector<std::string> broken;
    engine.audit(broken);
    EXPECT_TRUE(broken.empty());
}

// Pods that look at every node's columns, for their host port: pods of one `port` are alike but for the port.
void asks_of_port(TestShim& shim, std::uint16_t port, std::int64_t cpu, int count) {
    SpecItem spec{.number = port, .spec = {}};
    spec.spec.ports = {{.port = port}};
    shim.send(SpecsMessage{.define = std::span(&spec, 1), .forget = {}});
    const std::vector<Amount> requests = {{shim.id("cpu"), cpu}};
    for (int number = 0; number < count; ++number) {
        const std::string key = "p" + std::to_string(port) + "-" + std::to_string(number);
        AskItem record;
        record.key = key;
        record.application = shim.id("app");
        record.requests = requests;
        record.spec = port;
        shim.send(AsksMessage{std::span(&record, 1)});
    }
}

TEST(Pipeline, classes_of_one_ask_leave_the_columns_of_others_to_be_taken) {
    KeepingSink sink;
    EngineOptions options;
    options.path = BatchPath::inline_;
    Engine engine(options, sink);
    TestShim shim(engine, "s");
    for (int node = 0; node < 40 * 64; ++node) {
        shim.node("n" + std::to_string(node), {{"cpu", 100'000}});
    }
    shim.application("app");
    asks_of_port(shim, 1, 1, 2);
    for (std::uint16_t other = 0; other < 20; ++other) {
        asks_of_port(shim, 100 + other, 10 + other, 1);
    }
    EXPECT_EQ(engine.run(100), 22u);
    const std::uint64_t before = engine.counters().blocks_rechecked;
    asks_of_port(shim, 2, 1, 2);
    EXPECT_EQ(engine.run(100), 2u);
    EXPECT_LT(engine.counters().blocks_rechecked - before, 40u) << "every node was judged anew";
}

// Batches that were handed over when 64 classes came that had never seen the blocks of so many nodes.
std::uint64_t handed_over(ScorePolicy policy, int nodes) {
    KeepingSink sink;
    EngineOptions options = graph_options();
    options.path = BatchPath::automatic;
    options.batch = 64;
    options.score = policy;
    Engine engine(options, sink, make_predicates({}), make_inline_executor());
    TestShim shim(engine, "s");
    for (int node = 0; node < 64; ++node) {
        shim.node("n" + std::to_string(node), {{"cpu", 100'000}});
    }
    shim.application("app");
    for (int pod = 0; pod < 64; ++pod) {
        shim.ask("same" + std::to_string(pod), "app", {{"cpu", 1}});
    }
    engine.run(1000);
    EXPECT_EQ(engine.counters().batches_graph, 0u) << "one class, one block: nothing to hand over";
    for (int node = 64; node < nodes; ++node) {
        shim.node("n" + std::to_string(node), {{"cpu", 100'000}, {"memory", 1000}});
    }
    for (int pod = 0; pod < 64; ++pod) {
        shim.ask("few" + std::to_string(pod), "app", {{"cpu", 2 + pod % 4}});
    }
    engine.run(1000);
    EXPECT_EQ(engine.counters().batches_graph, 0u) << "4 classes are done sooner here";
    for (int pod = 0; pod < 64; ++pod) {
        shim.ask("new" + std::to_string(pod), "app", {{"cpu", 10 + pod}});
    }
    engine.run(1000);
    return engine.counters().batches_graph;
}

TEST(Pipeline, cheap_batches_go_inline_and_dear_ones_to_the_workers_when_the_path_is_automatic) {
    EXPECT_EQ(handed_over(ScorePolicy::most_allocated, 20'000), 1u) << "the lanes of every block";
    EXPECT_EQ(handed_over(ScorePolicy::least_allocated, 20'000), 0u) << "ranges tell soon enough";
    EXPECT_EQ(handed_over(ScorePolicy::least_allocated, 100'000), 0u)
        << "a key of each block costs more than its ranges";
}

TEST(Pipeline, proposals_see_what_changed_until_they_are_made) {
    KeepingSink sink;
    Engine engine(graph_options(), sink, make_predicates({}), make_inline_executor());
    TestShim shim(engine, "s");
    two_asks(shim);
    EXPECT_EQ(engine.run(2), 2u);
    EXPECT_EQ(engine.counters().blocks_proposed, 2u) << "the one block there is, by each of two classes";
    shim.ask("c", "app", {{"cpu", 1}});
    EXPECT_EQ(engine.run(1), 1u);
    EXPECT_EQ(engine.counters().blocks_proposed, 3u) << "again, as it was taken from since";
}

}  // namespace
}  // namespace bayplan
