// The UDP socket below a kernel port: its address in either family, its options, its binding.
//
// Thread: the thread that opens the port; the address forms: any. Errors: false and a text.
#pragma once

#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdint>
#include <string>

#include "net/packet_port.h"

namespace bayplan::dataplane {

// A socket address of either family. A socket of AF_INET6 sees IPv4 peers as mapped addresses, which is how a
// UdpAddress writes them.
union SocketAddress {
    sockaddr base;
    sockaddr_in ipv4;
    sockaddr_in6 ipv6;
};

socklen_t address_size(bool ipv6);
SocketAddress socket_address(const UdpAddress&, bool ipv6);
UdpAddress udp_address(const SocketAddress&, bool ipv6);
bool is_any(const UdpAddress&);  // 0.0.0.0 or ::

struct Descriptor {
    int fd = -1;
    Descriptor() = default;
    explicit Descriptor(int value) : fd(value) {}
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;
    ~Descriptor() {
        if (fd >= 0) close(fd);
    }
};

struct Binding {
    UdpAddress address;
    bool ipv6 = false;  // the family of the socket
    bool server = false;
    bool shared = false;  // by the sockets of several lcores
    std::uint16_t payload_bytes_max = 0;
};

// Bound, with all options set; `local` is the address with the port that it got.
bool bind_socket(const Binding&, Descriptor& udp, UdpAddress& local, std::string& error);

}  // namespace bayplan::dataplane
