// The parts of the ethdev port that need no DPDK: neighbour cache, idle policy, the kernel's
// statistics, and the completion of EAL arguments.
#include <gtest/gtest.h>
#include <stdlib.h>

#include <algorithm>
#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "arp_cache.h"
#include "eal_arguments.h"
#include "idle_sleeper.h"
#include "interface_statistics.h"

namespace bayplan::dataplane::test {
namespace {

constexpr Ipv4Address kHost = 0x0a630001;
constexpr MacAddress kMac = {2, 0, 0, 0, 0, 1};
constexpr MacAddress kOtherMac = {2, 0, 0, 0, 0, 9};
constexpr std::int64_t kStart = 1'000;

TEST(ArpCache, asks_at_once_and_again_while_nobody_answers) {
    ArpCache cache;
    EXPECT_TRUE(cache.lookup(kHost, kStart).ask);
    EXPECT_FALSE(cache.lookup(kHost, kStart + ArpCache::kRetryNs - 1).ask);
    EXPECT_TRUE(cache.lookup(kHost, kStart + ArpCache::kRetryNs).ask);
    EXPECT_FALSE(cache.lookup(kHost, kStart + ArpCache::kRetryNs).known);
}

TEST(ArpCache, an_answer_is_used_refreshed_and_forgotten) {
    ArpCache cache;
    cache.lookup(kHost, kStart);
    cache.learn(kHost, kMac, kStart);
    const auto fresh = cache.lookup(kHost, kStart + ArpCache::kRefreshNs - 1);
    EXPECT_TRUE(fresh.known);
    EXPECT_FALSE(fresh.ask);
    EXPECT_EQ(fresh.mac, kMac);
    const auto ageing = cache.lookup(kHost, kStart + ArpCache::kRefreshNs);
    EXPECT_TRUE(ageing.known);
    EXPECT_TRUE(ageing.ask);
    EXPECT_FALSE(cache.lookup(kHost, kStart + ArpCache::kForgetNs).known);
}

TEST(ArpCache, a_neighbour_that_moved_is_followed) {
    ArpCache cache;
    cache.lookup(kHost, kStart);
    cache.learn(kHost, kMac, kStart);
    cache.learn(kHost, kOtherMac, kStart + 1);
    EXPECT_EQ(cache.lookup(kHost, kStart + 2).mac, kOtherMac);
}

TEST(ArpCache, strangers_neither_plant_entries_nor_push_out_others) {
    ArpCache cache;
    cache.lookup(kHost, kStart);
    cache.learn(kHost, kMac, kStart);
    for (Ipv4Address i = 0; i < 1000; ++i) cache.learn(0x0a640000 + i, kOtherMac, kStart);
    cache.learn(0, kOtherMac, kStart);
    EXPECT_FALSE(cache.lookup(0x0a640000, kStart).known);
    EXPECT_EQ(cache.lookup(kHost, kStart).mac, kMac);
    EXPECT_FALSE(cache.lookup(0, kStart).ask);
}

TEST(ArpCache, the_entry_not_used_for_longest_makes_room) {
    ArpCache cache;
    for (Ipv4Address i = 0; i < ArpCache::kEntries; ++i) {
        cache.lookup(kHost + i, kStart + i);
        cache.learn(kHost + i, kMac, kStart + i);
    }
    cache.lookup(kHost, kStart + 1000);
    cache.lookup(kHost + 5000, kStart + 1001);
    EXPECT_TRUE(cache.lookup(kHost, kStart + 1002).known);
    EXPECT_TRUE(cache.lookup(kHost + 2, kStart + 1003).known);
    EXPECT_FALSE(cache.lookup(kHost + 1, kStart + 1004).known);
}

// A nap that only a wake-up ends within the time that a test may take.
constexpr std::int64_t kForEver = 3'600'000'000'000;
constexpr IdleLimits kUntilWoken = {.spin_polls = 3, .nap_ns = kForEver};

TEST(IdleSleeper, spins_first_and_again_after_traffic) {
    IdleSleeper sleeper({.spin_polls = 3, .nap_ns = 1000});
    for (int i = 0; i < 3; ++i) sleeper.wait(1000);
    EXPECT_EQ(sleeper.naps(), 0u);
    for (int i = 0; i < 5; ++i) sleeper.wait(1000);
    EXPECT_EQ(sleeper.naps(), 5u);
    sleeper.busy();
    for (int i = 0; i < 3; ++i) sleeper.wait(1000);
    EXPECT_EQ(sleeper.naps(), 5u);
    sleeper.wait(1000);
    EXPECT_EQ(sleeper.naps(), 6u);
}

TEST(IdleSleeper, no_time_left_is_no_nap) {
    IdleSleeper sleeper({.spin_polls = 0});
    sleeper.wait(0);
    sleeper.wait(-1);
    EXPECT_EQ(sleeper.naps(), 0u);
}

TEST(IdleSleeper, a_wake_before_the_nap_is_not_lost_and_counts_once) {
    IdleSleeper sleeper(kUntilWoken);
    sleeper.wake();
    sleeper.wake();
    for (int i = 0; i < 4; ++i) sleeper.wait(kForEver);
    EXPECT_EQ(sleeper.naps(), 0u);
    sleeper.wait(1000);
    EXPECT_EQ(sleeper.naps(), 1u);
}

TEST(IdleSleeper, a_wake_ends_the_nap_at_whatever_moment_it_comes) {
    IdleSleeper sleeper(kUntilWoken);
    std::atomic<int> asked{0};
    std::atomic<int> answered{0};
    constexpr int kRounds = 5000;  // a lost wake-up in any of them hangs
    std::thread other([&] {
        for (int round = 1; round <= kRounds; ++round) {
            while (asked.load() < round) std::this_thread::yield();
            answered = round;
            sleeper.wake();
        }
    });
    for (int round = 1; round <= kRounds; ++round) {
        asked = round;
        while (answered.load() < round) sleeper.wait(kForEver);
    }
    other.join();
    EXPECT_GT(sleeper.naps(), 0u);
}

TEST(InterfaceStatistics, columns_of_the_named_interface_alone) {
    const std::string text =
        "Inter-|   Receive                                                |  Transmit\n"
        " face |bytes    packets errs drop fifo frame compressed multicast|bytes    packets\n"
        "    lo: 11 12 13 14 0 0 0 0 1 2 0 0 0 0 0 0\n"
        "   va0:1000000000000 22 23 24 0 0 0 0 3 4 0 0 0 0 0 0\n"
        "  va01: 31 32 33 34 0 0 0 0 5 6 0 0 0 0 0 0\n";
    InterfaceStatistics out;
    ASSERT_TRUE(parse_interface_statistics(text, "va0", out));
    EXPECT_EQ(out.rx_packets, 22u);
    EXPECT_EQ(out.rx_dropped, 24u);
    EXPECT_FALSE(parse_interface_statistics(text, "va", out));
    EXPECT_FALSE(parse_interface_statistics("va0: nonsense", "va0", out));
    EXPECT_FALSE(parse_interface_statistics("", "va0", out));
    EXPECT_TRUE(read_interface_statistics("lo", out));
}

bool holds(const std::vector<std::string>& all, std::string_view one) {
    return std::ranges::find(all, one) != all.end();
}

TEST(EalArguments, what_is_open_is_completed) {
    std::vector<std::string> out;
    std::string error;
    ASSERT_TRUE(complete_eal_arguments({"--no-huge", "-m", "256"}, 3, 77, out, error));
    const std::vector<std::string> expected = {
        "bayplan",     "--no-huge",     "-m", "256", "-l", "3", "--file-prefix=bayplan_77",
        "--no-shconf", "--no-telemetry"};
    EXPECT_EQ(out, expected);
}

TEST(EalArguments, what_is_given_is_kept) {
    std::vector<std::string> out;
    std::string error;
    for (const char* cores : {"-l", "-l1", "-c", "--lcores=0@1"}) {
        ASSERT_TRUE(complete_eal_arguments({cores, "--file-prefix=mine"}, 3, 77, out, error));
        EXPECT_FALSE(holds(out, "3")) << cores;
        EXPECT_FALSE(holds(out, "--no-shconf")) << "another process may want to attach";
        EXPECT_FALSE(holds(out, "--file-prefix=bayplan_77"));
    }
    ASSERT_TRUE(complete_eal_arguments({"--in-memory", "--telemetry"}, 3, 77, out, error));
    EXPECT_FALSE(holds(out, "--no-shconf"));
    EXPECT_FALSE(holds(out, "--no-telemetry"));
}

TEST(EalArguments, what_excludes_each_other_is_refused_with_advice) {
    std::vector<std::string> out;
    std::string error;
    EXPECT_FALSE(complete_eal_arguments({"--no-huge", "--in-memory"}, 0, 1, out, error));
    EXPECT_NE(error.find("--in-memory"), std::string::npos);
}

TEST(EalArguments, devices_are_found_in_either_spelling) {
    const std::vector<std::string> expected = {"net_af_packet0,iface=va0", "net_ring0"};
    EXPECT_EQ(vdevs_of({"-l", "0", "--vdev=net_af_packet0,iface=va0", "--vdev", "net_ring0"}),
              expected);
    EXPECT_TRUE(vdevs_of({"--vdev"}).empty());
}

TEST(EalArguments, a_directory_that_is_given_is_taken) {
    ASSERT_EQ(setenv("RUNTIME_DIRECTORY", "/given", 1), 0);
    std::string error;
    EXPECT_TRUE(prepare_runtime_directory(error));
    EXPECT_STREQ(getenv("RUNTIME_DIRECTORY"), "/given");
    unsetenv("RUNTIME_DIRECTORY");
}

}  // namespace
}  // namespace bayplan::dataplane::test
