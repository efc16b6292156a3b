// Several lcores on one port: which lcore gets a connection, and that it stays there if its packets
// come by another queue.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "net/udp_address.h"
#include "quic_world.h"

namespace bayplan::dataplane::testing {
namespace {

using ::testing::IsEmpty;

// Answers every frame on `state` by the same frame on `decisions`, per connection.
class Echo final : public FrameHandler {
public:
    void on_open(DataPlane&, ConnectionId id, const Peer&) override { backlog[id]; }
    bool on_frame(DataPlane& plane, ConnectionId id, Stream, Frame& frame) override {
        if (!plane.send(id, Stream::decisions, frame.bytes())) return false;
        ++echoed;
        return true;
    }
    void on_close(DataPlane&, ConnectionId id, std::string_view) override { backlog.erase(id); }
    void on_refused(std::string_view, std::string_view) override {}
    std::size_t on_turn(DataPlane&) override { return 0; }
    std::map<ConnectionId, int> backlog;
    std::uint64_t echoed = 0;
};

class Lcores : public ::testing::TestWithParam<bool> {
protected:
    void open(std::size_t clients) {
        std::vector<FrameHandler*> handlers;
        for (Echo& echo : echoes) handlers.push_back(&echo);
        servers = world.add_lcores(world.options(true), handlers, GetParam());
        users.resize(clients);
        for (SeriesPeer& user : users) {
            world.connect(world.add(world.options(false), user));
            user.send_series(Stream::state, {200, 50, 1'500});
        }
    }
    bool all_answered(std::uint64_t count) {
        return world.run_until([&] {
            return std::all_of(users.begin(), users.end(),
                               [&](const SeriesPeer& user) { return user.received(Stream::decisions) == count; });
        });
    }
    World world;
    std::array<Echo, 3> echoes;
    std::vector<DataPlane*> servers;
    std::vector<SeriesPeer> users;
};

TEST_P(Lcores, all_connections_are_served_and_every_lcore_has_some) {
    open(24);
    ASSERT_TRUE(all_answered(200));
    std::uint64_t frames = 0;
    for (std::size_t i = 0; i < servers.size(); ++i) {
        EXPECT_GT(counter(*servers[i], "connections_open"), 0u) << i;
        EXPECT_EQ(counter(*servers[i], "connections_open"), counter(*servers[i], "handshakes_ok"));
        EXPECT_EQ(counter(*servers[i], "drop_unknown_connection"), 0u);
        EXPECT_EQ(counter(*servers[i], "frames_in"), echoes[i].echoed);
        frames += counter(*servers[i], "frames_in");
    }
    EXPECT_EQ(frames, 24u * 200u);
    for (const SeriesPeer& user : users) EXPECT_EQ(user.fault, "");
    const bool one_receives = GetParam();
    EXPECT_EQ(counter(*servers[0], "steered_out") > 0, one_receives);
    EXPECT_EQ(counter(*servers[1], "steered_in") > 0, one_receives);
}

TEST_P(Lcores, a_connection_keeps_its_lcore_when_its_client_moves_to_another_queue) {
    open(1);
    ASSERT_TRUE(all_answered(200));
    const auto owner = std::find_if(servers.begin(), servers.end(),
                                    [](const DataPlane* plane) { return counter(*plane, "connections_open") == 1; });
    ASSERT_NE(owner, servers.end());
    UdpAddress at = ipv4_address(0x0a000002, 50'000);
    std::uint64_t sent = 200;
    for (std::uint16_t i = 0; i < 6; ++i) {  // by every queue, twice
        const UdpAddress next = ipv4_address(0x0a630000u, static_cast<std::uint16_t>(3000 + i));
        world.network.move(at, next);
        at = next;
        sent += 200;
        users[0].send_series(Stream::state, {sent, 50, 1'500});
        ASSERT_TRUE(all_answered(sent)) << i;
    }
    std::uint64_t steered = 0;
    for (const DataPlane* plane : servers) {
        EXPECT_EQ(counter(*plane, "connections_opened"), plane == *owner ? 1u : 0u);
        EXPECT_EQ(counter(*plane, "stateless_resets"), 0u);
        steered += counter(*plane, "steered_out");
    }
    // With one queue lcore 0 has all packets, and its own connections need no steering.
    const bool at_the_queue = GetParam() && owner == servers.begin();
    EXPECT_EQ(steered > 0, !at_the_queue);
    EXPECT_EQ(counter(**owner, "steered_in"), steered);
    EXPECT_EQ(counter(**owner, "path_changes"), 6u);
    EXPECT_THAT(users[0].closed, IsEmpty());
}

TEST_P(Lcores, retry_works_across_them) {
    auto options = world.options(true);
    options.transport.handshakes.retry_above = 0;
    std::vector<FrameHandler*> handlers{&echoes[0], &echoes[1], &echoes[2]};
    servers = world.add_lcores(options, handlers, GetParam());
    users.resize(9);
    for (SeriesPeer& user : users) world.connect(world.add(world.options(false), user));
    ASSERT_TRUE(world.run_until([&] {
        return std::all_of(users.begin(), users.end(), [](const SeriesPeer& user) { return user.open.size() == 1; });
    }));
    std::uint64_t retried = 0;
    for (const DataPlane* plane : servers) retried += counter(*plane, "attempts_retried");
    EXPECT_EQ(retried, 9u);
}

TEST_P(Lcores, a_full_ring_drops_counts_and_the_connection_recovers) {
    open(6);
    ASSERT_TRUE(all_answered(200));
    // An lcore that stalls: nobody takes from the rings to it.
    const std::size_t stalled = 1;
    world.pause(*servers[stalled]);
    const UdpAddress from = ipv4_address(0x0a000063, 999);  // its queue, if any, is not lcore 1's
    std::vector<std::uint8_t> packet(60, 0x45);
    packet[1] = stalled;
    for (int burst = 0; burst < 40; ++burst) {
        for (int i = 0; i < 100; ++i) world.network.inject(from, ipv4_address(0x0a000001, 4433), packet);
        world.run_for(1'000'000);
    }
    std::uint64_t dropped = 0;
    for (const DataPlane* plane : servers) dropped += counter(*plane, "drop_steering_full");
    EXPECT_GE(dropped, 4'000u - Steering::kRingSlots);
    world.resume();
    for (SeriesPeer& user : users) user.send_series(Stream::state, {400, 50, 1'500});
    ASSERT_TRUE(all_answered(400));
    for (const SeriesPeer& user : users) EXPECT_THAT(user.closed, IsEmpty());
}

INSTANTIATE_TEST_SUITE_P(Device, Lcores, ::testing::Bool(),
                         [](const auto& info) { return info.param ? "of_one_queue" : "that_spreads"; });

// --- kernel sockets, threads

TEST(KernelLcores, many_clients_are_spread_and_served) {
    std::array<Echo, 2> echoes;
    std::vector<FrameHandler*> handlers{&echoes[0], &echoes[1]};
    DataPlaneOptions server;
    server.kernel.address = "127.0.0.1";
    server.transport.tls = tls_of("server");
    std::string error;
    auto servers = open_data_planes(server, handlers, error);
    ASSERT_EQ(servers.size(), 2u) << error;
    ASSERT_EQ(servers[0]->udp_port(), servers[1]->udp_port());
    std::vector<std::thread> threads;
    for (auto& plane : servers) threads.emplace_back([&plane] { plane->run(); });

    constexpr std::size_t kClients = 16;
    std::array<SeriesPeer, kClients> users;
    std::vector<std::unique_ptr<DataPlane>> clients;
    for (SeriesPeer& user : users) {
        DataPlaneOptions options;
        options.server = false;
        options.transport.tls = tls_of("shim-a");
        clients.push_back(open_data_plane(options, user, error));
        ASSERT_NE(clients.back(), nullptr) << error;
        clients.back()->connect("127.0.0.1", servers[0]->udp_port());
        user.send_series(Stream::state, {200, 50, 1'500});
    }
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    const auto done = [&] {
        return std::all_of(users.begin(), users.end(),
                           [](const SeriesPeer& user) { return user.received(Stream::decisions) == 200; });
    };
    while (!done() && std::chrono::steady_clock::now() < deadline) {
        for (auto& client : clients) client->turn();
    }
    EXPECT_TRUE(done());
    const std::uint64_t on_first = counter(*servers[0], "handshakes_ok");
    EXPECT_EQ(on_first + counter(*servers[1], "handshakes_ok"), kClients);
    for (auto& plane : servers) plane->request_stop();
    for (auto& thread : threads) thread.join();
    for (auto& client : clients) client->turn();
}

TEST(KernelLcores, an_address_that_another_program_holds_is_not_shared_with_it) {
    std::array<Echo, 2> echoes;
    std::vector<FrameHandler*> handlers{&echoes[0], &echoes[1]};
    DataPlaneOptions options;
    options.kernel.address = "127.0.0.1";
    options.transport.tls = tls_of("server");
    std::string error;
    const auto first = open_data_planes(options, handlers, error);
    ASSERT_EQ(first.size(), 2u) << error;
    options.kernel.udp_port = first[0]->udp_port();
    EXPECT_TRUE(open_data_planes(options, handlers, error).empty());
    EXPECT_NE(error.find("in use"), std::string::npos) << error;
}

}  // namespace
}  // namespace bayplan::dataplane::testing
