// 64 shims at once on two queues of the ethdev port, each lcore in a thread of its own: nothing is
// lost, work is shared fairly, and each connection stays with one lcore.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <map>
#include <thread>

#include "event_loop.h"
#include "quic_world.h"
#include "ring_pair.h"

namespace bayplan::dataplane::testing {
namespace {

constexpr std::size_t kShims = 64;
constexpr std::size_t kLcores = 2;
constexpr std::uint64_t kAsks = 2'000;

// Answers each ask on its connection and notes how far all had come when the first was done.
class Server final : public FrameHandler {
public:
    void on_open(DataPlane&, ConnectionId id, const Peer&) override { served[id] = 0; }
    bool on_frame(DataPlane& plane, ConnectionId id, Stream, Frame& frame) override {
        std::string fault;
        if (!check_numbered(frame.bytes(), served[id], fault)) faults.push_back(fault);
        if (!plane.send(id, Stream::decisions, frame.bytes())) return false;
        if (++served[id] == kAsks && at_first_end.empty()) at_first_end = served;
        return true;
    }
    void on_close(DataPlane&, ConnectionId, std::string_view) override {}
    void on_refused(std::string_view, std::string_view) override {}
    std::size_t on_turn(DataPlane&) override { return 0; }

    std::map<ConnectionId, std::uint64_t> served;
    std::map<ConnectionId, std::uint64_t> at_first_end;
    std::vector<std::string> faults;
};

// Many shims in one: each connection sends its own numbered asks once all are open.
class Shims final : public FrameHandler {
public:
    explicit Shims(std::atomic<std::size_t>& open) : open_(open) {}
    void on_open(DataPlane&, ConnectionId id, const Peer&) override {
        shims[id];
        ++open_;
    }
    bool on_frame(DataPlane&, ConnectionId id, Stream, Frame& frame) override {
        std::string fault;
        if (!check_numbered(frame.bytes(), shims[id].answered, fault)) faults.push_back(fault);
        if (++shims[id].answered == kAsks) ++finished;
        return true;
    }
    void on_close(DataPlane&, ConnectionId, std::string_view why) override {
        if (finished != shims.size()) faults.emplace_back(why);
    }
    void on_refused(std::string_view, std::string_view why) override { faults.emplace_back(why); }
    std::size_t on_turn(DataPlane& plane) override {
        if (open_ < kShims) return 0;
        std::size_t work = 0;
        for (auto& [id, shim] : shims) {
            // As shims do: some asks ahead, more as answers come.
            while (shim.sent < kAsks && shim.sent - shim.answered < 32 &&
                   plane.send(id, Stream::state, numbered_frame(shim.sent, 200))) {
                ++shim.sent;
                ++work;
            }
        }
        return work;
    }
    struct Shim {
        std::uint64_t sent = 0;
        std::uint64_t answered = 0;
    };
    std::map<ConnectionId, Shim> shims;
    std::atomic<std::size_t> finished{0};
    std::vector<std::string> faults;

private:
    std::atomic<std::size_t>& open_;
};

DataPlaneOptions options(bool server) {
    DataPlaneOptions out;
    out.server = server;
    out.transport.tls = tls_of(server ? "server" : "shim-a");
    out.transport.handshakes.retry_above = 8;  // while 64 handshakes come at once
    return out;
}

std::uint64_t total(const std::vector<std::unique_ptr<DataPlane>>& planes, std::string_view name) {
    std::uint64_t sum = 0;
    for (const auto& plane : planes) sum += counter(*plane, name);
    return sum;
}

class DpdkLcores : public ::testing::Test {
protected:
    void open_planes(const NowFunction& now = {}) {
        RingPortOptions ring;
        ring.queues = kLcores;
        PortSet server_ports;
        PortSet client_ports;
        std::string error;
        ASSERT_TRUE(open_ring_port_sets(ring, server_ports, client_ports, error)) << error;
        std::vector<FrameHandler*> handlers{&servers[0], &servers[1]};
        server_planes = make_data_planes(options(true), handlers, std::move(server_ports), error, now);
        ASSERT_EQ(server_planes.size(), kLcores) << error;
        std::vector<FrameHandler*> client_handlers{&shims[0], &shims[1]};
        client_planes = make_data_planes(options(false), client_handlers, std::move(client_ports), error, now);
        ASSERT_EQ(client_planes.size(), kLcores) << error;
        for (std::size_t i = 0; i < kShims; ++i) client_planes[i % kLcores]->connect(kRingServerAddress, 4433);
    }
    bool finished() const { return shims[0].finished + shims[1].finished == kShims; }
    void expect_all_served() {
        std::size_t connections = 0;
        for (std::size_t i = 0; i < kLcores; ++i) {
            EXPECT_TRUE(servers[i].faults.empty()) << servers[i].faults.front();
            EXPECT_TRUE(shims[i].faults.empty()) << shims[i].faults.front();
            EXPECT_EQ(servers[i].served.size(), kShims / kLcores) << "by the queue they came by";
            connections += servers[i].served.size();
            for (const auto& [id, count] : servers[i].served) EXPECT_EQ(count, kAsks) << id;
            EXPECT_EQ(counter(*server_planes[i], "frames_in"), kAsks * servers[i].served.size());
            EXPECT_EQ(counter(*server_planes[i], "steered_out"), 0u);
            EXPECT_EQ(counter(*server_planes[i], "handshake_attempts"),
                      counter(*server_planes[i], "attempts_accepted") + counter(*server_planes[i], "attempts_retried") +
                          counter(*server_planes[i], "attempts_refused") + counter(*server_planes[i], "attempts_lost"));
        }
        EXPECT_EQ(connections, kShims) << "none on two lcores";
        EXPECT_EQ(total(server_planes, "drop_tx_full"), 0u);
    }

