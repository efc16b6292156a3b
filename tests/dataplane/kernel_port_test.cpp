// Two data planes with a thread each over kernel UDP sockets on the loopback device.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "net/udp_address.h"
#include "port/kernel_port.h"
#include "quic_world.h"

namespace bayplan::dataplane::testing {
namespace {

using ::testing::HasSubstr;
using namespace std::chrono_literals;

// By a plain socket, not by the port that is tested.
bool machine_has_ipv6() {
    const int probe = ::socket(AF_INET6, SOCK_DGRAM, 0);
    sockaddr_in6 loopback{};
    loopback.sin6_family = AF_INET6;
    loopback.sin6_addr = in6addr_loopback;
    const bool bound = probe >= 0 && ::bind(probe, reinterpret_cast<sockaddr*>(&loopback), sizeof loopback) == 0;
    if (probe >= 0) ::close(probe);
    return bound;
}

// Runs a data plane in a thread of its own; a SeriesPeer's state may be read once it has been
// joined, meanwhile only what is published here.
class Running {
public:
    Running(std::unique_ptr<DataPlane> plane) : plane_(std::move(plane)), thread_([this] { plane_->run(); }) {}
    ~Running() { stop(); }
    void stop() {
        if (!thread_.joinable()) return;
        plane_->request_stop();
        thread_.join();
    }
    DataPlane& plane() { return *plane_; }

private:
    std::unique_ptr<DataPlane> plane_;
    std::thread thread_;
};

// Waits for a condition on counters, which any thread may read.
template <class Condition>
bool eventually(Condition&& condition, std::chrono::seconds limit = 60s) {
    const auto deadline = std::chrono::steady_clock::now() + limit;
    while (!condition()) {
        if (std::chrono::steady_clock::now() > deadline) return false;
        std::this_thread::sleep_for(1ms);
    }
    return true;
}

DataPlaneOptions options(bool server) {
    DataPlaneOptions out;
    out.server = server;
    out.kernel.address = server ? "127.0.0.1" : "0.0.0.0";
    out.transport.tls = tls_of(server ? "server" : "shim-a");
    return out;
}

std::unique_ptr<DataPlane> open(const DataPlaneOptions& wanted, FrameHandler& user) {
    std::string error;
    auto plane = open_data_plane(wanted, user, error);
    EXPECT_NE(plane, nullptr) << error;
    return plane;
}

TEST(KernelPort, a_hundred_thousand_frames_of_all_sizes_arrive_once_and_in_order) {
    SeriesPeer server_user;
    SeriesPeer client_user;
    auto server_plane = open(options(true), server_user);
    auto client_plane = open(options(false), client_user);
    EXPECT_EQ(server_plane->port_name(), "kernel-udp");
    client_user.send_series(Stream::state, {100'000, 200, 1'000});
    server_user.send_series(Stream::decisions, {5'000, 200, 60'000});
    client_plane->connect("127.0.0.1", server_plane->udp_port());
    Running server(std::move(server_plane));
    Running client(std::move(client_plane));
    EXPECT_TRUE(eventually([&] {
        return counter(server.plane(), "frames_in") == 100'000 && counter(client.plane(), "frames_in") == 5'000;
    }));
    client.stop();
    EXPECT_TRUE(eventually([&] { return counter(server.plane(), "connections_closed") == 1; }));
    server.stop();
    EXPECT_EQ(server_user.fault, "");
    EXPECT_EQ(client_user.fault, "");
    ASSERT_EQ(server_user.closed.size(), 1u);
    EXPECT_THAT(server_user.closed[0], HasSubstr("shutting down"));
    EXPECT_GT(counter(server.plane(), "rx_packets"), 1'000u);
    EXPECT_GT(counter(server.plane(), "tx_bytes"), 100'000'000u);
}

TEST(KernelPort, a_server_on_any_address_answers_from_the_one_that_was_addressed) {
    SeriesPeer server_user;
    SeriesPeer client_user;
    auto server_options = options(true);
    server_options.kernel.address = "0.0.0.0";
    auto server_plane = open(server_options, server_user);
    auto client_plane = open(options(false), client_user);
    client_user.send_series(Stream::state, {10, 200, 200});
    client_plane->connect("127.0.0.5", server_plane->udp_port());
    Running server(std::move(server_plane));
    Running client(std::move(client_plane));
    EXPECT_TRUE(eventually([&] { return counter(server.plane(), "frames_in") == 10; }));
    client.stop();
    ASSERT_EQ(client_user.peers.size(), 1u);
    EXPECT_THAT(client_user.peers[0].address, HasSubstr("127.0.0.5:"));
}

// Sends only when told to from another thread: what an engine's ring does.
class Told final : public FrameHandler {
public:
    void on_open(DataPlane&, ConnectionId id, const Peer&) override {
        id_ = id;
        opened = true;
    }
    bool on_frame(DataPlane&, ConnectionId, Stream, Frame&) override { return true; }
    void on_close(DataPlane&, ConnectionId, std::string_view) override {}
    void on_refused(std::string_view, std::string_view) override {}
    std::size_t on_turn(DataPlane& plane) override {
        if (wanted.load() == done_) return 0;
        EXPECT_TRUE(plane.send(id_, Stream::state, numbered_frame(done_, 100)));
        ++done_;
        return 1;
    }
    std::atomic<bool> opened{false};
    std::atomic<std::uint64_t> wanted{0};

private:
    ConnectionId id_ = 0;
    std::uint64_t done_ = 0;
};

TEST(KernelPort, wake_ends_the_sleep_of_an_idle_loop) {
    SeriesPeer server_user;
    Told client_user;
    auto server_plane = open(options(true), server_user);
    auto client_plane = open(options(false), client_user);
    client_plane->connect("127.0.0.1", server_plane->udp_port());
    Running server(std::move(server_plane));
    Running client(std::move(client_plane));
    ASSERT_TRUE(eventually([&] { return client_user.opened.load(); }));
    for (std::uint64_t i = 1; i <= 200; ++i) {
        client_user.wanted = i;
        client.plane().wake();
        ASSERT_TRUE(eventually([&] { return counter(server.plane(), "frames_in") == i; }));
    }
    EXPECT_GT(counter(client.plane(), "sleeps"), 0u);
    client.stop();
    server.stop();
    EXPECT_EQ(server_user.fault, "");
}

TEST(KernelPort, an_address_that_cannot_be_bound_is_named) {
    SeriesPeer user;
    auto wanted = options(true);
    std::string error;
    wanted.kernel.address = "192.0.2.1";  // TEST-NET, no interface has it
    wanted.kernel.udp_port = 4433;
    EXPECT_EQ(open_data_plane(wanted, user, error), nullptr);
    EXPECT_THAT(error, HasSubstr("192.0.2.1:4433"));
    wanted.kernel.address = "localhorst";
    EXPECT_EQ(open_data_plane(wanted, user, error), nullptr);
    EXPECT_THAT(error, HasSubstr("'localhorst' is not an IP address"));
}

struct Collector final : DatagramSink {
    void on_datagram(const Path& path, std::span<const std::uint8_t> payload) override {
        from.push_back(path.remote);
        payloads.emplace_back(payload.begin(), payload.end());
    }
    std::vector<UdpAddress> from;
    std::vector<std::vector<std::uint8_t>> payloads;
};

TEST(KernelPort, bursts_larger_than_its_buffers_pass_and_are_counted) {
    std::string error;
    auto one = open_kernel_port({"127.0.0.1", 0}, true, 1452, error);
    auto two = open_kernel_port({"127.0.0.1", 0}, false, 1452, error);
    ASSERT_TRUE(one && two) << error;
    Path path;
    ASSERT_TRUE(two->resolve(one->local(), path));
    for (int i = 0; i < 200; ++i) {
        auto room = two->begin_send();
        ASSERT_GE(room.size(), 1452u);
        room[0] = static_cast<std::uint8_t>(i);
        two->commit_send(path, 1 + static_cast<std::size_t>(i));
        two->begin_send();
        two->commit_send(path, 0);  // given back
    }
    two->flush();
    Collector collected;
    ASSERT_TRUE(eventually([&] {
        one->receive(collected);
        return collected.payloads.size() == 200;
    }));
    for (std::size_t i = 0; i < 200; ++i) {
        EXPECT_EQ(collected.payloads[i].size(), i + 1);
        EXPECT_EQ(collected.payloads[i][0], i);
        EXPECT_EQ(collected.from[i], two->local());
    }
    std::vector<Counter> counters;
    two->append_counters(counters);
    EXPECT_THAT(counters, ::testing::Contains(Counter{"tx_packets", 200}));
    EXPECT_THAT(counters, ::testing::Contains(Counter{"tx_bytes", 200 * 201 / 2}));
}

TEST(KernelPort, a_port_of_ipv6_takes_both_versions_and_answers_from_the_address_that_was_addressed) {
    if (!machine_has_ipv6()) GTEST_SKIP() << "this machine has no ::1";
    std::string error;
    auto server = open_kernel_port({"::", 0}, true, 1452, error);
    ASSERT_NE(server, nullptr) << error;
    for (const char* own : {"127.0.0.1", "::1"}) {
        auto client = open_kernel_port({own, 0}, false, 1452, error);
        ASSERT_NE(client, nullptr) << error;
        UdpAddress server_address;
        ASSERT_TRUE(parse_ip(own, server->local().port, server_address));
        Path path;
        ASSERT_TRUE(client->resolve(server_address, path));
        for (int i = 0; i < 100; ++i) {  // runs (UDP_SEGMENT), too
            client->begin_send()[0] = 'q';
            client->commit_send(path, 1000);
        }
        client->flush();

        struct Echo final : DatagramSink {
            explicit Echo(PacketPort& port) : port(port) {}
            void on_datagram(const Path& from, std::span<const std::uint8_t> payload) override {
                local = from.local;
                remote = from.remote;
                port.begin_send()[0] = 'a';
                port.commit_send(from, payload.size());
                ++count;
            }
            PacketPort& port;
            UdpAddress local, remote;
            int count = 0;
        } echo(*server);
        ASSERT_TRUE(eventually([&] {
            server->receive(echo);
            server->flush();
            return echo.count == 100;
        }));
        EXPECT_EQ(echo.local, server_address) << to_text(echo.local);
        EXPECT_EQ(echo.remote, client->local()) << to_text(echo.remote);
        Collector answers;
        ASSERT_TRUE(eventually([&] {
            client->receive(answers);
            return answers.payloads.size() == 100;
        }));
        EXPECT_EQ(answers.from[0], server_address);
        EXPECT_EQ(answers.payloads[99].size(), 1000u);
    }
}

TEST(KernelPort, an_ipv4_port_has_no_way_to_an_ipv6_peer) {
    std::string error;
    auto port = open_kernel_port({"0.0.0.0", 0}, false, 1452, error);
    ASSERT_NE(port, nullptr) << error;
    UdpAddress peer;
    ASSERT_TRUE(parse_ip("::1", 4433, peer));
    Path path;
    EXPECT_FALSE(port->resolve(peer, path));
}

TEST(KernelPort, runs_of_equal_packets_arrive_as_the_packets_they_were) {
    std::string error;
    auto one = open_kernel_port({"127.0.0.1", 0}, true, 1452, error);
    auto three = open_kernel_port({"127.0.0.1", 0}, true, 1452, error);
    auto two = open_kernel_port({"127.0.0.1", 0}, false, 1452, error);
    ASSERT_TRUE(one && two && three) << error;
    Path to_one;
    Path to_three;
    ASSERT_TRUE(two->resolve(one->local(), to_one));
    ASSERT_TRUE(two->resolve(three->local(), to_three));
    // Sizes that rise, fall and repeat, to two receivers in turns.
    const std::size_t sizes[] = {1452, 1452, 1452, 700, 700, 1452, 0, 1, 1, 1, 1452, 1452};
    std::vector<std::size_t> expected_one;
    std::vector<std::size_t> expected_three;
    for (int round = 0; round < 12; ++round) {
        const bool first = round % 5 != 0;
        for (const std::size_t size : sizes) {
            auto room = two->begin_send();
            std::fill(room.begin(), room.end(), static_cast<std::uint8_t>(size + 1));
            two->commit_send(first ? to_one : to_three, size);
            if (size > 0) (first ? expected_one : expected_three).push_back(size);
        }
    }
    two->flush();
    const auto check = [](PacketPort& port, const std::vector<std::size_t>& expected) {
        Collector collected;
        ASSERT_TRUE(eventually([&] {
            port.receive(collected);
            return collected.payloads.size() == expected.size();
        })) << collected.payloads.size();
        for (std::size_t i = 0; i < expected.size(); ++i) {
            EXPECT_EQ(collected.payloads[i],
                      std::vector<std::uint8_t>(expected[i], static_cast<std::uint8_t>(expected[i] + 1)));
        }
    };
    check(*one, expected_one);
    check(*three, expected_three);
}

TEST(KernelPort, a_packet_that_has_no_way_is_dropped_counted_and_holds_up_no_other) {
    std::string error;
    auto one = open_kernel_port({"127.0.0.1", 0}, true, 1452, error);
    auto two = open_kernel_port({"127.0.0.1", 0}, false, 1452, error);
    ASSERT_TRUE(one && two) << error;
    Path good;
    Path bad;
    ASSERT_TRUE(two->resolve(one->local(), good));
    // From a socket bound to the loopback address there is no way to another network.
    ASSERT_TRUE(two->resolve(ipv4_address(0xc0000201, 9), bad));
    for (int i = 0; i < 6; ++i) {
        two->begin_send();
        two->commit_send(i % 3 == 2 ? bad : good, 100);
    }
    two->flush();
    Collector collected;
    ASSERT_TRUE(eventually([&] {
        one->receive(collected);
        return collected.payloads.size() == 4;
    }));
    std::vector<Counter> counters;
    two->append_counters(counters);
    EXPECT_THAT(counters, ::testing::Contains(Counter{"drop_tx_error", 2}));
    EXPECT_THAT(counters, ::testing::Contains(Counter{"tx_packets", 4}));
}

}  // namespace
}  // namespace bayplan::dataplane::testing
