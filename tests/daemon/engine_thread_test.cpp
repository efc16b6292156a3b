// The engine's thread with a real engine; the test plays the gateway at the other end of the rings.
#include "daemon/engine_thread.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <functional>
#include <set>

#include "config/recorded_partition.h"
#include "daemon/outbox.h"
#include "recorder/recording_reader.h"
#include "state_frames.h"

namespace bayplan::testing {
namespace {

using namespace std::chrono_literals;
using daemon::ConnectItem;
using daemon::DecisionsItem;
using daemon::DisconnectItem;
using daemon::EngineThread;
using daemon::FrameItem;
using daemon::HelloItem;
using daemon::Inbox;
using daemon::OutboxItem;

struct Peer {
    ConnectionId connection = 0;
    std::shared_ptr<daemon::Outbox> outbox;
    std::vector<HelloOutcome> replies;
    std::map<std::string, std::string> placed;  // ask to node
    std::uint64_t last = 0;
};

class EngineThreadTest : public ::testing::Test {
protected:
    void SetUp() override {
        std::string pattern = (std::filesystem::temp_directory_path() / "bayplan-engine-XXXXXX").string();
        folder_ = mkdtemp(pattern.data());
    }
    void TearDown() override { std::filesystem::remove_all(folder_); }

    void start(std::size_t outbox_items = 64, bool poll = false, const std::string& queues_file = "") {
        outbox_items_ = outbox_items;
        daemon::EngineThreadOptions options;
        options.partition.name = "default";
        options.partition.queues_file = queues_file;
        options.partition.engine.queues = !queues_file.empty();
        options.partition.engine.executor = ExecutorKind::threads;
        options.partition.engine.path = BatchPath::graph;
        options.partition.engine.daemon_instance = 77;
        // Rules other than the default ones, so that a record without them replays to something else.
        options.partition.engine.predicates = {"NodeResourcesFit"};
        options.partition.engine.weights[ScoreId::balanced_allocation] = 0;
        options.partition.engine.score = ScorePolicy::most_allocated;
        options.record = record();
        options.poll = poll;
        engine_ = std::make_unique<EngineThread>(options, inbox_, log_);
        std::string error;
        ASSERT_TRUE(engine_->start(error)) << error;
    }

    std::string record() const { return (folder_ / "run.rec").string(); }
    std::size_t inputs_on_disk() const {
        std::string error;
        const auto reader = recorder::RecordingReader::open(record(), error);
        EXPECT_NE(reader, nullptr) << error;
        recorder::RecordingEntry entry;
        std::size_t inputs = 0;
        while (reader && reader->next(entry) == recorder::RecordingStep::input) ++inputs;
        return inputs;
    }

    // Digest of another engine that is fed the recording.
    std::string replayed_digest() const {
        std::string error;
        const auto reader = recorder::RecordingReader::open(record(), error);
        EXPECT_NE(reader, nullptr) << error;
        config::PartitionConfig partition;
        config::Faults faults;
        EXPECT_TRUE(config::parse_recorded_text(std::string(reader->configuration()), "record", partition, faults));
        EXPECT_EQ(partition.engine.daemon_instance, 77u);
        EXPECT_EQ(partition.engine.predicates, std::vector<std::string>{"NodeResourcesFit"});
        EXPECT_EQ(partition.engine.weights[ScoreId::balanced_allocation], 0);
        EXPECT_EQ(partition.engine.teller, TellerMode::thread) << "the daemon's default";
        partition.engine.executor = ExecutorKind::inline_;
        partition.engine.teller = TellerMode::inline_;
        daemon::EngineSink nobody;
        Engine again(partition.engine, nobody);
        recorder::RecordingEntry entry;
        recorder::RecordingStep step;
        while ((step = reader->next(entry)) == recorder::RecordingStep::input) {
            while (again.attempts() < entry.attempts && again.run(entry.attempts - again.attempts()) > 0) {
            }
            again.apply(entry.input);
        }
        EXPECT_EQ(step, recorder::RecordingStep::finished) << reader->fault();
        again.run(entry.attempts - again.attempts());
        return again.digest();
    }

