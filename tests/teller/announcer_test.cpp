// Announcements of the engine reach the sink: whole, in order, with either thread as the teller, and without the engine
// waiting for a sink that is slow.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "engine/engine.h"
#include "teller/announcer.h"
#include "tests/engine/harness.h"

namespace bayplan {
namespace {

using namespace std::chrono_literals;

constexpr ShimId kShim{0};

// Everything as lines; can be told to block, and to refuse.
class ListingSink : public DecisionSink {
public:
    explicit ListingSink(bool may_block = true) : may_block_(may_block) {}

    bool blocks() const override { return may_block_; }
    void hello_reply(ConnectionId connection, const HelloReply& reply) override {
        add("hello " + std::to_string(connection) + " " + std::to_string(reply.state_applied) + " " +
            std::to_string(reply.credit_window) + " " + std::string(reply.reason));
    }
    bool decisions(ConnectionId connection, std::shared_ptr<const DecisionBatch> batch, std::size_t skip,
                   std::uint64_t applied) override {
        if (refuses) {
            return false;
        }
        for (std::size_t i = skip; i < batch->decisions.size(); ++i) {
            const Decision& one = batch->decisions[i];
            add("decision " + std::to_string(connection) + " " + std::to_string(batch->first_sequence + i) + " " +
                std::to_string(static_cast<int>(one.kind)) + " " + std::string(one.name) + " " + std::string(one.node) +
                " " + std::string(one.text) + " " + std::string(one.devices) + " " + std::to_string(applied));
        }
        return true;
    }
    bool state_applied(ConnectionId connection, std::uint64_t up_to) override {
        add("applied " + std::to_string(connection) + " " + std::to_string(up_to));
        return true;
    }
    void cut(ConnectionId connection, std::string_view why) override {
        add("cut " + std::to_string(connection) + " " + std::string(why));
    }
    void log_line(std::string_view line) override {
        std::unique_lock lock(mutex_);
        unblocked_.wait(lock, [&] { return !blocks_; });
        lock.unlock();
        if (std::this_thread::get_id() == engine_) {
            ++by_engine;
        }
        add("line " + std::string(line));
    }

    void block() { blocks_ = true; }
    void unblock() {
        const std::lock_guard lock(mutex_);
        blocks_ = false;
        unblocked_.notify_all();
    }

    std::vector<std::string> said;  // read it when everything has been told
    std::uint64_t by_engine = 0;    // lines of the log, by the thread that made this
    std::atomic<bool> refuses{false};

private:
    void add(std::string line) { said.push_back(std::move(line)); }

