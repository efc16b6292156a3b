// The parts of the ethdev port that need no DPDK: neighbour cache, idle policy, the kernel's
// statistics, and the completion of EAL arguments.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <algorithm>
#include <atomic>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "net/link_options.h"
#include "net/neighbour_cache.h"
#include "net/udp_address.h"
#include "port/eal_arguments.h"
#include "port/idle_sleeper.h"
#include "port/interface_statistics.h"

namespace bayplan::dataplane::test {
namespace {

using ::testing::HasSubstr;

constexpr Ipv4Address kHost = 0x0a630001;
constexpr MacAddress kMac = {2, 0, 0, 0, 0, 1};
constexpr MacAddress kOtherMac = {2, 0, 0, 0, 0, 9};
constexpr std::int64_t kStart = 1'000;

TEST(NeighbourCache, asks_at_once_and_again_while_nobody_answers) {
    NeighbourCache cache;
    EXPECT_TRUE(cache.lookup(ip_bytes(kHost), kStart).ask);
    EXPECT_FALSE(cache.lookup(ip_bytes(kHost), kStart + NeighbourCache::kRetryNs - 1).ask);
    EXPECT_TRUE(cache.lookup(ip_bytes(kHost), kStart + NeighbourCache::kRetryNs).ask);
    EXPECT_FALSE(cache.lookup(ip_bytes(kHost), kStart + NeighbourCache::kRetryNs).known);
}

TEST(NeighbourCache, an_answer_is_used_refreshed_and_forgotten) {
    NeighbourCache cache;
    cache.lookup(ip_bytes(kHost), kStart);
    cache.learn(ip_bytes(kHost), kMac, kStart);
    const auto fresh = cache.lookup(ip_bytes(kHost), kStart + NeighbourCache::kRefreshNs - 1);
    EXPECT_TRUE(fresh.known);
    EXPECT_FALSE(fresh.ask);
    EXPECT_EQ(fresh.mac, kMac);
    const auto ageing = cache.lookup(ip_bytes(kHost), kStart + NeighbourCache::kRefreshNs);
    EXPECT_TRUE(ageing.known);
    EXPECT_TRUE(ageing.ask);
    EXPECT_FALSE(cache.lookup(ip_bytes(kHost), kStart + NeighbourCache::kForgetNs).known);
}

TEST(NeighbourCache, a_neighbour_that_moved_is_followed) {
    NeighbourCache cache;
    cache.lookup(ip_bytes(kHost), kStart);
    cache.learn(ip_bytes(kHost), kMac, kStart);
    cache.learn(ip_bytes(kHost), kOtherMac, kStart + 1);
    EXPECT_EQ(cache.lookup(ip_bytes(kHost), kStart + 2).mac, kOtherMac);
}

TEST(NeighbourCache, strangers_neither_plant_entries_nor_push_out_others) {
    NeighbourCache cache;
    cache.lookup(ip_bytes(kHost), kStart);
    cache.learn(ip_bytes(kHost), kMac, kStart);
    for (Ipv4Address i = 0; i < 1000; ++i) cache.learn(ip_bytes(0x0a640000 + i), kOtherMac, kStart);
    cache.learn(IpBytes{}, kOtherMac, kStart);
    EXPECT_FALSE(cache.lookup(ip_bytes(0x0a640000), kStart).known);
    EXPECT_EQ(cache.lookup(ip_bytes(kHost), kStart).mac, kMac);
    EXPECT_FALSE(cache.lookup(IpBytes{}, kStart).ask);
}

IpBytes bytes_of(std::string_view text) {
    UdpAddress address;
    EXPECT_TRUE(parse_ip(text, 0, address)) << text;
    return ip_bytes(address);
}

std::optional<IpBytes> hop(const DpdkPortOptions& options, std::string_view remote) {
    Link link;
    std::string error;
    EXPECT_TRUE(read_link(options, link, error)) << error;
    UdpAddress address;
    EXPECT_TRUE(parse_ip(remote, 4433, address)) << remote;
    return next_hop(link, address);
}

DpdkPortOptions both_versions() {
    DpdkPortOptions options;
    options.address = "10.99.0.2";
    options.address6 = "fd99::2";
    return options;
}

TEST(Link, without_a_prefix_every_peer_is_on_the_link) {
    const DpdkPortOptions options = both_versions();
    for (const char* peer : {"10.99.0.1", "192.0.2.1", "fd99::1", "2001:db8::1"}) {
        EXPECT_EQ(hop(options, peer), bytes_of(peer));
    }
    for (const char* nobody :
         {"10.99.0.2", "fd99::2", "255.255.255.255", "127.0.0.1", "0.0.0.0", "ff02::1", "::1", "::"}) {
        EXPECT_EQ(hop(options, nobody), std::nullopt) << nobody;
    }
}

TEST(Link, peers_outside_the_prefix_are_reached_through_the_gateway) {
    DpdkPortOptions options = both_versions();
    options.prefix_length = 23;
    options.gateway = "10.99.1.254";
    options.prefix_length6 = 65;
    options.gateway6 = "fd99::fe";
    for (const char* near : {"10.99.0.1", "10.99.1.254", "fd99::1", "fd99::7fff:0:0:1"}) {
        EXPECT_EQ(hop(options, near), bytes_of(near));
    }
    for (const char* far : {"10.99.2.1", "10.98.255.255", "192.0.2.1"}) {
        EXPECT_EQ(hop(options, far), bytes_of("10.99.1.254")) << far;
    }
    for (const char* far : {"fd99::8000:0:0:1", "fd98::1", "2001:db8::1"}) {
        EXPECT_EQ(hop(options, far), bytes_of("fd99::fe")) << far;
    }
    options.gateway = options.gateway6 = "";
    EXPECT_EQ(hop(options, "10.99.2.1"), std::nullopt);
    EXPECT_EQ(hop(options, "fd98::1"), std::nullopt);
}

TEST(Link, a_port_of_one_version_does_not_reach_the_other) {
    DpdkPortOptions only6;
    only6.address6 = "fd99::2";
    EXPECT_EQ(hop(only6, "10.99.0.1"), std::nullopt);
    DpdkPortOptions only4;
    only4.address = "10.99.0.2";
    EXPECT_EQ(hop(only4, "fd99::1"), std::nullopt);
}

TEST(Link, faults_are_told) {
    const auto fault = [](const std::function<void(DpdkPortOptions&)>& change) {
        DpdkPortOptions options = both_versions();
        options.prefix_length = 24;
        change(options);
        Link link;
        std::string error;
        EXPECT_FALSE(read_link(options, link, error));
        return error;
    };
    using O = DpdkPortOptions;
    EXPECT_THAT(fault([](O& o) { o.address = o.address6 = ""; }), HasSubstr("needs an address"));
    EXPECT_THAT(fault([](O& o) { o.address = "fd99::2"; }), HasSubstr("IPv4 address"));
    EXPECT_THAT(fault([](O& o) { o.address = "255.255.255.255"; }), HasSubstr("IPv4 address"));
    EXPECT_THAT(fault([](O& o) { o.address6 = "10.99.0.2"; }), HasSubstr("IPv6 address"));
    EXPECT_THAT(fault([](O& o) { o.address6 = "ff02::1"; }), HasSubstr("IPv6 address"));
    EXPECT_THAT(fault([](O& o) { o.gateway = "10.99.1.1"; }), HasSubstr("not on its link"));
    EXPECT_THAT(fault([](O& o) { o.gateway = "10.99.0.2"; }), HasSubstr("not on its link"));
    EXPECT_THAT(fault([](O& o) { o.gateway6 = "fd99::1"; }), HasSubstr("no prefix length"));
    EXPECT_THAT(fault([](O& o) {
                    o.address = "";
                    o.gateway = "10.99.0.1";
                }),
                HasSubstr("no address"));
    EXPECT_THAT(fault([](O& o) { o.vlan = 4095; }), HasSubstr("out of range"));
    EXPECT_THAT(fault([](O& o) { o.prefix_length = 33; }), HasSubstr("out of range"));
}

TEST(NeighbourCache, the_entry_not_used_for_longest_makes_room) {
    NeighbourCache cache;
    for (Ipv4Address i = 0; i < NeighbourCache::kEntries; ++i) {
        cache.lookup(ip_bytes(kHost + i), kStart + i);
        cache.learn(ip_bytes(kHost + i), kMac, kStart + i);
    }
    cache.lookup(ip_bytes(kHost), kStart + 1000);
    cache.lookup(ip_bytes(kHost + 5000), kStart + 1001);
    EXPECT_TRUE(cache.lookup(ip_bytes(kHost), kStart + 1002).known);
    EXPECT_TRUE(cache.lookup(ip_bytes(kHost + 2), kStart + 1003).known);
    EXPECT_FALSE(cache.lookup(ip_bytes(kHost + 1), kStart + 1004).known);
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
        "bayplan", "--no-huge", "-m", "256", "-l", "3", "--file-prefix=bayplan_77", "--no-shconf", "--no-telemetry"};
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
    EXPECT_EQ(vdevs_of({"-l", "0", "--vdev=net_af_packet0,iface=va0", "--vdev", "net_ring0"}), expected);
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
