// A replay repeats a run whatever the settings that do not decide, and says where it cannot.
#include "cli/replay.h"

#include <gmock/gmock.h>

#include <array>

#include "cli/input_text.h"
#include "recorder/recording_writer.h"
#include "small_load.h"

namespace bayplan::cli {
namespace {

using ::testing::HasSubstr;

// A live run: an engine and its record, driven by one shim.
class LiveRun {
public:
    explicit LiveRun(const std::string& path) : sink_(nullptr), engine_(options(), sink_) {
        std::string error;
        record_ = recorder::RecordingWriter::open(path, "", error);
        EXPECT_NE(record_, nullptr) << error;
    }

    static EngineOptions options() {
        EngineOptions options;
        options.executor = ExecutorKind::inline_;
        return options;
    }

    void input(const Input& input) {
        record_->write(engine_.attempts(), input);
        engine_.apply(input);
    }
    void state(const StateBody& body) { input(StateMessage{1, ++sequence_, body}); }
    void run(std::uint64_t attempts) { EXPECT_EQ(engine_.run(attempts), attempts); }
    std::string finish() {
        record_->finish(engine_.attempts());
        return engine_.digest();
    }
    std::uint64_t attempts() const { return engine_.attempts(); }

private:
    ReplaySink sink_;
    Engine engine_;
    std::unique_ptr<recorder::RecordingWriter> record_;
    std::uint64_t sequence_ = 0;
};

// Three nodes, twenty asks in two portions with attempts in between, a node lost, a tick.
std::string live_run(const std::string& path) {
    constexpr DictId kApp = 1, kQueue = 2, kCpu = 3, kNode = 10;
    LiveRun run(path);
    run.input(Tick{1'000});
    run.input(Connect{1, "shim-a", 7, 0, 0});
    run.state(ResyncBeginMessage{});
    const std::array<DictEntry, 6> words{
        {{kApp, "app"}, {kQueue, "root.default"}, {kCpu, "cpu"}, {kNode, "n0"}, {kNode + 1, "n1"}, {kNode + 2, "n2"}}};
    run.state(DefineMessage{words});
    const Amount capacity{kCpu, 1'000};
    std::array<NodeItem, 3> nodes;
    for (DictId i = 0; i < nodes.size(); ++i) {
        nodes[i].node = kNode + i;
        nodes[i].capacity = {&capacity, 1};
    }
    run.state(NodesMessage{nodes});
    const ApplicationItem application{kApp, kQueue, 0};
    run.state(ApplicationsMessage{{&application, 1}, {}});
    run.state(ResyncEndMessage{});
    const Amount request{kCpu, 200};
    for (int portion = 0; portion < 2; ++portion) {
        std::array<std::string, 10> keys;
        std::array<AskItem, 10> asks;
        for (std::size_t i = 0; i < asks.size(); ++i) {
            keys[i] = "pod-" + std::to_string(portion) + "-" + std::to_string(i);
            asks[i].key = keys[i];
            asks[i].application = kApp;
            asks[i].priority = static_cast<std::int32_t>(i % 3);
            asks[i].requests = {&request, 1};
        }
        run.state(AsksMessage{asks});
        run.run(7);  // some are still pending when the next input comes
    }
    NodeItem lost;
    lost.node = kNode + 1;
    lost.action = NodeAction::decommission;
    run.state(NodesMessage{{&lost, 1}});
    run.run(1);
    run.input(Tick{2'000});
    return run.finish();
}

class Replay : public testing::InDirectory {
protected:
    ReplayResult replay_with(const EngineOptions& options, std::string& digest) {
        std::string error;
        const auto record = recorder::RecordingReader::open(directory_ + "/record", error);
        EXPECT_NE(record, nullptr) << error;
        ReplaySink sink(nullptr);
        Engine engine(options, sink);
        const ReplayResult result = replay(*record, engine);
        digest = engine.digest();
        return result;
    }
};

TEST_F(Replay, repeats_the_decisions_whatever_the_settings_that_do_not_decide) {
    const std::string live = live_run(directory_ + "/record");
    for (const ExecutorKind executor : {ExecutorKind::inline_, ExecutorKind::threads}) {
        for (const std::uint32_t batch : {1u, 4u, 64u}) {
            EngineOptions options = LiveRun::options();
            options.executor = executor;
            options.path = executor == ExecutorKind::threads ? BatchPath::graph : BatchPath::automatic;
            options.batch = batch;
            std::string digest;
            const ReplayResult result = replay_with(options, digest);
            EXPECT_EQ(result.fault, "");
            EXPECT_EQ(result.attempts, 15u);
            EXPECT_EQ(result.inputs, 11u);
            EXPECT_EQ(digest, live) << batch;
        }
    }
}

TEST_F(Replay, says_where_it_cannot_follow) {
    live_run(directory_ + "/record");
    EngineOptions options = LiveRun::options();
    options.credit_window = 3;
    std::string digest;
    const ReplayResult result = replay_with(options, digest);
    EXPECT_THAT(result.fault, HasSubstr("the live run had made 7 attempts, this one 3"));
}

TEST_F(Replay, of_a_torn_record_goes_to_where_it_is_torn) {
    const std::string path = directory_ + "/record";
    live_run(path);
    std::filesystem::resize_file(path, std::filesystem::file_size(path) - 20);
    std::string digest;
    const ReplayResult result = replay_with(LiveRun::options(), digest);
    EXPECT_NE(result.fault, "");
    EXPECT_EQ(result.inputs, 11u);
}

TEST(InputText, names_every_kind_of_input) {
    EXPECT_EQ(input_text(Tick{5}), "tick 5");
    EXPECT_EQ(input_text(Connect{1, "shim-a", 2, 3, 4}), "connect 1 shim-a");
    EXPECT_EQ(input_text(Disconnect{1}), "disconnect 1");
    EXPECT_EQ(input_text(StateMessage{1, 2, ResyncEndMessage{}}), "state 1 2 resync-end");
    EXPECT_EQ(input_text(StateMessage{1, 2, AsksMessage{}}), "state 1 2 asks 0");
    EXPECT_EQ(input_text(Acknowledge{1, 9}), "acknowledge 1 9");
    EXPECT_EQ(input_text(HoldPlace{7, "n", 0, {}}), "hold 7 n");
    EXPECT_EQ(input_text(HoldDrop{7}), "hold-drop 7");
    EXPECT_EQ(input_text(QueuesText{"default", "partitions:"}), "queues default 11 bytes");
}

}  // namespace
}  // namespace bayplan::cli