    const bool may_block_;
    const std::thread::id engine_ = std::this_thread::get_id();
    std::mutex mutex_;
    std::condition_variable unblocked_;
    bool blocks_ = false;  // under mutex_ once the teller runs
};

void place(Announcer& announcer, int number) {
    const std::string key = "pod-" + std::to_string(number);
    announcer.place({number, kShim, key, "node-7"}, {}, true);
}

TEST(Announcer, ASinkThatBlocksStopsNothingUntilTheRingIsFull) {
    constexpr int kFew = 200;
    constexpr int kMany = 5'000;
    ListingSink sink;
    sink.block();
    Announcer announcer(sink, TellerMode::thread, 64u << 10, {});
    announcer.add_shim("shim");
    announcer.connect(kShim, 1, 0);
    for (int number = 0; number < kFew; ++number) {
        place(announcer, number);
    }
    announcer.flush();
    EXPECT_EQ(announcer.counters().waits, 0u) << "the sink blocks, and nobody minds";
    std::atomic<bool> all_placed = false;
    std::thread later([&] {  // when nothing goes into the ring any more
        while (announcer.waits() == 0 && !all_placed) {
            std::this_thread::yield();
        }
        sink.unblock();
    });
    for (int number = kFew; number < kMany; ++number) {
        place(announcer, number);
    }
    all_placed = true;
    EXPECT_GE(announcer.counters().waits, 1u) << "the ring took it all";
    later.join();
    announcer.flush();
    announcer.settle();
    ASSERT_EQ(sink.said.size(), 2u * kMany);
    std::vector<std::string> decisions;
    int lines = 0;
    for (const std::string& said : sink.said) {
        if (said.starts_with("line")) {
            const std::string number = std::to_string(lines);
            EXPECT_EQ(said,
                      "line " + std::to_string(lines + 1) + " " + number + " place shim/pod-" + number + " node-7 - -");
            ++lines;
        } else {
            decisions.push_back(said);
        }
    }
    EXPECT_EQ(lines, kMany);
    ASSERT_EQ(decisions.size(), static_cast<std::size_t>(kMany));
    EXPECT_EQ(decisions.back(), "decision 1 5000 6 pod-4999 node-7   0");
    EXPECT_EQ(announcer.counters().records, 2u + kMany + 2u);
    EXPECT_GT(announcer.counters().bytes, kMany * 64u);
}

TEST(Announcer, TheTellerIsWokenForPartsOfARingThatDoubleOrWhenTheEngineHasNoMoreToDo) {
    constexpr std::size_t kRing = 256u << 10;
    ListingSink sink;
    Announcer announcer(sink, TellerMode::thread, kRing, {});
    announcer.add_shim("shim");
    announcer.connect(kShim, 1, 0);
    int number = 0;
    std::uint64_t wakes = 0;
    std::uint64_t woken_at = 0;
    // Nobody is woken before so many bytes have come since the last time, and then at once.
    const auto woken_after = [&](std::size_t bytes) {
        while (announcer.counters().bytes - woken_at <= bytes) {
            ASSERT_EQ(announcer.counters().wakes, wakes) << "the engine goes on";
            place(announcer, number++);
            announcer.flush(true);
        }
        ASSERT_EQ(announcer.counters().wakes, ++wakes);
        woken_at = announcer.counters().bytes;
    };
    for (const std::size_t part : {16, 8, 4, 2, 2}) {
        SCOPED_TRACE(part);
        ASSERT_NO_FATAL_FAILURE(woken_after(kRing / part));
        announcer.settle();
        if (announcer.counters().wakes != wakes) {  // it had not told all yet
            woken_at = announcer.counters().bytes;
            wakes = announcer.counters().wakes;
        }
    }
    place(announcer, number++);
    announcer.flush(true);
    EXPECT_EQ(announcer.counters().wakes, wakes) << "a little may wait";
    announcer.flush();
    EXPECT_EQ(announcer.counters().wakes, ++wakes) << "nothing follows, though nothing is new either";
    announcer.flush();
    EXPECT_EQ(announcer.counters().wakes, wakes) << "nothing is new";
    woken_at = announcer.counters().bytes;
    ASSERT_NO_FATAL_FAILURE(woken_after(kRing / 16));
    announcer.settle();
    EXPECT_EQ(sink.said.size(), 2u * static_cast<unsigned>(number));
}

// Short turns until the engine's thread has told one, or a second is over.
void make_short_turns(Announcer& announcer, const ListingSink& sink, int& number) {
    const auto late = std::chrono::steady_clock::now() + 1s;
    std::uint64_t told = 0;
    do {
        std::this_thread::sleep_for(100us);  // its own thread goes back to sleep
        told = sink.by_engine;
        place(announcer, number++);
        announcer.flush();
        announcer.settle();
    } while (sink.by_engine == told && std::chrono::steady_clock::now() < late);
}

TEST(Announcer, LittleIsToldByTheEnginesThreadWhileTheTellerSleeps) {
    constexpr int kTurns = 100;
    constexpr std::size_t kRing = 64u << 10;
    ListingSink sink(false);
    Announcer announcer(sink, TellerMode::thread, kRing, {});
    announcer.add_shim("shim");
    announcer.connect(kShim, 1, 0);
    int number = 0;
    make_short_turns(announcer, sink, number);
    EXPECT_EQ(sink.by_engine, 1u);
    for (int turn = 0; turn < kTurns; ++turn) {
        const std::uint64_t wakes = announcer.counters().wakes;
        const std::uint64_t by_engine = sink.by_engine;
        place(announcer, number++);
        announcer.flush();
        EXPECT_NE(announcer.counters().wakes == wakes, sink.by_engine == by_engine) << "one or the other";
    }
    announcer.settle();
    EXPECT_EQ(sink.said.size(), 2u * static_cast<unsigned>(number));
}

TEST(Announcer, MuchOrLongTextsAreNotForTheEnginesThread) {
    constexpr std::size_t kRing = 64u << 10;
    constexpr std::size_t kLittle = kRing / 16;
    ListingSink sink(false);
    Announcer announcer(sink, TellerMode::thread, kRing, {});
    announcer.add_shim("shim");
    announcer.connect(kShim, 1, 0);
    int number = 0;
    for (int turn = 0; turn < 20; ++turn) {
        make_short_turns(announcer, sink, number);
        const std::uint64_t by_engine = sink.by_engine;
        for (const std::uint64_t bytes = announcer.counters().bytes;
             announcer.counters().bytes - bytes < 2 * kLittle;) {
            place(announcer, number++);
        }
        announcer.flush();
        announcer.settle();
        EXPECT_LE(sink.by_engine - by_engine, kLittle / sizeof(RecordHead)) << "what the teller's thread has left";
    }
    make_short_turns(announcer, sink, number);
    const std::uint64_t by_engine = sink.by_engine;
    announcer.reject({number, kShim, "pod", "node-7"}, std::string(kRing / 3, 'x'));
    announcer.flush();
    announcer.settle();
    EXPECT_EQ(sink.by_engine, by_engine);
    EXPECT_EQ(sink.said.size(), 2u * static_cast<unsigned>(number) + 1);
}

TEST(Announcer, ASinkThatMayBlockIsNeverCalledByTheEnginesThread) {
    ListingSink sink;
    Announcer announcer(sink, TellerMode::thread, 64u << 10, {});
    announcer.add_shim("shim");
    announcer.connect(kShim, 1, 0);
    for (int number = 0; number < 200; ++number) {
        if (number % 10 == 0) {
            std::this_thread::sleep_for(100us);
        }
        place(announcer, number);
        announcer.flush();
        announcer.settle();
    }
    EXPECT_EQ(sink.said.size(), 400u);
    EXPECT_EQ(sink.by_engine, 0u);
}

// Offers to a sink that refuses are made again, without a call of the engine's.
void expect_offers_again(bool may_block) {
    ListingSink sink(may_block);
    sink.refuses = true;
    Announcer announcer(sink, TellerMode::thread, 64u << 10, {});
    announcer.add_shim("shim");
    announcer.connect(kShim, 1, 0);
    std::this_thread::sleep_for(1ms);
    const std::uint64_t wakes = announcer.counters().wakes;
    place(announcer, 1);
    announcer.flush();
    EXPECT_GT(announcer.counters().wakes, wakes) << "it sleeps as if nothing waited";
    announcer.settle();
    EXPECT_TRUE(announcer.waits_for_room());
    sink.refuses = false;
    const auto late = std::chrono::steady_clock::now() + 20s;
    while (announcer.waits_for_room() && std::chrono::steady_clock::now() < late) {
        std::this_thread::sleep_for(1ms);
    }
    EXPECT_FALSE(announcer.waits_for_room());
}

TEST(Announcer, WhatHadNoRoomIsOfferedAgainByTheTellerItself) {
    expect_offers_again(true);
    expect_offers_again(false);
}

// Any calls that an engine might make, the same ones for one seed.
void announce(Announcer& announcer, std::uint32_t seed) {
    std::mt19937 random(seed);
    std::uint64_t decided[2] = {};
    std::uint64_t acknowledged[2] = {};
    const auto text = [&] {
        return std::string(random() % 90 == 0 ? random() % 3'000 : random() % 40,
                           static_cast<char>('a' + random() % 26));
    };
    announcer.add_shim("shim-a");
    announcer.add_shim("shim-b");
    for (int step = 0; step < 1'000; ++step) {
        const std::uint32_t number = random() % 2;
        const ShimId shim{number};
        const std::string first = text();
        const std::string second = text();
        const std::string third = text();
        const LogLine line{step, shim, first, second};
        switch (random() % 16) {
            case 0: announcer.connect(shim, 100 + static_cast<ConnectionId>(step), random() % 9); break;
            case 1: announcer.cut(shim, first); break;
            case 2: announcer.disconnect(shim); break;
            case 3:
                acknowledged[number] += (decided[number] - acknowledged[number]) / 2;
                announcer.acknowledge(shim, acknowledged[number]);
                break;
            case 4: announcer.send_again_after(shim, (acknowledged[number] + decided[number]) / 2); break;
            case 5:
                if (random() % 8 == 0) {
                    announcer.forget_decisions(shim);
                    decided[number] = acknowledged[number] = 0;
                }
                break;
            case 6: announcer.applied(shim, static_cast<std::uint64_t>(step)); break;
            case 7: announcer.fail(line, third); break;
            case 8: announcer.nominate(line, second, third); break;
            case 9: announcer.clear(line, third); break;
            case 10: announcer.release(line, third); break;
            case 11: announcer.hello_reply(7, {.outcome = HelloOutcome::resync, .reason = first}); break;
            case 12:
                announcer.decide(shim, {.kind = DecisionKind::released,
                                        .termination = Termination::timeout,
                                        .scale_up = true,
                                        .name = first,
                                        .node = second,
                                        .text = third,
                                        .devices = {}});
                ++decided[number];
                break;
            case 13: announcer.flush(); break;
            default: {
                const bool told = random() % 8 != 0;
                announcer.place(line, third, told);
                decided[number] += told ? 1 : 0;
                break;
            }
        }
        announcer.turn_ends();
    }
    announcer.flush();
}

TEST(Announcer, WhoTellsMakesNoDifference) {
    for (std::uint32_t seed = 1; seed <= 8 && !HasFailure(); ++seed) {
        ListingSink plain;
        Announcer engine(plain, TellerMode::inline_, 1u << 20, {});
        announce(engine, seed);
        const std::string digest = engine.digest();
        for (const TellerMode mode : {TellerMode::inline_, TellerMode::thread}) {
            for (const std::size_t bytes : {1u << 10, 1u << 13, 1u << 20}) {
                ListingSink sink(seed % 2 == 0);
                Announcer other(sink, mode, bytes, {});
                announce(other, seed);
                EXPECT_EQ(other.digest(), digest);
                EXPECT_EQ(sink.said, plain.said) << "seed " << seed << ", ring of " << bytes;
            }
        }
    }
}

TEST(Announcer, AnEngineWithATellersThreadDecidesAndResumesTheSame) {
    const auto run = [](TellerMode mode) {
        ListingSink sink;
        EngineOptions options;
        options.executor = ExecutorKind::inline_;
        options.teller = mode;
        options.teller_ring_bytes = 1u << 12;
        std::atomic<int> started{0};
        Engine engine(options, sink, {}, {}, [&] { ++started; });
        bayplan::testing::TestShim shim(engine, "shim");
        shim.node("node-1", {{"cpu", 1'000}});
        shim.application("app");
        for (int pod = 0; pod < 1'200; ++pod) {
            shim.ask("pod-" + std::to_string(pod), "app", {{"cpu", 1}});
        }
        while (engine.run(100) > 0) {
            engine.flush(engine.has_work());
        }
        shim.acknowledge(500);
        engine.apply(Disconnect{1});
        engine.apply(Connect{
            .connection = 2, .shim = "shim", .shim_instance = 7, .daemon_instance = 1, .decisions_received = 700});
        engine.flush();
        sink.said.push_back(engine.digest());
        EXPECT_EQ(started.load(), mode == TellerMode::thread ? 1 : 0);
        return sink.said;
    };
    const std::vector<std::string> plain = run(TellerMode::inline_);
    EXPECT_EQ(run(TellerMode::thread), plain);
    const auto again =
        std::find_if(plain.begin(), plain.end(), [](const auto& said) { return said.starts_with("decision 2 "); });
    ASSERT_NE(again, plain.end());
    EXPECT_TRUE(again->starts_with("decision 2 701 ")) << *again;
}

// Its batches are to be let go when the shim acknowledges them.
class WeakSink final : public ListingSink {
public:
    bool decisions(ConnectionId, std::shared_ptr<const DecisionBatch> batch, std::size_t, std::uint64_t) override {
        batches.push_back(batch);
        return true;
    }
    std::vector<std::weak_ptr<const DecisionBatch>> batches;
};

TEST(Announcer, AcknowledgementsReachTheOutbox) {
    WeakSink sink;
    EngineOptions options;
    options.executor = ExecutorKind::inline_;
    Engine engine(options, sink);
    bayplan::testing::TestShim shim(engine, "shim");
    shim.node("node-1", {{"cpu", 1'000}});
    engine.flush();
    ASSERT_EQ(sink.batches.size(), 1u);
    EXPECT_FALSE(sink.batches[0].expired());
    shim.acknowledge(1);
    EXPECT_TRUE(sink.batches[0].expired());
}

}  // namespace
}  // namespace bayplan
