// Log lines when more come than can be written, or than are worth reading: a flood of one kind costs that kind its newest
// lines, and no other; what strangers cause is summed.
#include <gtest/gtest.h>

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <string>
#include <vector>

#include "daemon/log.h"
#include "daemon/log_shares.h"
#include "daemon/stranger_log.h"

namespace bayplan::daemon {
namespace {

TEST(LogShares, a_flood_has_half_and_every_other_kind_finds_room) {
    LogShares shares(64);
    const int flood = shares.admit("flood");
    int admitted = 1;
    for (int line = 0; line < 1'000; ++line) admitted += shares.admit("flood") != 0 ? 1 : 0;
    EXPECT_EQ(admitted, 32);
    for (const char* other : {"a", "b", "c"}) EXPECT_NE(shares.admit(other), 0) << other;
    int second = 0;
    for (int line = 0; line < 1'000; ++line) second += shares.admit("another flood") != 0 ? 1 : 0;
    EXPECT_EQ(second, 15) << "half of what is left";
    EXPECT_NE(shares.admit("d"), 0);
    for (int line = 1; line < admitted; ++line) EXPECT_EQ(shares.written(flood).lines, 0u) << "some still wait";
    const LogShares::Refused refused = shares.written(flood);
    EXPECT_EQ(refused.message, "flood");
    EXPECT_EQ(refused.lines, 969u);
}

TEST(LogShares, a_flood_that_goes_on_is_told_of_now_and_then) {
    LogShares shares(8);
    std::uint64_t told = 0;
    std::uint64_t admitted = 0;
    for (std::uint64_t line = 0; line < 4 * LogShares::kToldEvery; ++line) {
        int kind = 0;
        for (int copy = 0; copy < 3; ++copy) {
            if (const int number = shares.admit("flood"); number != 0) {
                kind = number;
                ++admitted;
            }
        }
        ASSERT_NE(kind, 0);
        told += shares.written(kind).lines;
    }
    EXPECT_GT(told, 0u);
    EXPECT_LE(told, 3 * 4 * LogShares::kToldEvery - admitted) << "no line twice";
}

TEST(LogShares, a_kind_that_found_no_room_at_all_is_told_of_with_the_next_line) {
    LogShares shares(1);
    const int first = shares.admit("first");
    EXPECT_EQ(shares.admit("second"), 0);
    const LogShares::Refused refused = shares.written(first);
    EXPECT_EQ(refused.message, "second");
    EXPECT_EQ(refused.lines, 1u);
    EXPECT_EQ(shares.written(shares.admit("first")).lines, 0u) << "told once";
}

// The writer stands still while lines come.
TEST(Log, keeps_what_matters_beside_a_flood_and_says_what_it_dropped) {
    std::mutex mutex;
    std::condition_variable changed;
    bool stands = true;
    std::vector<std::string> lines;
    {
        Log log(config::LogConfig{}, 64, [&](std::string_view line) {
            std::unique_lock lock(mutex);
            changed.wait(lock, [&] { return !stands; });
            lines.emplace_back(line);
        });
        for (int stranger = 0; stranger < 10'000; ++stranger) log.warning("a stranger", {{"number", stranger}});
        log.error("an engine does not end");
        const std::lock_guard lock(mutex);
        stands = false;
        changed.notify_all();
    }
    std::size_t of_flood = 0;
    std::size_t of_error = 0;
    std::string told;
    for (const std::string& line : lines) {
        of_flood += line.find("msg=\"a stranger\"") != std::string::npos ? 1 : 0;
        of_error += line.find("msg=\"an engine does not end\"") != std::string::npos ? 1 : 0;
        if (line.find("msg=\"log lines were dropped\"") != std::string::npos) told = line;
    }
    EXPECT_EQ(of_flood, 32u);
    EXPECT_NE(lines.front().find("number=0"), std::string::npos) << "the oldest stay";
    EXPECT_EQ(of_error, 1u);
    EXPECT_NE(told.find("level=warning msg=\"log lines were dropped\" of=\"a stranger\" lines=9968"), std::string::npos)
        << told;
}

TEST(StrangerLog, a_flood_is_a_few_lines) {
    std::vector<std::string> lines;
    Log log(config::LogConfig{}, [&](std::string_view line) { lines.emplace_back(line); });
    StrangerLog::Clock::time_point now{};
    std::size_t first = 0;
    {
        StrangerLog strangers(log, "handshake refused");
        const auto stranger = [&](const std::string& address, const std::string& reason) {
            first += strangers.is_first(address, reason, now) ? 1 : 0;
        };
        for (int number = 0; number < 1'000; ++number) {
            stranger("192.0.2.1:" + std::to_string(number), "no certificate");
            stranger("192.0.2.2:7", "certificate " + std::to_string(number));
        }
        EXPECT_EQ(first, StrangerLog::kReasons) << "the first of each";
        EXPECT_TRUE(lines.empty()) << "those are the caller's";
        now += std::chrono::seconds(1);
        strangers.look(now);
        ASSERT_EQ(lines.size(), 2u);
        EXPECT_NE(lines.front().find("level=warning msg=\"handshake refused\" address=192.0.2.1:999"),
                  std::string::npos);
        EXPECT_NE(lines.front().find("reason=\"no certificate\" more=999"), std::string::npos);
        EXPECT_NE(lines.back().find("reason=\"other reasons\" more=993"), std::string::npos) << lines.back();
        strangers.look(now + std::chrono::hours(1));
        EXPECT_EQ(lines.size(), 2u) << "nothing happened";
        stranger("192.0.2.1:1", "no certificate");
        stranger("192.0.2.1:2", "no certificate");
        EXPECT_EQ(first, StrangerLog::kReasons + 1) << "a new second";
    }
    ASSERT_EQ(lines.size(), 3u);
    EXPECT_NE(lines.back().find("more=1"), std::string::npos) << "what is left at the end";
}

}  // namespace
}  // namespace bayplan::daemon
