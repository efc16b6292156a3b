// See udp_address.h.
#include "net/udp_address.h"

#include <arpa/inet.h>
#include <netdb.h>

#include <cstring>

namespace bayplan::dataplane {

namespace {
constexpr std::uint8_t kMapped[12] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};
}

UdpAddress ipv4_address(std::uint32_t address_host_order, std::uint16_t port) {
    UdpAddress out;
    std::memcpy(out.ip, kMapped, sizeof kMapped);
    const std::uint32_t wire = htonl(address_host_order);
    std::memcpy(out.ip + sizeof kMapped, &wire, sizeof wire);
    out.port = port;
    return out;
}

std::uint32_t ipv4_of(const UdpAddress& address) {
    if (std::memcmp(address.ip, kMapped, sizeof kMapped) != 0) return 0;
    std::uint32_t wire = 0;
    std::memcpy(&wire, address.ip + sizeof kMapped, sizeof wire);
    return ntohl(wire);
}

bool parse_ipv4(std::string_view text, std::uint16_t port, UdpAddress& out) {
    in_addr parsed{};
    if (inet_pton(AF_INET, std::string(text).c_str(), &parsed) != 1) return false;
    out = ipv4_address(ntohl(parsed.s_addr), port);
    return true;
}

bool parse_ip(std::string_view text, std::uint16_t port, UdpAddress& out) {
    if (parse_ipv4(text, port, out)) return true;
    in6_addr parsed{};
    if (inet_pton(AF_INET6, std::string(text).c_str(), &parsed) != 1) return false;
    std::memcpy(out.ip, &parsed, sizeof out.ip);
    out.port = port;
    return true;
}

// IPv4 first, where a name has both: what every port of ours can do.
bool resolve_name(std::string_view text, std::uint16_t port, UdpAddress& out) {
    if (parse_ip(text, port, out)) return true;
    for (const int family : {AF_INET, AF_INET6}) {
        addrinfo hints{};
        hints.ai_family = family;
        hints.ai_socktype = SOCK_DGRAM;
        addrinfo* found = nullptr;
        if (getaddrinfo(std::string(text).c_str(), nullptr, &hints, &found) != 0) continue;
        if (found == nullptr) continue;
        if (family == AF_INET) {
            sockaddr_in first{};
            std::memcpy(&first, found->ai_addr, sizeof first);
            out = from_sockaddr(first);
        } else {
            sockaddr_in6 first{};
            std::memcpy(&first, found->ai_addr, sizeof first);
            out = from_sockaddr(first);
        }
        freeaddrinfo(found);
        out.port = port;
        return true;
    }
    return false;
}

std::string to_text(const UdpAddress& address) {
    char text[INET6_ADDRSTRLEN] = {};
    const bool ipv4 = std::memcmp(address.ip, kMapped, sizeof kMapped) == 0;
    if (ipv4) {
        inet_ntop(AF_INET, address.ip + sizeof kMapped, text, sizeof text);
    } else {
        inet_ntop(AF_INET6, address.ip, text, sizeof text);
    }
    // Appended piece by piece: g++ 12 warns falsely about "literal" + std::string.
    std::string out;
    if (!ipv4) out += '[';
    out += text;
    if (!ipv4) out += ']';
    out += ':';
    out += std::to_string(address.port);
    return out;
}

sockaddr_in to_sockaddr(const UdpAddress& address) {
    sockaddr_in out{};
    out.sin_family = AF_INET;
    out.sin_port = htons(address.port);
    out.sin_addr.s_addr = htonl(ipv4_of(address));
    return out;
}

sockaddr_in6 to_sockaddr6(const UdpAddress& address) {
    sockaddr_in6 out{};
    out.sin6_family = AF_INET6;
    out.sin6_port = htons(address.port);
    std::memcpy(&out.sin6_addr, address.ip, sizeof out.sin6_addr);
    return out;
}

UdpAddress from_sockaddr(const sockaddr_in6& address) {
    UdpAddress out;
    std::memcpy(out.ip, &address.sin6_addr, sizeof out.ip);
    out.port = ntohs(address.sin6_port);
    return out;
}

UdpAddress from_sockaddr(const sockaddr_in& address) {
    return ipv4_address(ntohl(address.sin_addr.s_addr), ntohs(address.sin_port));
}

}  // namespace bayplan::dataplane
