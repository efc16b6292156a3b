// A real engine behind its rings, and the other end of them as the gateway would have it.
//
// Thread: the test's; the engine has its own.
#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "config/recorded_partition.h"
#include "daemon/engine_thread.h"
#include "daemon/outbox.h"
#include "recorder/recording_reader.h"
#include "state_frames.h"

namespace bayplan::testing {

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
        ASSERT_TRUE(until([&] { return inbox_.has_room(bytes, daemon::InboxShare()); }));
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
        push(ConnectItem{connection, shim, 1, 0, 0, {}, false, false, peer.outbox});
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
    std::atomic<std::size_t> laws_told_{0};
    daemon::Log log_{config::LogConfig{}, [this](std::string_view line) {
                         if (line.find("the record ends here") != std::string_view::npos) record_end_told_ = true;
                         if (line.find("queues not read again") != std::string_view::npos) queues_refused_ = true;
                         if (line.find("a law is broken") != std::string_view::npos) ++laws_told_;
                     }};
    Inbox inbox_{256, 8u << 20};
    std::unique_ptr<EngineThread> engine_;
};

}  // namespace bayplan::testing
