// How long turns are, when an engine audits itself, and who is found stuck: in times that the tests make up.
#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include "daemon/self_audit.h"
#include "daemon/turn_size.h"
#include "daemon/watchdog.h"

namespace bayplan::daemon {
namespace {

using namespace std::chrono_literals;

// How many attempts a turn makes, and how long it takes, when one costs `each`.
std::pair<std::uint64_t, std::chrono::nanoseconds> turn_of(TurnSize& size, std::chrono::nanoseconds each) {
    TurnSize::Time now{};
    size.begin(now);
    std::uint64_t made = 0;
    do {
        now += each;
        ++made;
    } while (made < TurnSize::kMost && !size.is_over(made, false, [&] { return now; }));
    return {made, now - TurnSize::Time{}};
}

TEST(TurnSize, ends_a_turn_that_takes_too_long_while_it_runs) {
    TurnSize size;
    EXPECT_EQ(turn_of(size, 300ns).first, TurnSize::kMost) << "cheap ones";
    const auto [first, took] = turn_of(size, 1ms);
    EXPECT_EQ(first, 2u) << "they are dear all at once: as many as the budget has";
    EXPECT_EQ(took, 2ms);
    for (int turn = 0; turn < 5; ++turn) turn_of(size, 1ms);
    EXPECT_EQ(turn_of(size, 1ms).first, 2u) << "as many as the budget has";
    EXPECT_EQ(turn_of(size, 5ms).first, 1u);
    for (int turn = 0; turn < 5; ++turn) turn_of(size, 300ns);
    EXPECT_EQ(turn_of(size, 300ns).first, TurnSize::kMost);
}

TEST(TurnSize, reads_the_clock_seldom_while_attempts_are_cheap) {
    TurnSize size;
    TurnSize::Time now{};
    std::uint64_t reads = 0;
    size.begin(now);
    for (std::uint64_t made = 1; made <= TurnSize::kMost; ++made) {
        now += 300ns;
        EXPECT_FALSE(size.is_over(made, false, [&] { return ++reads, now; }));
    }
    EXPECT_LE(reads, TurnSize::kMost / TurnSize::kBetweenLooks + 3);
}

TEST(TurnSize, looks_after_each_once_attempts_are_not_cheap_any_more) {
    TurnSize size;
    TurnSize::Time now{};
    std::uint64_t reads = 0;
    size.begin(now);
    std::uint64_t made = 1;
    for (; made <= 100; ++made) ASSERT_FALSE(size.is_over(made, false, [&] { return ++reads, now += 1us; }));
    reads = 0;
    for (; made <= 116; ++made) size.is_over(made, false, [&] { return ++reads, now += 300us; });
    EXPECT_GE(reads, 8u) << "of sixteen";
}

TEST(TurnSize, looks_after_each_attempt_that_was_dear) {
    TurnSize size;
    TurnSize::Time now{};
    size.begin(now);
    std::uint64_t made = 1;
    for (; made <= 100; ++made) ASSERT_FALSE(size.is_over(made, false, [&] { return now += 1us; }));
    now += 5ms;
    EXPECT_TRUE(size.is_over(made, true, [&] { return now; })) << "it would look eight attempts later";
}

TEST(SelfAudit, is_made_when_it_is_cheap_and_takes_a_thousandth_of_the_time) {
    const SelfAudit::Clock::time_point begin{};
    SelfAudit audit(50ms, begin);
    EXPECT_FALSE(audit.is_due(begin + 9s));
    EXPECT_TRUE(audit.is_due(begin + 10s));
    EXPECT_TRUE(audit.may_begin(10'000, begin + 10s));
    audit.took(10'000, 40ms, begin + 10s);  // 4 us each
    EXPECT_FALSE(audit.is_due(begin + 49s));
    EXPECT_TRUE(audit.is_due(begin + 50s));
    EXPECT_TRUE(audit.may_begin(12'000, begin + 50s));
    EXPECT_FALSE(audit.may_begin(13'000, begin + 50s)) << "it would take 52 ms";
    EXPECT_EQ(audit.put_off(), 1u);
    EXPECT_FALSE(audit.is_due(begin + 59s));
    EXPECT_TRUE(audit.is_due(begin + 60s)) << "there may be less to count then";
    EXPECT_EQ(audit.done(), 1u);
    EXPECT_FALSE(SelfAudit(0ms, begin).is_due(begin + 1h));
}

TEST(Watchdog, tells_once_of_a_thread_that_is_stuck_and_once_that_it_goes_on) {
    Watchdog watchdog(5s);
    instruments::Heartbeat engine;
    instruments::Heartbeat lcore;
    watchdog.watch("engine0", engine);
    watchdog.watch("lcore0", lcore);
    const auto begin = Watchdog::Clock::now();
    const auto look = [&](std::chrono::seconds at) { return watchdog.look(begin + at); };
    engine.does("attempts");
    std::size_t told = 0;
    for (std::chrono::seconds at = 1s; at <= 20s; at += 1s) {
        lcore.beat();
        for (const Watchdog::Change& change : look(at)) {
            ++told;
            EXPECT_EQ(change.thread, "engine0");
            EXPECT_EQ(change.doing, "attempts");
            EXPECT_TRUE(change.stuck);
            EXPECT_GE(at, 5s);
            EXPECT_LE(at, 7s);
        }
    }
    EXPECT_EQ(told, 1u);
    EXPECT_EQ(watchdog.stuck(), (std::vector<std::string>{"engine0"}));
    engine.beat();
    lcore.beat();
    const auto changes = look(21s);
    ASSERT_EQ(changes.size(), 1u);
    EXPECT_FALSE(changes[0].stuck);
    EXPECT_EQ(watchdog.stuck(), std::vector<std::string>{});
}

TEST(Watchdog, takes_nobody_for_stuck_when_it_was_away_itself) {
    Watchdog watchdog(5s);
    instruments::Heartbeat engine;
    watchdog.watch("engine0", engine);
    const auto begin = Watchdog::Clock::now();
    EXPECT_TRUE(watchdog.look(begin + 1s).empty());
    EXPECT_TRUE(watchdog.look(begin + 100s).empty()) << "the whole process was stopped";
    EXPECT_TRUE(watchdog.look(begin + 102s).empty());
    EXPECT_TRUE(watchdog.look(begin + 104s).empty());
    EXPECT_EQ(watchdog.look(begin + 106s).size(), 1u);
    EXPECT_TRUE(Watchdog(0s).look(begin).empty());
}

}  // namespace
}  // namespace bayplan::daemon
