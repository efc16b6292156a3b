// See packet_sockets.h.
#include "port/packet_sockets.h"

#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <net/if.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <cerrno>
#include <charconv>
#include <filesystem>

namespace bayplan::dataplane {
namespace {

bool is_on_interface(int fd, int index) {
    int domain = 0;
    socklen_t size = sizeof domain;
    if (getsockopt(fd, SOL_SOCKET, SO_DOMAIN, &domain, &size) != 0 || domain != AF_PACKET) return false;
    sockaddr_ll bound{};
    size = sizeof bound;
    return getsockname(fd, reinterpret_cast<sockaddr*>(&bound), &size) == 0 && bound.sll_ifindex == index;
}

// Without bytes of its own: what waits in the ring, to where the socket is bound or to `to`.
bool kick(int fd, const sockaddr_ll* to) {
    const socklen_t size = to == nullptr ? 0 : sizeof *to;
    return sendto(fd, nullptr, 0, MSG_DONTWAIT, reinterpret_cast<const sockaddr*>(to), size) >= 0;
}

}  // namespace

PacketSockets::PacketSockets(const std::string& interface) {
    const auto index = static_cast<int>(if_nametoindex(interface.c_str()));
    std::error_code ignored;
    if (index == 0) return;
    for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd", ignored)) {
        const std::string name = entry.path().filename();
        int fd = -1;
        std::from_chars(name.data(), name.data() + name.size(), fd);
        if (fd >= 0 && is_on_interface(fd, index)) sockets_.push_back(fd);
    }
}

bool PacketSockets::refused() const {
    bool any = false;
    for (const int fd : sockets_) any = (!kick(fd, nullptr) && errno == ENOBUFS) || any;
    return any;
}

bool PacketSockets::discard() const {
    sockaddr_ll nowhere{};
    nowhere.sll_family = AF_PACKET;
    nowhere.sll_protocol = htons(ETH_P_ALL);
    nowhere.sll_ifindex = static_cast<int>(if_nametoindex("lo"));
    bool all = nowhere.sll_ifindex != 0;
    for (const int fd : sockets_) all = kick(fd, &nowhere) && all;
    return all;
}

}  // namespace bayplan::dataplane
