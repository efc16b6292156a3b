// A port's link options, checked and in binary: own addresses, VLAN, and which peers are reached through a router. No
// routing table: one prefix and one gateway per IP version.
//
// Thread: any; plain values and pure functions. Errors: as text.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "net/l2l3.h"

namespace bayplan::dataplane {

// An address of either version as in UdpAddress: IPv4 mapped, ::ffff:a.b.c.d.
using IpBytes = std::array<std::uint8_t, 16>;

struct Link {
    // Of one IP version. `bits` counts in the mapped form: 96 + the prefix length for IPv4.
    struct Route {
        IpBytes own{};      // all zero: the port has no address of this version
        IpBytes gateway{};  // all zero: none, peers off the link cannot be reached
        unsigned bits = 0;  // 0: every peer is on the link
    };
    Station station;
    Route ipv4;
    Route ipv6;
};

// Without the Ethernet address, which is the device's. False with the reason in `error`.
bool read_link(const DpdkPortOptions&, Link& out, std::string& error);

// The address to send to on the link so that `remote` is reached; nothing when there is no way, or it is our own
// address.
std::optional<IpBytes> next_hop(const Link&, const UdpAddress& remote);

IpBytes ip_bytes(const UdpAddress&);
IpBytes ip_bytes(Ipv4Address);

}  // namespace bayplan::dataplane