    std::atomic<std::size_t> open{0};
    std::array<Server, kLcores> servers;
    std::array<Shims, kLcores> shims{Shims(open), Shims(open)};
    std::vector<std::unique_ptr<DataPlane>> server_planes;
    std::vector<std::unique_ptr<DataPlane>> client_planes;
};

// In turns and virtual time, so that fairness is the program's and not the machine's.
TEST_F(DpdkLcores, sixty_four_shims_are_served_fairly) {
    std::uint64_t now = 1'000'000'000;
    open_planes([&now] { return now; });
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(90);
    while (!finished() && std::chrono::steady_clock::now() < deadline) {
        for (auto& plane : client_planes) plane->turn();
        for (auto& plane : server_planes) plane->turn();
        now += 20'000;
    }
    ASSERT_TRUE(finished());
    expect_all_served();
    for (const Server& server : servers) {
        ASSERT_FALSE(server.at_first_end.empty());
        for (const auto& [id, count] : server.at_first_end) {
            EXPECT_GE(2 * count, kAsks) << "less than half when another had all: " << id;
        }
    }
}

TEST_F(DpdkLcores, sixty_four_shims_and_a_thread_per_lcore) {
    open_planes();
    std::vector<std::thread> threads;
    for (auto& plane : server_planes) threads.emplace_back([&plane] { plane->run(); });
    std::vector<std::thread> client_threads;
    for (auto& plane : client_planes) client_threads.emplace_back([&plane] { plane->run(); });
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(90);
    while (!finished() && std::chrono::steady_clock::now() < deadline) std::this_thread::yield();
    EXPECT_TRUE(finished());
    for (auto& plane : client_planes) plane->request_stop();
    for (auto& thread : client_threads) thread.join();
    for (auto& plane : server_planes) plane->request_stop();
    for (auto& thread : threads) thread.join();
    expect_all_served();
}

}  // namespace
}  // namespace bayplan::dataplane::testing
