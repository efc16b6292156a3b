// Two ethdev ports of one process that are each other's wire: a client and a server without
// network, privileges or hugepages, but with the real port code, ARP and mbufs.
//
// Thread: as PacketPort says, each port on its own polling thread (or both on one).
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "net/packet_port.h"

namespace bayplan::dataplane {

inline constexpr const char* kRingServerAddress = "10.98.0.1";
inline constexpr const char* kRingClientAddress = "10.98.0.2";

struct RingPortOptions {
    std::vector<std::string> eal_arguments;  // empty: what any host can do
    std::uint16_t server_udp_port = 4433;
    std::uint16_t client_udp_port = 50000;
    std::size_t queues = 1;     // of each port; what queue i of one sends, queue i of the other gets
    std::uint16_t mtu = 1'500;  // of the wire
};

// A port per queue on either side. False and `error` on failure.
bool open_ring_port_sets(const RingPortOptions& options, PortSet& server, PortSet& client, std::string& error);

// False and `error` on failure. The ports may be destroyed in any order.
bool open_ring_ports(const RingPortOptions& options, std::unique_ptr<PacketPort>& server,
                     std::unique_ptr<PacketPort>& client, std::string& error);

}  // namespace bayplan::dataplane
