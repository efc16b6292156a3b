// QUIC over the ethdev port and a pair of rings: the whole data plane but the network card, in one
// process, as the programs use it where network namespaces are not allowed.
#include <gtest/gtest.h>
#include <rte_mbuf.h>
#include <rte_mempool.h>

#include <algorithm>
#include <chrono>
#include <string>
#include <thread>

#include "dataplane/data_plane.h"
#include "quic_world.h"
#include "ring_pair.h"

namespace bayplan::dataplane::testing {
namespace {

DataPlaneOptions options(bool server) {
    DataPlaneOptions out;
    out.server = server;
    out.port = PortKind::dpdk;
    out.transport.tls = tls_of(server ? "server" : "shim-a");
    return out;
}

std::uint64_t counter(const DataPlane& plane, std::string_view name) {
    const std::vector<Counter> all = plane.counters();
    const auto at = std::ranges::find(all, name, &Counter::first);
    EXPECT_NE(at, all.end()) << name;
    return at == all.end() ? 0 : at->second;
}

class DpdkQuic : public ::testing::Test {
protected:
    void SetUp() override {
        std::string error;
        pair_ = open_ring_pair(options(true), server_user_, options(false), client_user_, error);
        ASSERT_NE(pair_.server, nullptr) << error;
        ASSERT_NE(pair_.client, nullptr) << error;
    }
    // Both planes in this thread, turn by turn.
    template <class Condition>
    bool turn_until(Condition&& condition) {
        const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(60);
        while (!condition()) {
            pair_.client->turn();
            pair_.server->turn();
            if (std::chrono::steady_clock::now() > deadline) return false;
        }
        return true;
    }

    SeriesPeer server_user_;
    SeriesPeer client_user_;
    RingPair pair_;
};

TEST_F(DpdkQuic, frames_cross_in_both_directions_and_all_buffers_return) {
    pair_.client->connect(kRingServerAddress, 4433);
    client_user_.send_series(Stream::state, {5'000, 1, 4'000});
    server_user_.send_series(Stream::decisions, {5'000, 1, 4'000});
    ASSERT_TRUE(turn_until([&] {
        return server_user_.received(Stream::state) == 5'000 && client_user_.received(Stream::decisions) == 5'000;
    }));
    EXPECT_EQ(server_user_.fault, "");
    EXPECT_EQ(client_user_.fault, "");
    ASSERT_EQ(server_user_.peers.size(), 1u);
    EXPECT_EQ(server_user_.peers[0].common_name, "shim-a");
    EXPECT_EQ(pair_.server->port_name(), "ring");
    EXPECT_EQ(counter(*pair_.server, "drop_tx_full"), 0u);
    // Acknowledgements may still be under way; once nothing moves, nothing is held.
    EXPECT_TRUE(turn_until([&] { return counter(*pair_.server, "mbufs_in_use") == 0; }));
    EXPECT_GT(counter(*pair_.server, "rx_packets"), 5'000u);
}

TEST_F(DpdkQuic, a_server_that_refuses_frames_pushes_back_and_loses_none) {
    pair_.client->connect(kRingServerAddress, 4433);
    server_user_.refuse_frames = true;
    client_user_.send_series(Stream::state, {20'000, 900, 1'100});  // above all windows and buffers
    ASSERT_TRUE(turn_until([&] { return client_user_.sends_refused > 1000; }));
    EXPECT_EQ(server_user_.received(Stream::state), 0u);
    server_user_.refuse_frames = false;
    ASSERT_TRUE(turn_until([&] { return server_user_.received(Stream::state) == 20'000; }));
    EXPECT_EQ(server_user_.fault, "");
    EXPECT_TRUE(turn_until([&] { return counter(*pair_.server, "mbufs_in_use") == 0; }));
}

// Every free buffer of every pool of ours, until it goes out of scope.
class AllBuffers {
public:
    AllBuffers() {
        rte_mempool_walk(
            [](rte_mempool* pool, void* self) {
                if (std::string_view(pool->name).substr(0, 8) != "bayplan_") return;
                auto& taken = static_cast<AllBuffers*>(self)->taken_;
                while (rte_mbuf* buffer = rte_pktmbuf_alloc(pool)) taken.push_back(buffer);
            },
            this);
    }
    ~AllBuffers() { rte_pktmbuf_free_bulk(taken_.data(), static_cast<unsigned>(taken_.size())); }
    AllBuffers(const AllBuffers&) = delete;
    AllBuffers& operator=(const AllBuffers&) = delete;
    std::size_t count() const { return taken_.size(); }

private:
    std::vector<rte_mbuf*> taken_;
};

TEST_F(DpdkQuic, without_buffers_nothing_is_sent_and_all_is_once_there_are_some_again) {
    pair_.client->connect(kRingServerAddress, 4433);
    client_user_.send_series(Stream::state, {1'000, 100, 1'000});
    ASSERT_TRUE(turn_until([&] { return server_user_.received(Stream::state) == 1'000; }));
    {
        const AllBuffers all;
        ASSERT_GT(all.count(), 1'000u);
        client_user_.send_series(Stream::state, {2'000, 100, 1'000});
        ASSERT_TRUE(turn_until([&] {
            return counter(*pair_.client, "tx_no_buffer") > 100 &&
                   counter(*pair_.server, "tx_no_buffer") + client_user_.sent(Stream::state) > 1'000;
        }));
        EXPECT_LT(server_user_.received(Stream::state), 2'000u);
    }
    ASSERT_TRUE(turn_until([&] { return server_user_.received(Stream::state) == 2'000; }));
    EXPECT_EQ(server_user_.fault, "");
    EXPECT_TRUE(client_user_.closed.empty());
}

TEST_F(DpdkQuic, each_plane_in_its_own_thread) {
    pair_.client->connect(kRingServerAddress, 4433);
    client_user_.send_series(Stream::state, {20'000, 1, 1'000});
    server_user_.send_series(Stream::decisions, {20'000, 1, 1'000});
    std::thread server([&] { pair_.server->run(); });
    std::thread client([&] { pair_.client->run(); });
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    const auto complete = [&] {
        return counter(*pair_.server, "frames_in") == 20'000 && counter(*pair_.client, "frames_in") == 20'000;
    };
    while (!complete() && std::chrono::steady_clock::now() < deadline) std::this_thread::yield();
    pair_.client->request_stop();
    client.join();
    pair_.server->request_stop();
    server.join();
    EXPECT_EQ(server_user_.received(Stream::state), 20'000u);
    EXPECT_EQ(client_user_.received(Stream::decisions), 20'000u);
    EXPECT_EQ(server_user_.fault, "");
    EXPECT_EQ(client_user_.fault, "");
}

}  // namespace
}  // namespace bayplan::dataplane::testing
