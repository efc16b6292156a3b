// Connections whose address, keys or clock change under them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "net/udp_address.h"
#include "quic_world.h"

namespace bayplan::dataplane::testing {
namespace {

using ::testing::IsEmpty;

constexpr std::uint64_t kSecond = 1'000'000'000;
const UdpAddress kServer = ipv4_address(0x0a000001, 4433);
const UdpAddress kClient = ipv4_address(0x0a000002, 50'000);
const UdpAddress kElsewhere = ipv4_address(0x0a630005, 1234);

class QuicMoving : public ::testing::Test {
protected:
    void open(const DataPlaneOptions& server_options, const DataPlaneOptions& client_options) {
        server = &world.add(server_options, world.server_user);
        client = &world.add(client_options, world.client_user);
        world.connect(*client);
        ASSERT_TRUE(
            world.run_until([&] { return !world.client_user.open.empty() && !world.server_user.open.empty(); }));
        world.run_for(kSecond / 100);
    }
    void open() { open(world.options(true), world.options(false)); }
    void expect_sound() {
        EXPECT_EQ(world.server_user.fault, "");
        EXPECT_EQ(world.client_user.fault, "");
        EXPECT_THAT(world.server_user.closed, IsEmpty());
        EXPECT_THAT(world.client_user.closed, IsEmpty());
    }
    bool received(std::uint64_t state, std::uint64_t decisions) {
        return world.run_until([&] {
            return world.server_user.received(Stream::state) == state &&
                   world.client_user.received(Stream::decisions) == decisions;
        });
    }
    World world;
    DataPlane* server = nullptr;
    DataPlane* client = nullptr;
};

TEST_F(QuicMoving, a_client_seen_at_another_address_goes_on_and_loses_nothing) {
    open();
    std::size_t to_new = 0;
    std::size_t to_old_after = 0;
    bool moved = false;
    world.network.tap_to = [&](const UdpAddress& to, const std::vector<std::uint8_t>&) {
        // Answers are seen on the way to the port behind the new address.
        if (moved && to == kClient) ++to_new;
        if (moved && to == UdpAddress{}) ++to_old_after;
    };
    world.client_user.send_series(Stream::state, {2'000, 100, 2'000});
    world.server_user.send_series(Stream::decisions, {2'000, 100, 2'000});
    ASSERT_TRUE(world.run_until([&] { return world.server_user.received(Stream::state) > 500; }));
    world.network.move(kClient, kElsewhere);
    moved = true;
    ASSERT_TRUE(received(2'000, 2'000));
    expect_sound();
    EXPECT_EQ(counter(*server, "path_changes"), 1u);
    EXPECT_GT(to_new, 0u);
    EXPECT_GT(to_old_after, 0u) << "what was under way, no more";
    EXPECT_EQ(counter(*server, "connections_opened"), 1u);
    EXPECT_EQ(counter(*server, "drop_path_forgotten"), 0u);
}

TEST_F(QuicMoving, many_times) {
    open();
    world.client_user.send_series(Stream::state, {6'000, 100, 2'000});
    UdpAddress last = kClient;
    for (std::uint16_t i = 0; i < 12; ++i) {
        const UdpAddress next = ipv4_address(0x0a630000u + i, static_cast<std::uint16_t>(2000 + i));
        world.network.move(last, next);
        last = next;
        ASSERT_TRUE(world.run_until([&] { return counter(*server, "path_changes") == i + 1u; }));
    }
    ASSERT_TRUE(received(6'000, 0));
    expect_sound();
    EXPECT_EQ(counter(*server, "path_changes"), 12u);
}

TEST_F(QuicMoving, a_thief_of_a_packet_does_not_get_the_connection) {
    open();
    std::vector<std::uint8_t> stolen;
    std::size_t bytes_to_thief = 0;
    world.network.tap = [&](const UdpAddress& from, const std::vector<std::uint8_t>& bytes) {
        if (from == kClient) stolen = bytes;
    };
    world.network.tap_to = [&](const UdpAddress& to, const std::vector<std::uint8_t>& bytes) {
        if (to == kElsewhere) bytes_to_thief += bytes.size();
    };
    world.network.weather.loss = 1;  // the packet reaches the thief alone
    world.client_user.send_series(Stream::state, {1, 500, 500});
    world.run_for(3'000'000);
    ASSERT_FALSE(stolen.empty());
    world.network.weather.loss = 0;
    const std::size_t stolen_bytes = stolen.size();
    world.network.inject(kElsewhere, kServer, stolen);
    world.run_for(1'000'000);
    EXPECT_EQ(counter(*server, "path_changes"), 1u) << "the server believes it for now";
    world.server_user.send_series(Stream::decisions, {500, 1'000, 1'000});
    world.client_user.send_series(Stream::state, {500, 500, 500});
    ASSERT_TRUE(received(500, 500));
    expect_sound();
    EXPECT_EQ(counter(*server, "path_changes"), 2u);
    EXPECT_LE(bytes_to_thief, 3 * stolen_bytes + 1200) << "unvalidated: three times what it sent";
}

TEST_F(QuicMoving, back_to_the_old_address_while_the_new_one_is_being_validated) {
    open();
    world.client_user.send_series(Stream::state, {20'000, 100, 2'000});
    world.server_user.send_series(Stream::decisions, {5'000, 20, 200});
    world.network.weather.delay_ns = 1'000'000;  // so that a validation takes a while
    bool away = false;
    for (int i = 0; i < 60; ++i) {
        // Shorter than a round trip, about one, longer.
        world.run_for(static_cast<std::uint64_t>(i % 7) * 700'000);
        away = !away;
        if (away) {
            world.network.move(kClient, kElsewhere);
        } else {
            world.network.move(kElsewhere, kClient);
        }
    }
    ASSERT_TRUE(received(20'000, 5'000));
    expect_sound();
    EXPECT_GT(counter(*server, "path_changes"), 5u);
}

// Somebody carries a client's packets by way of another address, and stops: what ngtcp2 makes of it is its own
// business (a connection that ends is one outcome), but the client must get through, the same way or anew.
TEST_F(QuicMoving, a_detour_that_is_followed_and_then_ends_costs_a_connection_at_most) {
    auto server_options = world.options(true);
    auto client_options = world.options(false);
    server_options.transport.idle_timeout_ms = client_options.transport.idle_timeout_ms = 2'000;
    open(server_options, client_options);
    world.client_user.send_series(Stream::state, {200, 100, 500});
    world.network.move(kClient, kElsewhere);
    ASSERT_TRUE(received(200, 0));
    EXPECT_EQ(counter(*server, "path_changes"), 1u);
    world.network.weather.loss = 1;  // the detour ends
    world.run_for(kSecond);
    world.network.weather.loss = 0;
    world.network.move(kElsewhere, kClient);
    world.client_user.send_series(Stream::state, {400, 100, 500});
    const auto through = [&] { return world.server_user.received(Stream::state) == 400; };
    world.run_until([&] { return through() || !world.client_user.closed.empty(); });
    if (!through()) {
        SeriesPeer again;
        auto& returned = world.add_at(ipv4_address(0x0a000009, 50'000), client_options, again);
        world.connect(returned);
        ASSERT_TRUE(world.run_until([&] { return !again.open.empty(); }));
        world.crash(returned);  // before its handler goes
    }
    EXPECT_EQ(world.server_user.fault, "");
}

TEST_F(QuicMoving, copies_of_packets_from_many_addresses_move_nothing_for_long) {
    open();
    std::mt19937 random(3);
    world.network.weather.delay_ns = 500'000;
    // The thief is faster than the client's own packets.
    world.network.tap = [&](const UdpAddress& from, const std::vector<std::uint8_t>& bytes) {
        if (from == kClient && random() % 8 == 0)
            world.network.inject(ipv4_address(0x0a630000u + random() % 20, 7), kServer, bytes);
    };
    world.client_user.send_series(Stream::state, {5'000, 100, 2'000});
    world.server_user.send_series(Stream::decisions, {5'000, 100, 2'000});
    ASSERT_TRUE(received(5'000, 5'000));
    expect_sound();
    EXPECT_GT(counter(*server, "path_changes"), 0u);
}

// --- keys

TEST_F(QuicMoving, keys_are_updated_while_frames_flow_whoever_begins) {
    for (const bool by_server : {false, true}) {
        SCOPED_TRACE(by_server);
        World fresh;
        auto server_options = fresh.options(true);
        auto client_options = fresh.options(false);
        (by_server ? server_options : client_options).transport.key_update_packets = 50;
        auto& a = fresh.add(server_options, fresh.server_user);
        auto& b = fresh.add(client_options, fresh.client_user);
        fresh.network.weather.loss = 0.02;
        fresh.connect(b);
        fresh.client_user.send_series(Stream::state, {6'000, 100, 2'000});
        fresh.server_user.send_series(Stream::decisions, {6'000, 100, 2'000});
        ASSERT_TRUE(fresh.run_until([&] {
            return fresh.server_user.received(Stream::state) == 6'000 &&
                   fresh.client_user.received(Stream::decisions) == 6'000;
        }));
        EXPECT_EQ(fresh.server_user.fault, "");
        EXPECT_EQ(fresh.client_user.fault, "");
        EXPECT_GE(counter(a, "key_updates"), 3u);
        EXPECT_GE(counter(b, "key_updates"), 3u);
        EXPECT_THAT(fresh.server_user.closed, IsEmpty());
    }
}

// --- clocks and stalls

TEST_F(QuicMoving, a_clock_that_goes_back_stands_still) {
    open();
    world.run_for(5 * kSecond);
    world.clock_offset_ns = -2'000'000'000;
    world.client_user.send_series(Stream::state, {200, 100, 1'000});
    ASSERT_TRUE(received(200, 0));
    EXPECT_GT(counter(*server, "clock_went_back"), 0u);
    world.run_for(5 * kSecond);
    world.client_user.send_series(Stream::state, {400, 100, 1'000});
    ASSERT_TRUE(received(400, 0));
    expect_sound();
}

TEST_F(QuicMoving, a_clock_that_jumps_ahead_of_the_idle_timeout_ends_what_is_silent_alone) {
    open();
    world.clock_offset_ns = 29'000'000'000;  // below the timeout: a suspended machine, say
    world.client_user.send_series(Stream::state, {200, 100, 1'000});
    ASSERT_TRUE(received(200, 0));
    expect_sound();
    EXPECT_GT(counter(*server, "stalls"), 0u);
    world.clock_offset_ns = 90'000'000'000;
    ASSERT_TRUE(
        world.run_until([&] { return !world.client_user.closed.empty() && !world.server_user.closed.empty(); }));
    world.connect(*client);
    EXPECT_TRUE(world.run_until([&] { return world.client_user.open.size() == 2; }));
}

TEST_F(QuicMoving, what_arrived_during_a_stall_is_read_before_timeouts_are_judged) {
    open();
    world.run_for(3 * kSecond);
    world.pause(*server);
    // Garbage in front of the client's sign of life, more than one burst.
    for (int i = 0; i < 500; ++i) world.network.inject(kElsewhere, kServer, std::vector<std::uint8_t>(30, 0x45));
    world.run_for(28 * kSecond);  // more than 30 s after the last packet that the server read
    world.resume();
    world.run_for(kSecond / 10);
    EXPECT_EQ(counter(*server, "stalls"), 1u);
    EXPECT_THAT(world.server_user.closed, IsEmpty());
    world.client_user.send_series(Stream::state, {100, 100, 1'000});
    ASSERT_TRUE(received(100, 0));
    expect_sound();
}

}  // namespace
}  // namespace bayplan::dataplane::testing
