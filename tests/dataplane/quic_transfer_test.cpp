// Frames between two data planes over a lossy network in virtual time: each arrives once, in order,
// whole; back-pressure reaches the sender and holds memory bounded; nothing is lost when it ends.
#include <gtest/gtest.h>

#include "quic_world.h"

namespace bayplan::dataplane::testing {
namespace {

struct Case {
    const char* name;
    Weather weather;
};

void PrintTo(const Case& value, std::ostream* out) { *out << value.name; }

class WeatherTest : public ::testing::TestWithParam<Case> {};

TEST_P(WeatherTest, all_frames_arrive_once_and_in_order_in_both_directions) {
    for (const std::uint64_t seed : {1, 2, 3}) {
        World world(seed);
        world.network.weather = GetParam().weather;
        world.add(world.options(true), world.server_user);
        auto& client = world.add(world.options(false), world.client_user);
        world.client_user.send_series(Stream::control, {200, 1, 500});
        world.client_user.send_series(Stream::state, {2'000, 1, 4'000});
        world.server_user.send_series(Stream::control, {200, 1, 500});
        world.server_user.send_series(Stream::decisions, {2'000, 1, 4'000});
        world.connect(client);
        const bool done = world.run_until([&] {
            return world.server_user.received(Stream::control) == 200 &&
                   world.server_user.received(Stream::state) == 2'000 &&
                   world.client_user.received(Stream::control) == 200 &&
                   world.client_user.received(Stream::decisions) == 2'000;
        });
        EXPECT_TRUE(done) << "seed " << seed << ": server got " << world.server_user.received(Stream::state)
                          << ", client got " << world.client_user.received(Stream::decisions);
        world.run_for(100'000'000);  // nothing comes twice afterwards
        EXPECT_EQ(world.server_user.received(Stream::state), 2'000u);
        EXPECT_EQ(world.server_user.fault, "");
        EXPECT_EQ(world.client_user.fault, "");
        EXPECT_TRUE(world.client_user.closed.empty() && world.server_user.closed.empty());
        if (GetParam().weather.loss > 0) {
            EXPECT_GT(world.network.lost, 0u);
        }
    }
}

INSTANTIATE_TEST_SUITE_P(
    quic, WeatherTest,
    ::testing::Values(Case{"clear", {}}, Case{"loss", {.loss = 0.03}}, Case{"reorder", {.jitter_ns = 300'000}},
                      Case{"duplicate", {.duplicate = 0.2}}, Case{"corrupt", {.corrupt = 0.03}},
                      Case{"storm", {.loss = 0.03, .duplicate = 0.05, .corrupt = 0.02, .jitter_ns = 200'000}}),
    [](const auto& info) { return std::string(info.param.name); });

TEST(QuicTransfer, the_server_learns_the_name_in_the_clients_certificate) {
    World world;
    world.add(world.options(true), world.server_user);
    auto& client = world.add(world.options(false), world.client_user);
    world.connect(client);
    ASSERT_TRUE(world.run_until([&] { return !world.server_user.open.empty() && !world.client_user.open.empty(); }));
    EXPECT_EQ(world.server_user.peers[0].common_name, "shim-a");
    EXPECT_EQ(world.server_user.peers[0].address, "10.0.0.2:50000");
    EXPECT_EQ(world.client_user.peers[0].common_name, "bayplan-server");
    EXPECT_EQ(counter(client, "handshakes_ok"), 1u);
}

TEST(QuicTransfer, frames_of_every_size_up_to_the_limit_pass) {
    World world;
    auto server_options = world.options(true);
    auto client_options = world.options(false);
    server_options.transport.frame_bytes_max = client_options.transport.frame_bytes_max = 300'000;
    world.add(server_options, world.server_user);
    auto& client = world.add(client_options, world.client_user);
    world.server_user.check_content = false;
    world.connect(client);
    ASSERT_TRUE(world.run_until([&] { return !world.client_user.open.empty(); }));
    const std::vector<std::size_t> sizes = {0, 1, 7, 8, 9, 1'399, 1'400, 65'535, 65'536, 65'537, 300'000};
    for (const std::size_t size : sizes) {
        EXPECT_TRUE(client.send(world.client_user.open[0], Stream::state, std::vector<std::byte>(size)));
    }
    ASSERT_TRUE(world.run_until([&] { return world.server_user.kept.size() == sizes.size(); }));
    for (std::size_t i = 0; i < sizes.size(); ++i) EXPECT_EQ(world.server_user.kept[i].size(), sizes[i]);
}

// A send buffer that turns over many times: what is sent again must still be there.
TEST(QuicTransfer, what_is_lost_is_sent_again_from_a_small_buffer) {
    World world(9);
    world.network.weather = {.loss = 0.05, .jitter_ns = 100'000};
    auto client_options = world.options(false);
    client_options.transport.frame_bytes_max = 8 << 10;
    client_options.transport.send_buffer_bytes = 144 << 10;
    world.add(world.options(true), world.server_user);
    auto& client = world.add(client_options, world.client_user);
    world.client_user.send_series(Stream::state, {20'000, 1'000, 3'000});
    world.connect(client);
    EXPECT_TRUE(world.run_until([&] { return world.server_user.received(Stream::state) == 20'000; }));
    EXPECT_EQ(world.server_user.fault, "");
    EXPECT_GT(world.client_user.sends_refused, 0u);
}

TEST(QuicTransfer, a_handler_that_refuses_pushes_back_to_the_sender_and_loses_nothing) {
    World world;
    auto server_options = world.options(true);
    auto client_options = world.options(false);
    server_options.transport.receive_window_bytes = 64 << 10;
    server_options.transport.frame_bytes_max = client_options.transport.frame_bytes_max = 16 << 10;
    client_options.transport.send_buffer_bytes = 128 << 10;
    auto& server = world.add(server_options, world.server_user);
    auto& client = world.add(client_options, world.client_user);
    world.server_user.refuse_frames = true;
    world.client_user.send_series(Stream::state, {2'000, 500, 2'000});
    world.connect(client);
    ASSERT_TRUE(world.run_until([&] { return world.client_user.sends_refused > 100; }));
    world.run_for(2'000'000'000);

    // Bytes on their way are bounded by the two buffers and the window; then the sender stands
    // still.
    const std::uint64_t stuck_at = world.client_user.sent(Stream::state);
    EXPECT_LT(stuck_at, 2'000u);
    EXPECT_LE(counter(client, "frame_bytes_out"), (64u << 10) + (128u << 10));
    EXPECT_EQ(counter(server, "frames_in"), 0u);
    EXPECT_EQ(counter(server, "frames_pushed_back"), 1u);
    world.run_for(1'000'000'000);
    EXPECT_EQ(world.client_user.sent(Stream::state), stuck_at);
    EXPECT_GT(world.server_user.refusals, 100u);

    world.server_user.refuse_frames = false;
    EXPECT_TRUE(world.run_until([&] { return world.server_user.received(Stream::state) == 2'000; }));
    EXPECT_EQ(world.server_user.fault, "");
}

TEST(QuicTransfer, one_stuck_stream_does_not_hold_up_the_others) {
    World world;
    auto server_options = world.options(true);
    server_options.transport.receive_window_bytes = 64 << 10;
    world.add(server_options, world.server_user);
    auto& client = world.add(world.options(false), world.client_user);
    world.client_user.refuse_frames = true;  // the client reads nothing: decisions stand still
    world.client_user.send_series(Stream::state, {3'000, 500, 2'000});
    world.client_user.send_series(Stream::control, {1, 8, 8});
    world.server_user.send_series(Stream::decisions, {20'000, 500, 2'000});
    world.connect(client);
    EXPECT_TRUE(world.run_until([&] { return world.server_user.received(Stream::state) == 3'000; }));
    EXPECT_EQ(world.client_user.received(Stream::decisions), 0u);
    world.client_user.refuse_frames = false;
    EXPECT_TRUE(world.run_until([&] { return world.client_user.received(Stream::decisions) == 20'000; }));
    EXPECT_EQ(world.client_user.fault, "");
}

TEST(QuicTransfer, a_slow_connection_does_not_slow_another_one) {
    World world;
    auto server_options = world.options(true);
    server_options.transport.receive_window_bytes = 64 << 10;
    auto& server = world.add(server_options, world.server_user);
    SeriesPeer slow;
    auto slow_options = world.options(false);
    slow_options.transport.receive_window_bytes = 64 << 10;
    slow_options.transport.tls = tls_of("shim-b");
    auto& slow_client = world.add(slow_options, slow);
    auto& client = world.add(world.options(false), world.client_user);
    slow.refuse_frames = true;
    world.connect(slow_client);
    ASSERT_TRUE(world.run_until([&] { return world.server_user.open.size() == 1; }));
    const ConnectionId to_slow = world.server_user.open[0];
    while (server.send(to_slow, Stream::decisions, numbered_frame(0, 10'000))) {
    }
    world.connect(client);
    ASSERT_TRUE(world.run_until([&] { return world.server_user.open.size() == 2; }));
    world.client_user.send_series(Stream::state, {2'000, 500, 2'000});
    world.server_user.send_series(Stream::decisions, {2'000, 500, 2'000});
    EXPECT_TRUE(world.run_until([&] {
        return world.server_user.received(Stream::state) == 2'000 &&
               world.client_user.received(Stream::decisions) == 2'000;
    }));
    EXPECT_EQ(slow.received(Stream::decisions), 0u);
}

}  // namespace
}  // namespace bayplan::dataplane::testing
