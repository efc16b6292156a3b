// Paths that swallow large packets without a word: data comes through in smaller ones, and the log says so.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "quic/packet_size.h"
#include "quic_world.h"

namespace bayplan::dataplane::testing {
namespace {

constexpr std::uint64_t kSecond = 1'000'000'000;
constexpr std::uint64_t kStart = 5 * kSecond;

// An open connection that has sent a large packet at kStart.
PacketSize open_size() {
    PacketSize size(1'452);
    size.opened();
    size.sent(1'452, kStart);
    return size;
}

TEST(PacketSize, is_small_until_the_connection_is_open_and_never_above_its_maximum) {
    PacketSize size(1'452);
    EXPECT_EQ(size.most(kStart), PacketSize::kLeast);
    size.opened();
    EXPECT_EQ(size.most(kStart), 1'452u);
    EXPECT_EQ(PacketSize(1'200).most(kStart), 1'200u);
}

TEST(PacketSize, one_interruption_is_none_of_the_paths_size) {
    PacketSize size = open_size();
    EXPECT_FALSE(size.waiting(kStart, kStart + PacketSize::kPatience - 1));
    EXPECT_EQ(size.most(kStart), 1'452u);
    EXPECT_FALSE(size.waiting(kStart, kStart + PacketSize::kPatience)) << "only suspected";
    EXPECT_EQ(size.most(kStart), PacketSize::kLeast);
    size.acknowledged(kStart + PacketSize::kPatience);
    EXPECT_EQ(size.most(kStart), 1'452u);
}

TEST(PacketSize, the_same_again_is_told_once_and_tried_again_later) {
    PacketSize size = open_size();
    std::uint64_t now = kStart + PacketSize::kPatience;
    EXPECT_FALSE(size.waiting(kStart, now));
    size.acknowledged(now);
    const auto stalls = [&] {
        const std::uint64_t since = now;
        size.sent(1'452, since);
        now += PacketSize::kPatience;
        return size.waiting(since, now);
    };
    EXPECT_TRUE(stalls());
    size.acknowledged(now);
    EXPECT_EQ(size.most(now), PacketSize::kLeast) << "small packets that arrive say nothing of large ones";
    now += PacketSize::kAgain - 1;
    EXPECT_EQ(size.most(now), PacketSize::kLeast);
    now += 1;
    EXPECT_EQ(size.most(now), 1'452u);
    EXPECT_FALSE(stalls()) << "told before";
    EXPECT_EQ(size.most(now), PacketSize::kLeast) << "at once";
}

TEST(PacketSize, interruptions_far_apart_are_two_of_them) {
    PacketSize size = open_size();
    EXPECT_FALSE(size.waiting(kStart, kStart + kSecond));
    size.acknowledged(kStart + kSecond);
    const std::uint64_t later = kStart + kSecond + PacketSize::kAgain;
    size.sent(1'452, later);
    EXPECT_FALSE(size.waiting(later, later + kSecond));
    size.acknowledged(later + kSecond);
    EXPECT_EQ(size.most(later + kSecond), 1'452u);
}

// A peer that has too little CPU is silent again and again, but takes large packets in between.
TEST(PacketSize, interruptions_with_large_packets_between_them_say_nothing) {
    PacketSize size = open_size();
    std::uint64_t now = kStart;
    for (int times = 0; times < 5; ++times) {
        size.sent(1'452, now);
        now += kSecond;
        EXPECT_FALSE(size.waiting(now - kSecond, now)) << times;
        size.acknowledged(now);  // of packets that were small
        size.sent(1'452, now);
        now += kSecond / 2;
        size.acknowledged(now);
        EXPECT_EQ(size.most(now), 1'452u);
    }
}

TEST(PacketSize, of_another_path_nothing_is_known) {
    PacketSize size = open_size();
    EXPECT_FALSE(size.waiting(kStart, kStart + kSecond));
    size.moved();
    EXPECT_EQ(size.most(kStart + kSecond), 1'452u);
    size.sent(1'452, kStart + kSecond);
    EXPECT_FALSE(size.waiting(kStart + kSecond, kStart + 2 * kSecond)) << "the first time on this path";
    size.acknowledged(kStart + 2 * kSecond);
    EXPECT_EQ(size.most(kStart + 2 * kSecond), 1'452u);
}

TEST(PacketSize, small_packets_that_are_lost_say_nothing) {
    PacketSize size(1'452);
    size.opened();
    size.sent(1'200, kStart);
    EXPECT_FALSE(size.waiting(kStart, kStart + kSecond));
    EXPECT_EQ(size.most(kStart + kSecond), 1'452u);
}

class Paths : public ::testing::Test {
protected:
    Paths() {
        set_port_log([this](std::string_view line) { lines.emplace_back(line); });
    }
    ~Paths() override { set_port_log({}); }
    World world;
    std::vector<std::string> lines;
};
class SmallPath : public Paths, public ::testing::WithParamInterface<std::size_t> {};

// In both directions, also at the smallest path that QUIC may take.
TEST_P(SmallPath, data_comes_through_and_both_sides_say_why_it_is_slower) {
    world.network.weather.bytes_max = GetParam();
    auto& server = world.add(world.options(true), world.server_user);
    auto& client = world.add(world.options(false), world.client_user);
    world.client_user.send_series(Stream::control, {1, 100, 100});
    world.client_user.send_series(Stream::state, {500, 1'000, 4'000});
    world.server_user.send_series(Stream::decisions, {500, 1'000, 4'000});
    world.connect(client);
    ASSERT_TRUE(world.run_until([&] {
        return world.server_user.received(Stream::state) == 500 && world.client_user.received(Stream::decisions) == 500;
    })) << world.server_user.received(Stream::state)
        << " " << world.client_user.received(Stream::decisions);
    EXPECT_THAT(world.client_user.closed, ::testing::IsEmpty());
    EXPECT_EQ(counter(server, "paths_too_small"), 1u);
    EXPECT_EQ(counter(client, "paths_too_small"), 1u);
    for (const char* peer : {"10.0.0.1:4433", "10.0.0.2:50000"}) {
        const std::string line = std::string("packets of more than 1200 bytes do not reach ") + peer +
                                 ", smaller ones are sent: payload_bytes_max, 1452, is more than the path takes";
        EXPECT_THAT(lines, ::testing::Contains(line));
    }
}

INSTANTIATE_TEST_SUITE_P(quic, SmallPath, ::testing::Values(1'200, 1'300, 1'451));

TEST_F(Paths, a_path_that_takes_them_gets_them) {
    std::size_t largest = 0;
    world.network.tap = [&](const UdpAddress&, const std::vector<std::uint8_t>& bytes) {
        largest = std::max(largest, bytes.size());
    };
    auto& server = world.add(world.options(true), world.server_user);
    auto& client = world.add(world.options(false), world.client_user);
    world.connect(client);
    ASSERT_TRUE(world.run_until([&] { return !world.client_user.open.empty(); }));
    EXPECT_LE(largest, 1'200u) << "a handshake is for every path";
    world.client_user.send_series(Stream::state, {500, 1'000, 4'000});
    ASSERT_TRUE(world.run_until([&] { return world.server_user.received(Stream::state) == 500; }));
    EXPECT_EQ(largest, 1'452u);
    // A second without a link is no small path, but looks like one for a while.
    world.network.weather.loss = 1;
    world.client_user.send_series(Stream::state, {600, 1'000, 4'000});
    world.run_for(kSecond);
    world.network.weather.loss = 0;
    ASSERT_TRUE(world.run_until([&] { return world.server_user.received(Stream::state) == 600; }));
    largest = 0;
    world.client_user.send_series(Stream::state, {900, 1'000, 4'000});
    ASSERT_TRUE(world.run_until([&] { return world.server_user.received(Stream::state) == 900; }));
    EXPECT_EQ(largest, 1'452u);
    EXPECT_EQ(counter(server, "paths_too_small") + counter(client, "paths_too_small"), 0u);
    EXPECT_TRUE(lines.empty());
}

}  // namespace
}  // namespace bayplan::dataplane::testing
