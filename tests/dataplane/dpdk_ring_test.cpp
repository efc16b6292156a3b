// The real ethdev port over a pair of rings in this process: ARP, datagrams both ways, and above
// all that every buffer comes back in every case. No privileges, no hugepages.
#include <gtest/gtest.h>
#include <rte_dev.h>
#include <rte_ethdev.h>
#include <rte_mbuf.h>
#include <rte_mempool.h>
#include <sched.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include "l2l3_frames.h"
#include "net/udp_address.h"
#include "port/dpdk_port.h"
#include "port/eal.h"
#include "port/idle_sleeper.h"
#include "ring_pair.h"

namespace bayplan::dataplane::test {
namespace {

// Taken before main(), so before any test can have started EAL.
const cpu_set_t affinity_at_start = [] {
    cpu_set_t set;
    CPU_ZERO(&set);
    sched_getaffinity(0, sizeof set, &set);
    return set;
}();

constexpr std::uint32_t kFewBuffers = 511;  // but more than a thread may keep for itself

class Collector final : public DatagramSink {
public:
    void on_datagram(const Path& path, std::span<const std::uint8_t> payload) override {
        paths.push_back(path);
        payloads.emplace_back(payload.begin(), payload.end());
    }
    std::vector<Path> paths;
    std::vector<std::string> payloads;
};

std::uint64_t counter(const PacketPort& port, std::string_view name) {
    std::vector<Counter> all;
    port.append_counters(all);
    const auto at = std::ranges::find(all, name, &Counter::first);
    EXPECT_NE(at, all.end()) << name;
    return at == all.end() ? 0 : at->second;
}

bool send(PacketPort& port, const Path& path, std::string_view text) {
    const auto room = port.begin_send();
    if (room.size() < text.size()) return false;
    std::memcpy(room.data(), text.data(), text.size());
    port.commit_send(path, text.size());
    return true;
}

class DpdkRing : public ::testing::Test {
protected:
    void SetUp() override {
        std::string error;
        ASSERT_TRUE(open_ring_ports({}, server_, client_, error)) << error;
        drain();
    }
    void drain() {
        while (server_->receive(at_server_) + client_->receive(at_client_) > 0) {
        }
    }
    Path path_to_server() {
        UdpAddress address;
        parse_ipv4(kRingServerAddress, 4433, address);
        Path path;
        EXPECT_FALSE(client_->resolve(address, path)) << "nobody has answered yet";
        drain();
        EXPECT_TRUE(client_->resolve(address, path));
        return path;
    }
    // Puts a frame of a test's own making on the wire to the server.
    void inject(const Frame8& frame) {
        std::uint16_t port_id = 0;
        RTE_ETH_FOREACH_DEV(port_id) {
            char name[RTE_ETH_NAME_MAX_LEN] = {};
            ASSERT_EQ(rte_eth_dev_get_name_by_port(port_id, name), 0);
            if (std::string_view(name).ends_with("_client")) break;
        }
        ASSERT_LT(port_id, RTE_MAX_ETHPORTS) << "no device of the client";
        std::string error;
        if (pool_ == nullptr) pool_ = make_buffer_pool(kFewBuffers, kEthernetMtu, error);
        ASSERT_TRUE(pool_ != nullptr) << error;
        rte_mbuf* buffer = rte_pktmbuf_alloc(pool_.get());
        ASSERT_NE(buffer, nullptr);
        char* const bytes = rte_pktmbuf_append(buffer, static_cast<std::uint16_t>(frame.size()));
        ASSERT_NE(bytes, nullptr);
        std::memcpy(bytes, frame.data(), frame.size());
        ASSERT_EQ(rte_eth_tx_burst(port_id, 0, &buffer, 1), 1);
    }

