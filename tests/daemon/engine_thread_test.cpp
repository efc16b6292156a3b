// The engine's thread with a real engine; the test plays the gateway at the other end of the rings.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>

#include <filesystem>
#include <fstream>
#include <set>

#include "engine_world.h"
#include "queue_config/load.h"

namespace bayplan::testing {
namespace {

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
    engine_->give_queues({"partitions: 7", nullptr});
    ASSERT_TRUE(until([&] { return queues_refused_.load(); }));
    std::string fault;
    const std::string text = queues_with_max("'5'");
    engine_->give_queues({text, queue_config::read_own_partition(text, "default", fault)});
    ASSERT_TRUE(placed_are(50));
    const auto refused = [&] {
        return engine_->ask([&] { return engine_->refused_queues(); },
                            std::chrono::steady_clock::now() + std::chrono::seconds(30));
    };
    EXPECT_EQ(refused(), "");
    engine_->give_queues({"partitions: 7", nullptr});
    EXPECT_NE(refused().value_or(""), "");
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

// Messages that lie in the inbox take longer than a turn may: attempts come in between.
TEST_F(EngineThreadTest, a_flood_of_messages_does_not_keep_the_engine_from_its_attempts) {
    const Peer peer = connect(1, "shim-a");
    push_frames(peer, resync_frames(50));
    push_frames(peer, ask_frames("ask-", 12'800, 6));
    start();
    ASSERT_TRUE(until([&] { return inbox_.depth() == 0; }));
    stop();
    std::string error;
    const auto reader = recorder::RecordingReader::open(record(), error);
    ASSERT_NE(reader, nullptr) << error;
    recorder::RecordingEntry entry;
    std::uint64_t before_the_last = 0;
    while (reader->next(entry) == recorder::RecordingStep::input) {
        if (std::holds_alternative<StateMessage>(entry.input)) before_the_last = entry.attempts;
    }
    EXPECT_GT(before_the_last, 0u) << "attempts before the last message";
    EXPECT_EQ(replayed_digest(), engine_->latest_snapshot().digest);
}

// A message as long as one may be is applied in pieces, which the record has; a replay of it decides the same.
TEST_F(EngineThreadTest, a_long_message_is_applied_in_pieces) {
    Peer peer = connect(1, "shim-a");
    push_frames(peer, resync_frames(50));
    push_frames(peer, ask_frames("ask-", 10'000, 6, 10'000));
    start();
    ASSERT_TRUE(until([&] {
        read(peer);
        return inbox_.depth() == 0 && peer.placed.size() == 2'000;
    }));
    stop();
    EXPECT_EQ(engine_->latest_snapshot().counters.placed, 2'000u);
    std::string error;
    const auto reader = recorder::RecordingReader::open(record(), error);
    ASSERT_NE(reader, nullptr) << error;
    recorder::RecordingEntry entry;
    std::size_t asks = 0;
    std::size_t most = 0;
    std::size_t pieces = 0;
    while (reader->next(entry) == recorder::RecordingStep::input) {
        const auto* message = std::get_if<StateMessage>(&entry.input);
        const auto* part = message != nullptr ? std::get_if<AsksMessage>(&message->body) : nullptr;
        if (part == nullptr) continue;
        asks += part->asks.size();
        most = std::max(most, part->asks.size());
        pieces += message->piece != 0 ? 1 : 0;
        EXPECT_EQ(message->sequence, 6u);
    }
    EXPECT_EQ(asks, 10'000u);
    EXPECT_LE(most, Engine::kStepsOfPiece);
    EXPECT_GE(pieces, 4u);
    EXPECT_EQ(replayed_digest(), engine_->latest_snapshot().digest);
}

// The messages of a shim wait behind a turn of another's, not behind all that it has sent.
TEST_F(EngineThreadTest, shims_take_turns) {
    const Peer first = connect(1, "shim-a");
    push_frames(first, resync_frames(50));
    push_frames(first, ask_frames("ask-", 12'800, 6));
    const Peer second = connect(2, "shim-b");
    start();
    ASSERT_TRUE(until([&] { return inbox_.depth() == 0; }));
    stop();
    std::string error;
    const auto reader = recorder::RecordingReader::open(record(), error);
    ASSERT_NE(reader, nullptr) << error;
    recorder::RecordingEntry entry;
    std::size_t behind = 0;  // messages of the first shim that were applied after the second shim's hello
    bool seen = false;
    while (reader->next(entry) == recorder::RecordingStep::input) {
        if (const auto* hello = std::get_if<Connect>(&entry.input)) seen = seen || hello->connection == 2;
        behind += seen && std::holds_alternative<StateMessage>(entry.input) ? 1 : 0;
    }
    EXPECT_TRUE(seen);
    EXPECT_GT(behind, 0u);
    EXPECT_EQ(replayed_digest(), engine_->latest_snapshot().digest);
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

// Without the shim's key, and as inputs of the run: a replay does the same.
TEST_F(EngineThreadTest, a_shim_that_is_gone_can_be_forgotten_and_one_that_is_here_cannot) {
    start();
    const auto later = [] { return std::chrono::steady_clock::now() + 10s; };
    const auto forget = [&](const char* shim) {
        return engine_->ask([&, shim] { return engine_->forget_shim(shim); }, later()).value_or("no answer");
    };
    Peer peer = connect(1, "shim-a");
    push_frames(peer, resync_frames(10));
    push_frames(peer, ask_frames("ask-", 10, 6));
    ASSERT_TRUE(until([&] {
        read(peer);
        return peer.placed.size() == 10;
    }));
    EXPECT_EQ(forget("shim-b"), "no shim 'shim-b' has been here");
    EXPECT_EQ(forget("shim-a"), "the shim 'shim-a' is connected");
    EXPECT_EQ(engine_->refresh_snapshot(later()).counters.nodes, 10u);
    push(DisconnectItem{1});
    ASSERT_TRUE(until([&] { return forget("shim-a").empty(); }));
    EXPECT_EQ(engine_->refresh_snapshot(later()).counters.nodes, 0u);
    EXPECT_EQ(engine_->latest_snapshot().counters.allocations, 0u);
    EXPECT_EQ(engine_->latest_snapshot().counters.resyncs_open, 0u);
    EXPECT_EQ(forget("shim-a"), "") << "again: it is not connected";
    stop();
    EXPECT_EQ(replayed_digest(), engine_->latest_snapshot().digest);
}

TEST_F(EngineThreadTest, a_drained_engine_takes_in_what_is_said_and_tries_nothing) {
    start();
    const auto snapshot = [&] { return engine_->refresh_snapshot(std::chrono::steady_clock::now() + 10s).counters; };
    engine_->drain(true);
    Peer peer = connect(1, "shim-a");
    push_frames(peer, resync_frames(10));
    push_frames(peer, ask_frames("ask-", 100, 6));
    ASSERT_TRUE(until([&] { return snapshot().pending == 100; }));
    for (int turn = 0; turn < 20; ++turn) EXPECT_EQ(snapshot().attempts, 0u);
    engine_->drain(false);
    EXPECT_TRUE(until([&] {
        read(peer);
        return peer.placed.size() == 100;
    }));
    stop();
    EXPECT_EQ(replayed_digest(), engine_->latest_snapshot().digest);
}

TEST_F(EngineThreadTest, an_engine_finds_its_laws_kept_and_tells_how_long_that_took) {
    start();
    Peer peer = connect(1, "shim-a");
    push_frames(peer, resync_frames(10));
    push_frames(peer, ask_frames("ask-", 100, 6));
    ASSERT_TRUE(until([&] {
        read(peer);
        return peer.placed.size() == 100;
    }));
    const auto later = std::chrono::steady_clock::now() + 10s;
    EXPECT_EQ(engine_->ask([&] { return engine_->audit(); }, later), "");
    const daemon::EngineSnapshot& now = engine_->refresh_snapshot(later);
    EXPECT_EQ(now.audits, 1u);
    EXPECT_GT(now.audit_last_ns, 0u);
    EXPECT_EQ(now.laws_broken, 0u);
    EXPECT_EQ(engine_->stages().inbox.count(), resync_frames(10).size() + ask_frames("ask-", 100, 6).size());
    EXPECT_GE(engine_->stages().apply.count(), engine_->stages().inbox.count());
    EXPECT_GT(engine_->stages().attempts.count(), 0u);
    EXPECT_GE(engine_->stages().turn.max_ns(), engine_->stages().attempts.max_ns());
    stop();
}

TEST_F(EngineThreadTest, broken_laws_are_counted_logged_and_told) {
    std::size_t told = 0;
    daemon::EngineThreadOptions options;
    options.partition.name = "default";
    options.partition.engine.executor = ExecutorKind::inline_;
    options.more_laws = [](std::vector<std::string>& broken) {
        broken.emplace_back("a law");
        broken.emplace_back("another law");
    };
    options.on_broken_law = [&told] { ++told; };
    engine_ = std::make_unique<EngineThread>(options, inbox_, log_);
    std::string error;
    ASSERT_TRUE(engine_->start(error)) << error;
    const auto later = std::chrono::steady_clock::now() + 10s;
    EXPECT_EQ(engine_->ask([&] { return engine_->audit(); }, later), "a law\nanother law");
    EXPECT_EQ(engine_->refresh_snapshot(later).laws_broken, 2u);
    EXPECT_TRUE(until([&] { return laws_told_ == 2; }));
    stop();
    EXPECT_EQ(told, 1u) << "once, whatever their number";
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
