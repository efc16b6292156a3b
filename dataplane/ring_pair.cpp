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

#include "dpdk_port.h"
#include "eal.h"
#include "event_loop.h"
#include "udp_address.h"

namespace bayplan::dataplane {
namespace {

// A receive window of 4 MiB is 2,900 packets: flow control stops a sender before the ring is full.
constexpr unsigned kRingSlots = 4096;
constexpr std::uint32_t kBuffers = 16383;  // both rings full, and bursts and caches

struct Wire {
    std::shared_ptr<rte_mempool> pool;
    rte_ring* to_server = nullptr;
    rte_ring* to_client = nullptr;

    ~Wire() {
        for (rte_ring* ring : {to_server, to_client}) {
            if (ring == nullptr) continue;
            void* left = nullptr;
            while (rte_ring_dequeue(ring, &left) == 0) {
                rte_pktmbuf_free(static_cast<rte_mbuf*>(left));
            }
            rte_ring_free(ring);
        }
    }
};

rte_ring* make_ring(const std::string& name) {
    return rte_ring_create(name.c_str(), kRingSlots, SOCKET_ID_ANY, RING_F_SP_ENQ | RING_F_SC_DEQ);
}

std::unique_ptr<PacketPort> open_end(const std::shared_ptr<Wire>& wire, const std::string& name,
                                     rte_ring* rx, rte_ring* tx, const UdpAddress& own,
                                     std::string& error) {
    const int port_id = rte_eth_from_rings(name.c_str(), &rx, 1, &tx, 1, 0);
    if (port_id < 0) {
        error = "cannot make a ring device: " + std::string(rte_strerror(rte_errno));
        return nullptr;
    }
    // The driver puts its own name before the one it is given.
    std::unique_ptr<EthDevice> device = EthDevice::open("net_ring_" + name, wire->pool, error);
    if (device == nullptr) return nullptr;
    Station station;
    station.ip = ipv4_of(own);
    station.udp_port = own.port;
    return std::make_unique<DpdkPort>(std::move(device), station, wire);
}

}  // namespace

bool open_ring_ports(const RingPortOptions& options, std::unique_ptr<PacketPort>& server,
                     std::unique_ptr<PacketPort>& client, std::string& error) {
    const bool given = !options.eal_arguments.empty();
    if (!start_eal(given ? options.eal_arguments : portable_eal_arguments(), error)) return false;
    static std::atomic<unsigned> number{0};  // names are unique within the process
    const std::string name = "bayplan" + std::to_string(number.fetch_add(1));
    auto wire = std::make_shared<Wire>();
    wire->pool = make_buffer_pool(kBuffers, error);
    if (wire->pool == nullptr) return false;
    wire->to_server = make_ring(name + "_to_server");
    wire->to_client = make_ring(name + "_to_client");
    if (wire->to_server == nullptr || wire->to_client == nullptr) {
        error = "cannot make a ring: " + std::string(rte_strerror(rte_errno));
        return false;
    }
    UdpAddress server_address;
    UdpAddress client_address;
    parse_ipv4(kRingServerAddress, options.server_udp_port, server_address);
    parse_ipv4(kRingClientAddress, options.client_udp_port, client_address);
    server =
        open_end(wire, name + "_server", wire->to_server, wire->to_client, server_address, error);
    if (server == nullptr) return false;
    client =
        open_end(wire, name + "_client", wire->to_client, wire->to_server, client_address, error);
    if (client == nullptr) server.reset();
    return client != nullptr;
}

RingPair open_ring_pair(const DataPlaneOptions& server, FrameHandler& server_handler,
                        const DataPlaneOptions& client, FrameHandler& client_handler,
                        std::string& error) {
    RingPortOptions options;
    options.eal_arguments = server.dpdk.eal_arguments;
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
