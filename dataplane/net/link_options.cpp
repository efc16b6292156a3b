// See link_options.h.
#include "net/link_options.h"

#include <algorithm>
#include <cstring>

#include "net/udp_address.h"

namespace bayplan::dataplane {
namespace {

constexpr unsigned kMappedBits = 96;
constexpr IpBytes kNone{};

bool is_ipv4(const IpBytes& ip) {
    UdpAddress address;
    std::ranges::copy(ip, address.ip);
    return ipv4_of(address) != 0;
}

bool is_usable(const IpBytes& ip) {
    if (!is_ipv4(ip)) return is_usable_host(ip);
    UdpAddress address;
    std::ranges::copy(ip, address.ip);
    return is_usable_host(ipv4_of(address));
}

bool same_prefix(const IpBytes& a, const IpBytes& b, unsigned bits) {
    const unsigned whole = bits / 8;
    if (!std::equal(a.begin(), a.begin() + whole, b.begin())) return false;
    const unsigned rest = bits % 8;
    if (rest == 0) return true;
    const auto mask = static_cast<std::uint8_t>(0xff << (8 - rest));
    return ((a[whole] ^ b[whole]) & mask) == 0;
}

// A host address of the wanted version; an empty text is none.
bool read_address(const std::string& text, bool wants_ipv4, const char* what, IpBytes& out, std::string& error) {
    out = kNone;
    if (text.empty()) return true;
    UdpAddress address;
    if (parse_ip(text, 0, address)) out = ip_bytes(address);
    if (out != kNone && is_ipv4(out) == wants_ipv4 && is_usable(out)) return true;
    error = std::string("the ") + what + " of the DPDK port, \"" + text +
            (wants_ipv4 ? "\", is not the IPv4 address of a host" : "\", is not the IPv6 address of a host");
    return false;
}

bool check_gateway(const Link::Route& route, const char* version, std::string& error) {
    if (route.gateway == kNone) return true;
    if (route.own == kNone) {
        error = std::string("the DPDK port has a gateway for ") + version + " but no address";
    } else if (route.bits == 0) {
        error = std::string("the DPDK port has a gateway for ") + version +
                " but no prefix length, so nobody would be behind it";
    } else if (!same_prefix(route.own, route.gateway, route.bits) || route.own == route.gateway) {
        error = std::string("the gateway of the DPDK port for ") + version + " is not on its link";
    }
    return error.empty();
}

}  // namespace

IpBytes ip_bytes(const UdpAddress& address) {
    IpBytes ip;
    std::memcpy(ip.data(), address.ip, ip.size());
    return ip;
}

IpBytes ip_bytes(Ipv4Address ip) { return ip_bytes(ipv4_address(ip, 0)); }

bool read_link(const DpdkPortOptions& options, Link& out, std::string& error) {
    error.clear();
    out = {};
    if (!read_address(options.address, true, "address", out.ipv4.own, error) ||
        !read_address(options.gateway, true, "gateway", out.ipv4.gateway, error) ||
        !read_address(options.address6, false, "address6", out.ipv6.own, error) ||
        !read_address(options.gateway6, false, "gateway6", out.ipv6.gateway, error)) {
        return false;
    }
    if (out.ipv4.own == kNone && out.ipv6.own == kNone) {
        error = "the DPDK port needs an address of its own";
        return false;
    }
    if (options.prefix_length > 32 || options.prefix_length6 > 128 || options.vlan > 4094) {
        error = "a prefix length of the DPDK port or its VLAN is out of range";
        return false;
    }
    out.ipv4.bits = options.prefix_length == 0 ? 0 : kMappedBits + options.prefix_length;
    out.ipv6.bits = options.prefix_length6;
    if (!check_gateway(out.ipv4, "IPv4", error) || !check_gateway(out.ipv6, "IPv6", error)) {
        return false;
    }
    UdpAddress ipv4;
    std::ranges::copy(out.ipv4.own, ipv4.ip);
    out.station.ip = ipv4_of(ipv4);
    out.station.ip6 = out.ipv6.own;
    out.station.vlan = options.vlan;
    out.station.udp_port = options.udp_port;
    return true;
}

std::optional<IpBytes> next_hop(const Link& link, const UdpAddress& remote) {
    const IpBytes ip = ip_bytes(remote);
    if (!is_usable(ip)) return std::nullopt;
    const Link::Route& route = is_ipv4(ip) ? link.ipv4 : link.ipv6;
    if (route.own == kNone || route.own == ip) return std::nullopt;
    if (same_prefix(route.own, ip, route.bits)) return ip;
    if (route.gateway == kNone) return std::nullopt;
    return route.gateway;
}

}  // namespace bayplan::dataplane
