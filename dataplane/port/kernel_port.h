// PacketPort over a kernel UDP socket: shims, and hosts without a NIC to bypass the kernel with.
//
// Bursts by recvmmsg and sendmmsg; sleeps in ppoll on the socket and an eventfd, so that both a
// packet and wake() end the sleep. Buffers are the port's own and fixed at the start.
//
// Thread: the data plane's; wake() and append_counters() from any. Errors: null and a text at
// opening; later a packet that the kernel does not take is dropped and counted, QUIC sends it
// again.
#pragma once

#include <memory>
#include <string>

#include "net/packet_port.h"

namespace bayplan::dataplane {

// `payload_bytes_max`: the largest UDP payload to send.
std::unique_ptr<PacketPort> open_kernel_port(const KernelPortOptions&, bool server, std::uint16_t payload_bytes_max,
                                             std::string& error);

// As many sockets on one address, among which the kernel spreads peers by their address
// (SO_REUSEPORT). Empty and `error` on failure, also when another program holds the address.
PortSet open_kernel_ports(const KernelPortOptions&, std::size_t lcores, bool server, std::uint16_t payload_bytes_max,
                          std::string& error);

}  // namespace bayplan::dataplane
