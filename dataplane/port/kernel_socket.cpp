// See kernel_socket.h.
#include "port/kernel_socket.h"

#include <netinet/udp.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "net/udp_address.h"

namespace bayplan::dataplane {

namespace {

// The default holds fewer packets than one congestion window.
constexpr int kSocketBufferBytes = 8 << 20;

// Packets of QUIC are never fragmented (RFC 9000 section 14). The kernel's knowledge of the path, which anybody could have
// given it, does not count either: QUIC finds out by itself (packet_size.h). Absent on old kernels.
void never_fragment(int fd, bool ipv6) {
    const int whole = IP_PMTUDISC_PROBE;
    const int whole6 = IPV6_PMTUDISC_PROBE;
    setsockopt(fd, IPPROTO_IP, IP_MTU_DISCOVER, &whole, sizeof whole);
    if (ipv6) setsockopt(fd, IPPROTO_IPV6, IPV6_MTU_DISCOVER, &whole6, sizeof whole6);
}

void enlarge_buffers(int fd) {
    // FORCE needs CAP_NET_ADMIN; without it the kernel caps the size, which costs throughput alone.
    const int size = kSocketBufferBytes;
    if (setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &size, sizeof size) != 0) {
        setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &size, sizeof size);
    }
    if (setsockopt(fd, SOL_SOCKET, SO_SNDBUFFORCE, &size, sizeof size) != 0) {
        setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &size, sizeof size);
    }
}

}  // namespace

socklen_t address_size(bool ipv6) { return ipv6 ? sizeof(sockaddr_in6) : sizeof(sockaddr_in); }

SocketAddress socket_address(const UdpAddress& address, bool ipv6) {
    SocketAddress out{};
    if (ipv6) {
        out.ipv6 = to_sockaddr6(address);
    } else {
        out.ipv4 = to_sockaddr(address);
    }
    return out;
}

UdpAddress udp_address(const SocketAddress& address, bool ipv6) {
    return ipv6 ? from_sockaddr(address.ipv6) : from_sockaddr(address.ipv4);
}

bool is_any(const UdpAddress& address) {
    return ipv4_of(address) == INADDR_ANY &&
           std::all_of(address.ip, address.ip + 10, [](std::uint8_t byte) { return byte == 0; }) &&
           std::all_of(address.ip + 12, address.ip + 16, [](std::uint8_t byte) { return byte == 0; });
}

bool bind_socket(const Binding& wanted, Descriptor& udp, UdpAddress& local, std::string& error) {
    const std::string where = to_text(wanted.address);
    const bool ipv6 = wanted.ipv6;
    udp.fd = socket(ipv6 ? AF_INET6 : AF_INET, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (udp.fd < 0) {
        error = "UDP socket for " + where + ": " + std::strerror(errno);
        return false;
    }
    enlarge_buffers(udp.fd);
    never_fragment(udp.fd, ipv6);
    const int on = 1;
    const int off = 0;
    const bool any_address = wanted.server && is_any(wanted.address);
    setsockopt(udp.fd, SOL_SOCKET, SO_RXQ_OVFL, &on, sizeof on);
    // Absent on old kernels: single packets then.
    setsockopt(udp.fd, SOL_UDP, UDP_GRO, &on, sizeof on);
    if (ipv6) setsockopt(udp.fd, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof off);
    if (any_address && ipv6) {
        setsockopt(udp.fd, IPPROTO_IPV6, IPV6_RECVPKTINFO, &on, sizeof on);
    } else if (any_address) {
        setsockopt(udp.fd, IPPROTO_IP, IP_PKTINFO, &on, sizeof on);
    }
    if (wanted.shared) setsockopt(udp.fd, SOL_SOCKET, SO_REUSEPORT, &on, sizeof on);
    SocketAddress bound = socket_address(wanted.address, ipv6);
    socklen_t size = address_size(ipv6);
    if (bind(udp.fd, &bound.base, size) != 0 || getsockname(udp.fd, &bound.base, &size) != 0) {
        error = "UDP " + where + ": " + std::strerror(errno);
        return false;
    }
    local = udp_address(bound, ipv6);
    return true;
}

}  // namespace bayplan::dataplane
