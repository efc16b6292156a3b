// See ring_pair.h, and open_ring_pair() of data_plane.h.
//
// Thread: the caller's, at start. The rings and the pool live until both ports are gone.
#include "ring_pair.h"

#include <rte_errno.h>
#include <rte_eth_ring.h>
#include <rte_mbuf.h>
#include <rte_mempool.h>
#include <rte_ring.h>

#include <atomic>
#include <vector>

#include "event_loop.h"
#include "net/udp_address.h"
#include "port/dpdk_port.h"
#include "port/eal.h"

namespace bayplan::dataplane {
namespace {

// A receive window of 4 MiB is 2,900 packets: flow control stops a sender before the ring is full.
constexpr unsigned kRingSlots = 4096;
constexpr std::uint32_t kBuffersPerQueue = 16383;  // both rings full, and bursts and caches

struct Wire {
    std::shared_ptr<rte_mempool> pool;
    std::uint16_t mtu = kEthernetMtu;
    std::vector<rte_ring*> to_server;  // one per queue
    std::vector<rte_ring*> to_client;

    ~Wire() {
        for (const auto& rings : {to_server, to_client}) {
            for (rte_ring* ring : rings) {
                void* left = nullptr;
                while (rte_ring_dequeue(ring, &left) == 0) {
                    rte_pktmbuf_free(static_cast<rte_mbuf*>(left));
                }
                rte_ring_free(ring);
            }
        }
    }
};

bool make_rings(const std::string& name, std::size_t count, std::vector<rte_ring*>& rings, std::string& error) {
    for (std::size_t i = 0; i < count; ++i) {
        const std::string own = name + std::to_string(i);
        rte_ring* ring = rte_ring_create(own.c_str(), kRingSlots, SOCKET_ID_ANY, RING_F_SP_ENQ | RING_F_SC_DEQ);
        if (ring == nullptr) {
            error = "cannot make a ring: " + std::string(rte_strerror(rte_errno));
            return false;
        }
        rings.push_back(ring);
    }
    return true;
}

bool open_end(const std::shared_ptr<Wire>& wire, const std::string& name, std::vector<rte_ring*>& rx,
              std::vector<rte_ring*>& tx, const UdpAddress& own, PortSet& set, std::string& error) {
    const auto queues = static_cast<unsigned>(rx.size());
    const int port_id = rte_eth_from_rings(name.c_str(), rx.data(), queues, tx.data(), queues, 0);
    if (port_id < 0) {
        error = "cannot make a ring device: " + std::string(rte_strerror(rte_errno));
        return false;
    }
    // The driver puts its own name before the one it is given.
    const std::shared_ptr<EthDevice> device = EthDevice::open("net_ring_" + name, wire->pool, queues, wire->mtu, error);
    if (device == nullptr) return false;
    Link link;
    link.station.ip = ipv4_of(own);
    link.station.udp_port = own.port;
    link.ipv4.own = ip_bytes(own);
    for (std::size_t i = 0; i < queues; ++i) set.ports.push_back(std::make_unique<DpdkPort>(device, i, link, wire));
    return true;
}

}  // namespace

bool open_ring_port_sets(const RingPortOptions& options, PortSet& server, PortSet& client, std::string& error) {
    const bool given = !options.eal_arguments.empty();
    if (!start_eal(given ? options.eal_arguments : portable_eal_arguments(), error)) return false;
    static std::atomic<unsigned> number{0};  // names are unique within the process
    const std::string name = "bayplan" + std::to_string(number.fetch_add(1));
    auto wire = std::make_shared<Wire>();
    wire->mtu = options.mtu;
    wire->pool =
        make_buffer_pool(static_cast<std::uint32_t>((kBuffersPerQueue + 1) * options.queues - 1), wire->mtu, error);
    if (wire->pool == nullptr || !make_rings(name + "_to_server", options.queues, wire->to_server, error) ||
        !make_rings(name + "_to_client", options.queues, wire->to_client, error)) {
        return false;
    }
    UdpAddress server_address;
    UdpAddress client_address;
    parse_ipv4(kRingServerAddress, options.server_udp_port, server_address);
    parse_ipv4(kRingClientAddress, options.client_udp_port, client_address);
    if (open_end(wire, name + "_server", wire->to_server, wire->to_client, server_address, server, error) &&
        open_end(wire, name + "_client", wire->to_client, wire->to_server, client_address, client, error)) {
        return true;
    }
    server = {};
    client = {};
    return false;
}

bool open_ring_ports(const RingPortOptions& options, std::unique_ptr<PacketPort>& server,
                     std::unique_ptr<PacketPort>& client, std::string& error) {
    PortSet servers;
    PortSet clients;
    if (!open_ring_port_sets(options, servers, clients, error)) return false;
    server = std::move(servers.ports.front());
    client = std::move(clients.ports.front());
    return true;
}

RingPair open_ring_pair(const DataPlaneOptions& server, FrameHandler& server_handler, const DataPlaneOptions& client,
                        FrameHandler& client_handler, std::string& error) {
    RingPortOptions options;
    options.eal_arguments = server.dpdk.eal_arguments;
    const std::uint16_t payload_bytes =
        std::max(server.transport.payload_bytes_max, client.transport.payload_bytes_max);
    options.mtu = std::max<std::uint16_t>(options.mtu, payload_bytes + kIpv4UdpBytes);
    if (server.dpdk.udp_port != 0) options.server_udp_port = server.dpdk.udp_port;
    std::unique_ptr<PacketPort> server_port;
    std::unique_ptr<PacketPort> client_port;
    if (!open_ring_ports(options, server_port, client_port, error)) return {};
    RingPair pair;
    pair.server = make_data_plane(server, server_handler, std::move(server_port), error);
    if (pair.server == nullptr) return {};
    pair.client = make_data_plane(client, client_handler, std::move(client_port), error);
    if (pair.client == nullptr) return {};
    return pair;
}

}  // namespace bayplan::dataplane