    // As the gateway does: waits for room, never drops.
    void push(daemon::InboxItem item, std::size_t bytes = 0) {
        ASSERT_TRUE(until([&] { return inbox_.has_room(bytes); }));
        ASSERT_TRUE(inbox_.push(std::move(item)));
        inbox_.waker.notify();
    }
    void push_frame(const Peer& peer, dataplane::Frame frame) {
        auto decoded = inbox_.spare();
        std::string error;
        ASSERT_TRUE(decoded->decode(frame.bytes(), wire::Limits{}, error)) << error;
        const std::size_t bytes = frame.size();
        push(FrameItem{peer.connection, std::move(frame), std::move(decoded)}, bytes);
    }
    void push_frames(const Peer& peer, std::vector<dataplane::Frame> frames) {
        for (dataplane::Frame& frame : frames) push_frame(peer, std::move(frame));
    }

    Peer connect(ConnectionId connection, const std::string& shim) {
        Peer peer{connection, std::make_shared<daemon::Outbox>(outbox_items_), {}, {}, 0};
        push(ConnectItem{connection, shim, 1, 0, 0, {}, peer.outbox});
        return peer;
    }

    static void read(Peer& peer) {
        OutboxItem item;
        while (peer.outbox->take(item)) {
            if (const auto* hello = std::get_if<HelloItem>(&item)) peer.replies.push_back(hello->reply.outcome);
            const auto* got = std::get_if<DecisionsItem>(&item);
            if (got == nullptr) continue;
            EXPECT_LE(got->batch->first_sequence + got->skip, peer.last + 1) << "a decision is missing";
            for (std::size_t i = got->skip; i < got->batch->decisions.size(); ++i) {
                const Decision& decision = got->batch->decisions[i];
                peer.last = got->batch->first_sequence + i;
                if (decision.kind != DecisionKind::allocated) continue;
                EXPECT_TRUE(peer.placed.emplace(decision.name, decision.node).second)
                    << decision.name << " placed twice";
            }
        }
    }

    static bool until(const std::function<bool()>& condition) {
        const auto deadline = std::chrono::steady_clock::now() + 30s;
        while (!condition()) {
            if (std::chrono::steady_clock::now() > deadline) return false;
            std::this_thread::yield();
        }
        return true;
    }

    void stop() {
        engine_->request_stop(std::chrono::steady_clock::now() + 10s);
        engine_->join();
    }

