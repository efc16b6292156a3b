// Text and sockaddr forms of UdpAddress.
//
// Thread: any. Errors: false.
#pragma once

#include <netinet/in.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "net/packet_port.h"

namespace bayplan::dataplane {

UdpAddress ipv4_address(std::uint32_t address_host_order, std::uint16_t port);
// The IPv4 address in host byte order; 0 when it is not a mapped IPv4 address.
std::uint32_t ipv4_of(const UdpAddress&);

// "10.0.0.1" only; no names.
bool parse_ipv4(std::string_view text, std::uint16_t port, UdpAddress& out);
// "10.0.0.1" or "fd99::1".
bool parse_ip(std::string_view text, std::uint16_t port, UdpAddress& out);
// Also names, through the resolver (blocks: clients only, before their loop is busy).
bool resolve_name(std::string_view text, std::uint16_t port, UdpAddress& out);

std::string to_text(const UdpAddress&);  // "10.0.0.1:4433", "[fd99::1]:4433"

sockaddr_in to_sockaddr(const UdpAddress&);    // of IPv4 ones
sockaddr_in6 to_sockaddr6(const UdpAddress&);  // of either, IPv4 mapped
UdpAddress from_sockaddr(const sockaddr_in&);
UdpAddress from_sockaddr(const sockaddr_in6&);

}  // namespace bayplan::dataplane
