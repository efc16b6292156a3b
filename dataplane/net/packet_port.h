// UDP datagrams in and out, over a kernel socket or over an ethdev with our own L2/L3. The QUIC
// engine is written against this and nothing below it.
//
// Thread: the data plane's own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "dataplane/data_plane.h"

namespace bayplan::dataplane {

// An IP address in network order and a UDP port in host order.
struct UdpAddress {
    std::uint8_t ip[16] = {};  // IPv4: mapped, ::ffff:a.b.c.d
    std::uint16_t port = 0;
    bool operator==(const UdpAddress&) const = default;
};

// Addresses of a datagram, and of a reply below IP (the Ethernet address; ignored by kernel ports).
struct Path {
    UdpAddress local;
    UdpAddress remote;
    std::uint8_t remote_mac[6] = {};
};

class DatagramSink {
public:
    virtual ~DatagramSink() = default;
    virtual void on_datagram(const Path&, std::span<const std::uint8_t> payload) = 0;
};

class PacketPort {
public:
    virtual ~PacketPort() = default;
    // Receives up to one burst and hands each datagram to the sink. Buffers are returned to their
    // pool before this returns. Returns the number of packets taken off the port, of any kind.
    virtual std::size_t receive(DatagramSink&) = 0;
    // Room for one UDP payload, written in place (in the mbuf). Empty: no buffer now, counted.
    virtual std::span<std::uint8_t> begin_send() = 0;
    // Sends the first `size` bytes of what begin_send gave; 0 gives the buffer back.
    virtual void commit_send(const Path&, std::size_t size) = 0;
    // Puts what was committed on the wire. Bounded: what the device does not take is dropped and
    // counted (QUIC sends it again).
    virtual void flush() = 0;
    // Sleeps until something may have arrived, at most this long; returns early on wake().
    virtual void wait(std::int64_t timeout_ns) = 0;
    virtual void wake() = 0;  // any thread
    // Resolves a destination for a client's first packet (ARP or neighbour discovery on ethdev ports,
    // of the peer or of the gateway; may take turns).
    virtual bool resolve(const UdpAddress&, Path&) = 0;
    virtual UdpAddress local() const = 0;
    virtual std::string name() const = 0;
    // See DataPlane::look_at_device().
    virtual void look_at_device() {}
    // Any thread. Every port reports rx_packets, tx_packets, rx_bytes, tx_bytes (all that crossed
    // the port, of any kind; bytes as the port sees them) and a drop_* counter for each reason to
    // drop.
    virtual void append_counters(std::vector<Counter>&) const = 0;
};

// The packet ports of one device, one for each lcore to poll.
struct PortSet {
    std::vector<std::unique_ptr<PacketPort>> ports;
    bool one_receives = false;  // the first has all the packets: the device has but one queue
};

// The ethdev port. Defined by the DPDK library; programs without it link without_dpdk.cpp, where it
// fails with a clear text. Null and `error` on failure.
std::unique_ptr<PacketPort> open_dpdk_port(const DpdkPortOptions&, bool server, std::string& error);
// For packets of so many bytes of payload: a device whose MTU is smaller is told a larger one. Empty and `error` on failure.
PortSet open_dpdk_ports(const DpdkPortOptions&, std::size_t lcores, bool server, std::uint16_t payload_bytes_max,
                        std::string& error);

}  // namespace bayplan::dataplane