    std::filesystem::path folder_;
    std::size_t outbox_items_ = 64;
    std::atomic<bool> record_end_told_{false};
    std::atomic<bool> queues_refused_{false};
    daemon::Log log_{config::LogConfig{}, [this](std::string_view line) {
                         if (line.find("the record ends here") != std::string_view::npos) record_end_told_ = true;
                         if (line.find("queues not read again") != std::string_view::npos) queues_refused_ = true;
                     }};
    Inbox inbox_{256, 8u << 20};
    std::unique_ptr<EngineThread> engine_;
};

TEST_F(EngineThreadTest, what_comes_in_is_scheduled_recorded_and_replays_to_the_same_digest) {
    start();
    Peer peer = connect(1, "shim-a");
    push_frames(peer, resync_frames(50));
    push_frames(peer, ask_frames("ask-", 1'000, 6));
    ASSERT_TRUE(until([&] {
        read(peer);
        return peer.placed.size() == 1'000;
    }));
    EXPECT_EQ(peer.replies, std::vector{HelloOutcome::resync});
    push_frame(peer, acknowledge_frame(peer.last));
    push(DisconnectItem{1});
    stop();
    const daemon::EngineSnapshot& end = engine_->latest_snapshot();
    EXPECT_EQ(end.counters.placed, 1'000u);
    EXPECT_GT(end.counters.batches_graph, 0u);
    EXPECT_EQ(end.record_error, "");
    EXPECT_EQ(inbox_.bytes(), 0u);

    EXPECT_EQ(replayed_digest(), end.digest);
    EXPECT_EQ(inputs_on_disk(), end.counters.inputs);
}

// 100 asks of 0.1 cores; how many run is the queue's to say.
std::string queues_with_max(const std::string& vcore) {
    return "partitions:\n- name: default\n  placementrules: [{name: fixed, value: root.a}]\n  queues:\n  - name: root\n"
           "    submitacl: '*'\n    queues: [{name: a, resources: {max: {vcore: " +
           vcore + "}}}]\n";
}

TEST_F(EngineThreadTest, queues_are_read_at_the_start_and_again_and_replay) {
    const std::string file = (folder_ / "queues.yaml").string();
    std::ofstream(file) << queues_with_max("'2'");
    start(64, false, file);
    Peer peer = connect(1, "shim-a");
    push_frames(peer, resync_frames(50));
    push_frames(peer, ask_frames("ask-", 100, 6));
    const auto placed_are = [&](std::size_t count) {
        return until([&] {
            read(peer);
            return peer.placed.size() == count;
        });
    };
    ASSERT_TRUE(placed_are(20));
    engine_->give_queues("partitions: 7");
    ASSERT_TRUE(until([&] { return queues_refused_.load(); }));
    engine_->give_queues(queues_with_max("'5'"));
    ASSERT_TRUE(placed_are(50));
    push_frame(peer, acknowledge_frame(peer.last));
    stop();
    const daemon::EngineSnapshot& end = engine_->latest_snapshot();
    EXPECT_EQ(end.counters.placed, 50u);
    EXPECT_EQ(end.counters.pending, 50u);
    EXPECT_EQ(replayed_digest(), end.digest);
}

TEST_F(EngineThreadTest, a_faulty_file_of_queues_is_no_start) {
    const std::string file = (folder_ / "queues.yaml").string();
    std::ofstream(file) << "partitions:\n- name: default\n  queues: [{name: root, maxaplications: 1}]\n";
    daemon::EngineThreadOptions options;
    options.partition.queues_file = file;
    options.partition.engine.queues = true;
    EngineThread engine(options, inbox_, log_);
    std::string error;
    EXPECT_FALSE(engine.start(error));
    EXPECT_NE(error.find("queues.yaml:3:25"), std::string::npos) << error;
}

TEST_F(EngineThreadTest, a_stop_applies_what_was_taken_already) {
    start();
    Peer peer = connect(1, "shim-a");
    push_frames(peer, resync_frames(10));
    push_frames(peer, ask_frames("ask-", 640, 6));
    stop();
    EXPECT_TRUE(inbox_.empty());
    const EngineCounters& counters = engine_->latest_snapshot().counters;
    EXPECT_EQ(counters.nodes, 10u);
    EXPECT_EQ(counters.placed + counters.pending + counters.backoff + counters.unschedulable, 640u);
}

// However much lies in the inbox, and however long it would take: what is left there is stated again.
TEST_F(EngineThreadTest, a_stop_whose_time_is_over_applies_nothing_more) {
    const Peer peer = connect(1, "shim-a");
    push_frames(peer, resync_frames(10));
    push_frames(peer, ask_frames("ask-", 640, 6));
    const std::size_t waiting = inbox_.depth();
    daemon::EngineThreadOptions options;
    options.partition.name = "default";
    engine_ = std::make_unique<EngineThread>(options, inbox_, log_);
    engine_->request_stop(std::chrono::steady_clock::now());
    std::string error;
    ASSERT_TRUE(engine_->start(error)) << error;
    engine_->join();
    EXPECT_GT(waiting, 5u);
    EXPECT_EQ(inbox_.depth(), waiting);
    EXPECT_EQ(engine_->latest_snapshot().counters.inputs, 0u);
}

TEST(TurnSize, follows_what_attempts_cost) {
    using daemon::TurnSize;
    TurnSize size;
    EXPECT_EQ(size.attempts(), TurnSize::kMost);
    for (int turn = 0; turn < 20; ++turn) size.took(size.attempts(), 10 * TurnSize::kBudget);
    EXPECT_EQ(size.attempts(), 1u);
    size.took(size.attempts(), TurnSize::kBudget);
    EXPECT_EQ(size.attempts(), 1u) << "as it should be";
    size.took(0, {});
    EXPECT_EQ(size.attempts(), 1u) << "there was nothing to do";
    for (int turn = 0; turn < 20; ++turn) size.took(size.attempts(), TurnSize::kBudget / 4);
    EXPECT_EQ(size.attempts(), TurnSize::kMost);
}

class EngineThreadStop : public EngineThreadTest {
protected:
    // The decisions of a connection that reads nothing wait for room when the stop begins.
    void SetUp() override {
        EngineThreadTest::SetUp();
        start(1);
        Peer slow = connect(1, "shim-a");
        push_frames(slow, resync_frames(10));
        push_frames(slow, ask_frames("ask-", 10, 6));
        ASSERT_TRUE(until(
            [&] { return engine_->refresh_snapshot(std::chrono::steady_clock::now() + 10s).counters.placed == 10; }));
        engine_->request_stop(std::chrono::steady_clock::now() + 1h);
        std::this_thread::sleep_for(20ms);
        EXPECT_FALSE(engine_->ended());
    }
    void TearDown() override {
        engine_->request_stop(std::chrono::steady_clock::now());
        engine_->join();
        EngineThreadTest::TearDown();
    }
};

TEST_F(EngineThreadStop, waits_no_longer_for_a_shim_that_has_gone) {
    push(DisconnectItem{1});
    EXPECT_TRUE(until([&] { return engine_->ended(); }));
}

TEST_F(EngineThreadStop, an_earlier_deadline_ends_the_wait) {
    engine_->request_stop(std::chrono::steady_clock::now());
    EXPECT_TRUE(until([&] { return engine_->ended(); }));
}

TEST_F(EngineThreadTest, a_connection_that_takes_nothing_holds_up_no_other) {
    start(8);
    Peer slow = connect(1, "shim-a");
    push_frames(slow, resync_frames(40));
    push_frames(slow, ask_frames("slow-", 640, 6));
    ASSERT_TRUE(until(
        [&] { return engine_->refresh_snapshot(std::chrono::steady_clock::now() + 10s).counters.placed == 640; }));
    // Every further message is answered by a batch of its own, of which the slow outbox holds
    // eight.
    for (std::uint64_t i = 0; i < 40; ++i) {
        push_frames(slow, ask_frames("more-" + std::to_string(i) + "-", 1, 16 + i));
        ASSERT_TRUE(until([&] {
            return engine_->refresh_snapshot(std::chrono::steady_clock::now() + 10s).counters.placed == 641 + i;
        }));
    }
    Peer quick = connect(2, "shim-b");
    auto frames = resync_frames(0);
    push_frames(quick, std::move(frames));
    push_frames(quick, ask_frames("quick-", 500, 6));
    ASSERT_TRUE(until([&] {
        read(quick);
        return quick.placed.size() == 500;
    }));
    ASSERT_TRUE(until([&] {
        read(slow);
        return slow.placed.size() == 680;
    })) << "what waited comes when there is room: "
        << slow.placed.size();
}

// A file may grow no further than it is now, as when its disk is full.
class FullDisk {
public:
    explicit FullDisk(std::uint64_t bytes) {
        signal(SIGXFSZ, SIG_IGN);
        getrlimit(RLIMIT_FSIZE, &before_);
        const rlimit full{bytes, before_.rlim_max};
        setrlimit(RLIMIT_FSIZE, &full);
    }
    ~FullDisk() {
        setrlimit(RLIMIT_FSIZE, &before_);
        signal(SIGXFSZ, SIG_DFL);
    }
    FullDisk(const FullDisk&) = delete;
    FullDisk& operator=(const FullDisk&) = delete;

private:
    rlimit before_{};
};

TEST_F(EngineThreadTest, one_that_never_sleeps_writes_its_record_all_the_same_and_tells_when_it_cannot) {
    start(64, true);
    Peer peer = connect(1, "shim-a");
    push_frames(peer, resync_frames(10));
    const std::size_t given = 1 + resync_frames(10).size();
    ASSERT_TRUE(until([&] { return inputs_on_disk() >= given; }));
    const FullDisk full(std::filesystem::file_size(record()));
    EXPECT_TRUE(until([&] { return record_end_told_.load(); }));
    stop();
    EXPECT_NE(engine_->latest_snapshot().record_error, "");
}

TEST_F(EngineThreadTest, a_record_that_cannot_be_made_is_told_at_start) {
    std::filesystem::remove_all(folder_);
    daemon::EngineThreadOptions options;
    options.partition.name = "default";
    options.record = record();
    EngineThread engine(options, inbox_, log_);
    std::string error;
    EXPECT_FALSE(engine.start(error));
    EXPECT_NE(error.find("No such file or directory"), std::string::npos) << error;
}

}  // namespace
}  // namespace bayplan::testing