    std::shared_ptr<rte_mempool> pool_;  // of what is injected; outlives the ports and their wire
    std::unique_ptr<PacketPort> server_;
    std::unique_ptr<PacketPort> client_;
    Collector at_server_;
    Collector at_client_;
};

TEST_F(DpdkRing, a_client_finds_the_server_by_arp_and_the_server_answers_along_the_path) {
    const Path path = path_to_server();
    EXPECT_EQ(counter(*server_, "arp_replies"), 1u);
    ASSERT_TRUE(send(*client_, path, "question"));
    client_->flush();
    drain();
    ASSERT_EQ(at_server_.payloads, std::vector<std::string>{"question"});
    EXPECT_EQ(at_server_.paths[0].remote, client_->local());
    ASSERT_TRUE(send(*server_, at_server_.paths[0], "answer"));
    server_->flush();
    drain();
    ASSERT_EQ(at_client_.payloads, std::vector<std::string>{"answer"});
    EXPECT_EQ(at_client_.paths[0].remote, server_->local());
}

TEST_F(DpdkRing, every_buffer_returns_after_full_bursts_in_both_directions) {
    const Path path = path_to_server();
    const std::uint64_t base = counter(*client_, "mbufs_in_use");
    constexpr int kDatagrams = 20'000;
    for (int i = 0; i < kDatagrams; ++i) {
        ASSERT_TRUE(send(*client_, path, std::to_string(i)));
        if (i % 100 == 99) {
            client_->flush();
            drain();
        }
    }
    drain();
    ASSERT_EQ(at_server_.payloads.size(), std::size_t{kDatagrams});
    for (int i = 0; i < kDatagrams; ++i) ASSERT_EQ(at_server_.payloads[i], std::to_string(i));
    EXPECT_EQ(counter(*client_, "mbufs_in_use"), base);
    EXPECT_EQ(counter(*client_, "tx_packets"), counter(*server_, "rx_packets"));
    EXPECT_EQ(counter(*client_, "tx_bytes"), counter(*server_, "rx_bytes"));
    EXPECT_EQ(counter(*server_, "tx_bytes"), counter(*client_, "rx_bytes"));
}

TEST_F(DpdkRing, what_a_full_device_refuses_is_dropped_counted_and_returned) {
    const Path path = path_to_server();
    const std::uint64_t base = counter(*client_, "mbufs_in_use");
    constexpr std::uint64_t kDatagrams = 6000;  // the ring holds 4095
    for (std::uint64_t i = 0; i < kDatagrams; ++i) ASSERT_TRUE(send(*client_, path, "x"));
    client_->flush();
    const std::uint64_t dropped = counter(*client_, "drop_tx_full");
    EXPECT_GT(dropped, 0u);
    EXPECT_EQ(counter(*client_, "mbufs_in_use"), base + kDatagrams - dropped);
    drain();
    EXPECT_EQ(at_server_.payloads.size(), kDatagrams - dropped);
    EXPECT_EQ(counter(*client_, "mbufs_in_use"), base);
}

TEST(DpdkJumbo, buffers_hold_packets_as_large_as_the_wire_takes) {
    for (const std::uint16_t mtu : std::initializer_list<std::uint16_t>{1'500, 4'000, 8'928}) {
        std::unique_ptr<PacketPort> server;
        std::unique_ptr<PacketPort> client;
        std::string error;
        RingPortOptions options;
        options.mtu = mtu;
        ASSERT_TRUE(open_ring_ports(options, server, client, error)) << error;
        Collector at_server;
        Collector at_client;
        UdpAddress address;
        parse_ipv4(kRingServerAddress, 4433, address);
        Path path;
        EXPECT_FALSE(client->resolve(address, path)) << "nobody has answered yet";
        while (server->receive(at_server) + client->receive(at_client) > 0) {
        }
        ASSERT_TRUE(client->resolve(address, path));
        ASSERT_EQ(client->begin_send().size(), mtu - kIpv4UdpBytes);
        const std::string largest(mtu - kIpv4UdpBytes, 'j');
        ASSERT_TRUE(send(*client, path, largest));
        client->flush();
        while (server->receive(at_server) > 0) {
        }
        EXPECT_EQ(at_server.payloads, std::vector<std::string>{largest}) << mtu;
    }
}

// The driver that sends nowhere takes any MTU.
TEST(DpdkJumbo, a_device_is_told_a_larger_mtu_than_it_has_and_no_smaller_one) {
    std::unique_ptr<PacketPort> starts_dpdk;
    std::unique_ptr<PacketPort> other_end;
    std::string error;
    ASSERT_TRUE(open_ring_ports({}, starts_dpdk, other_end, error)) << error;
    for (const std::uint16_t wanted : std::initializer_list<std::uint16_t>{1'300, 1'500, 8'928}) {
        ASSERT_EQ(rte_eal_hotplug_add("vdev", "net_null0", ""), 0);
        const std::shared_ptr<EthDevice> device = EthDevice::open("net_null0", nullptr, 1, wanted, error);
        ASSERT_NE(device, nullptr) << error;
        std::uint16_t mtu = 0;
        ASSERT_EQ(rte_eth_dev_get_mtu(device->port_id(), &mtu), 0);
        EXPECT_EQ(mtu, std::max(wanted, kEthernetMtu));
        EXPECT_EQ(device->mtu(), mtu);
    }
}

TEST_F(DpdkRing, a_buffer_not_sent_goes_back) {
    const std::uint64_t base = counter(*client_, "mbufs_in_use");
    const auto room = client_->begin_send();
    EXPECT_EQ(room.size(), 1472u);
    EXPECT_EQ(counter(*client_, "mbufs_in_use"), base + 1);
    EXPECT_EQ(client_->begin_send().data(), room.data()) << "asking twice takes one buffer";
    EXPECT_EQ(counter(*client_, "mbufs_in_use"), base + 1);
    client_->commit_send(Path{}, 0);
    EXPECT_EQ(counter(*client_, "mbufs_in_use"), base);
    client_->commit_send(Path{}, 10);  // without a begin: nothing happens
    EXPECT_EQ(counter(*client_, "mbufs_in_use"), base);
}

TEST_F(DpdkRing, the_sink_may_send_while_it_receives) {
    struct Echo final : DatagramSink {
        explicit Echo(PacketPort& port) : port(port) {}
        void on_datagram(const Path& path, std::span<const std::uint8_t> payload) override {
            const std::string text(payload.begin(), payload.end());
            EXPECT_TRUE(send(port, path, text));
        }
        PacketPort& port;
    };
    Echo echo(*server_);
    const Path path = path_to_server();
    const std::uint64_t base = counter(*client_, "mbufs_in_use");
    for (int i = 0; i < 200; ++i) ASSERT_TRUE(send(*client_, path, std::to_string(i)));
    client_->flush();
    while (server_->receive(echo) > 0) {
    }
    server_->flush();
    drain();
    ASSERT_EQ(at_client_.payloads.size(), 200u);
    EXPECT_EQ(at_client_.payloads[199], "199");
    EXPECT_EQ(counter(*client_, "mbufs_in_use"), base);
}

TEST_F(DpdkRing, two_threads_and_a_reader_of_counters) {
    const Path path = path_to_server();
    const std::uint64_t base = counter(*client_, "mbufs_in_use");
    constexpr std::size_t kDatagrams = 20'000;
    constexpr std::size_t kInFlight = 1000;  // below the ring: nothing may be lost
    std::atomic<std::size_t> arrived{0};
    std::atomic<bool> lost{false};
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    std::thread receiver([&] {
        Collector sink;
        while (sink.payloads.size() < kDatagrams) {
            if (server_->receive(sink) == 0) server_->wait(100'000);
            arrived = sink.payloads.size();
            if (std::chrono::steady_clock::now() > deadline) {
                lost = true;
                return;
            }
        }
    });
    for (std::size_t i = 0; i < kDatagrams && !lost; ++i) {
        while (i - arrived.load() >= kInFlight && !lost) {
            client_->flush();
            std::this_thread::yield();
        }
        EXPECT_TRUE(send(*client_, path, "datagram"));
        if (i % 1000 == 0) {
            EXPECT_LE(counter(*server_, "rx_packets"), i + 3);
        }
    }
    client_->flush();
    receiver.join();
    EXPECT_FALSE(lost);
    EXPECT_EQ(counter(*client_, "mbufs_in_use"), base);
}

TEST_F(DpdkRing, ports_close_in_either_order_with_packets_under_way_and_open_again) {
    for (int round = 0; round < 6; ++round) {
        const Path path = path_to_server();
        for (int i = 0; i < 50; ++i) ASSERT_TRUE(send(*client_, path, "left behind"));
        client_->flush();
        ASSERT_TRUE(send(*client_, path, "not flushed"));
        ASSERT_FALSE(client_->begin_send().empty());
        (round % 2 == 0 ? server_ : client_).reset();
        server_.reset();
        client_.reset();
        std::string error;
        ASSERT_TRUE(open_ring_ports({}, server_, client_, error)) << error;
        drain();
        at_server_ = {};
        at_client_ = {};
        EXPECT_EQ(counter(*client_, "mbufs_in_use"), 0u);
    }
}

TEST_F(DpdkRing, nobody_resolves_itself_or_what_is_no_host) {
    Path path;
    EXPECT_FALSE(client_->resolve(client_->local(), path));
    EXPECT_FALSE(client_->resolve(ipv4_address(0xffffffff, 1), path));
    EXPECT_FALSE(client_->resolve(UdpAddress{}, path));
    EXPECT_EQ(counter(*client_, "arp_requests"), 1u) << "the announcement at the start alone";
}

TEST_F(DpdkRing, the_port_is_called_after_its_driver) { EXPECT_EQ(server_->name(), "ring"); }

// A line for each change, and none for what is as it should be.
TEST_F(DpdkRing, a_link_that_goes_down_and_comes_back_is_told_and_counted) {
    std::vector<std::string> lines;
    set_port_log([&](std::string_view line) { lines.emplace_back(line); });
    EXPECT_EQ(counter(*server_, "link_up"), 1u);
    EXPECT_TRUE(lines.empty()) << lines.front();
    std::uint16_t port_id = 0;
    RTE_ETH_FOREACH_DEV(port_id) { ASSERT_EQ(rte_eth_dev_set_link_down(port_id), 0); }
    EXPECT_EQ(counter(*server_, "link_up"), 0u);
    EXPECT_EQ(counter(*server_, "link_downs"), 1u);
    ASSERT_EQ(lines.size(), 1u);
    EXPECT_TRUE(lines[0].starts_with("the link of ") && lines[0].ends_with(" is down")) << lines[0];
    RTE_ETH_FOREACH_DEV(port_id) { ASSERT_EQ(rte_eth_dev_set_link_up(port_id), 0); }
    EXPECT_EQ(counter(*server_, "link_ups"), 1u);
    EXPECT_EQ(counter(*server_, "link_downs"), 1u);
    ASSERT_EQ(lines.size(), 2u);
    EXPECT_TRUE(lines[1].ends_with(" is up again")) << lines[1];
    set_port_log({});
    // Once somebody looks, nobody else does.
    server_->look_at_device();
    RTE_ETH_FOREACH_DEV(port_id) { ASSERT_EQ(rte_eth_dev_set_link_down(port_id), 0); }
    EXPECT_EQ(counter(*server_, "link_up"), 1u);
    server_->look_at_device();
    EXPECT_EQ(counter(*server_, "link_up"), 0u);
    EXPECT_EQ(counter(*server_, "link_downs"), 2u);
    RTE_ETH_FOREACH_DEV(port_id) { ASSERT_EQ(rte_eth_dev_set_link_up(port_id), 0); }
    EXPECT_FALSE(interface_is_up("no-such-if"));
    EXPECT_FALSE(interface_is_up("a-name-that-no-interface-can-have"));
}

TEST_F(DpdkRing, what_the_driver_counts_is_told) {
    const Path path = path_to_server();
    ASSERT_TRUE(send(*client_, path, "x"));
    client_->flush();
    drain();
    EXPECT_EQ(counter(*client_, "nic_tx_good_packets"), counter(*client_, "tx_packets"));
    EXPECT_EQ(counter(*server_, "nic_rx_good_packets"), counter(*server_, "rx_packets"));
}

// All in one burst: each is counted, and the first is told.
TEST_F(DpdkRing, a_router_that_takes_no_packet_so_long_is_counted_and_told_now_and_then) {
    const Path to_server = path_to_server();
    Station server;
    std::ranges::copy(to_server.remote_mac, server.mac.begin());
    server.ip = ipv4_of(to_server.remote);
    server.udp_port = to_server.remote.port;
    Path from_server;
    from_server.local = to_server.remote;
    from_server.remote = ipv4_address(0x0a610007, 50'001);
    Frame8 too_long(42 + 1'452);
    build_udp_headers(too_long, server, from_server);
    const Frame8 said = make_too_big(too_long, 1'400, {.to = server.mac, .destination = server.ip});
    std::vector<std::string> lines;
    set_port_log([&](std::string_view line) { lines.emplace_back(line); });
    for (int i = 0; i < 3; ++i) inject(said);
    drain();
    set_port_log({});
    EXPECT_EQ(counter(*server_, "icmp_too_big"), 3u);
    EXPECT_EQ(lines, std::vector<std::string>{"a router on the way to 10.97.0.7:50001 takes packets of 1400 bytes: "
                                              "payload_bytes_max must be 1372 at most, here and at the shim"});
}

TEST_F(DpdkRing, an_idle_port_sleeps_and_traffic_ends_that) {
    const Path path = path_to_server();
    while (counter(*server_, "idle_naps") == 0) server_->wait(1000);
    ASSERT_TRUE(send(*client_, path, "x"));
    client_->flush();
    drain();
    const std::uint64_t naps = counter(*server_, "idle_naps");
    for (std::uint32_t i = 0; i < IdleLimits{}.spin_polls; ++i) server_->wait(1000);
    EXPECT_EQ(counter(*server_, "idle_naps"), naps) << "spins for a while after traffic";
}

TEST(DpdkEal, leaves_the_affinity_of_its_caller_alone) {
    // Another test may have started EAL already, from this same thread.
    std::string error;
    ASSERT_TRUE(start_eal(portable_eal_arguments(), error)) << error;
    cpu_set_t now;
    CPU_ZERO(&now);
    ASSERT_EQ(sched_getaffinity(0, sizeof now, &now), 0);
    EXPECT_TRUE(CPU_EQUAL(&now, &affinity_at_start));
}

TEST(DpdkEal, buffers_lie_anywhere_where_the_numa_domain_has_no_memory) {
    constexpr int kNowhere = 99;
    std::string error;
    ASSERT_TRUE(start_eal(portable_eal_arguments(), error)) << error;
    std::vector<std::string> lines;
    set_port_log([&](std::string_view line) { lines.emplace_back(line); });
    const std::shared_ptr<rte_mempool> pool = make_buffer_pool(kFewBuffers, kEthernetMtu, error, kNowhere);
    set_port_log({});
    EXPECT_TRUE(pool != nullptr) << error;
    EXPECT_EQ(std::ranges::count_if(
                  lines, [](const std::string& line) { return line.find("NUMA domain 99") != std::string::npos; }),
              1);
}

TEST(DpdkEal, packets_cannot_be_captured_where_nobody_can_share_the_memory) {
    DpdkPortOptions options;
    options.eal_arguments = portable_eal_arguments();
    options.address = "10.99.0.2";
    options.capture = true;
    std::string error;
    EXPECT_EQ(open_dpdk_port(options, true, error), nullptr);
    EXPECT_EQ(error, "packets can be captured only if DPDK uses hugepages: leave out --no-huge, or capture");
}

TEST(DpdkEal, a_device_that_is_not_there_is_named_in_the_error) {
    DpdkPortOptions options;
    options.eal_arguments = portable_eal_arguments();
    options.device = "net_nowhere0";
    options.address = "10.99.0.2";
    std::string error;
    EXPECT_EQ(open_dpdk_port(options, true, error), nullptr);
    EXPECT_NE(error.find("net_nowhere0"), std::string::npos) << error;
}

TEST(DpdkEal, an_interface_that_is_not_there_is_named_in_the_error) {
    DpdkPortOptions options;
    options.eal_arguments = portable_eal_arguments();
    options.eal_arguments.push_back("--vdev=net_af_packet7,iface=nowhere7");
    options.address = "10.99.0.2";
    std::string error;
    EXPECT_EQ(open_dpdk_port(options, true, error), nullptr);
    EXPECT_NE(error.find("nowhere7"), std::string::npos) << error;
}

TEST(DpdkEal, an_address_that_is_none_is_refused_before_anything_starts) {
    for (const char* address : {"", "10.99.0", "224.0.0.1", "127.0.0.1", "host.example"}) {
        DpdkPortOptions options;
        options.address = address;
        std::string error;
        EXPECT_EQ(open_dpdk_port(options, true, error), nullptr);
        EXPECT_NE(error.find("address"), std::string::npos) << error;
    }
}

}  // namespace
}  // namespace bayplan::dataplane::test
