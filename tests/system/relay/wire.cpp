// See wire.h. The socket speaks with virtio_net_hdr, which says where a sender behind a veth has left its
// checksum to the device: completed here, since no device follows.
#include "wire.h"

#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <net/if.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <system_error>

namespace bayplan::relay {
namespace {

// struct virtio_net_hdr of <linux/virtio_net.h>, which is no C++.
struct OffloadHeader {
    std::uint8_t flags;
    std::uint8_t gso_type;
    std::uint16_t hdr_len;
    std::uint16_t gso_size;
    std::uint16_t csum_start;
    std::uint16_t csum_offset;
};
constexpr std::uint8_t kNeedsChecksum = 1;
constexpr std::size_t kHeaderBytes = sizeof(OffloadHeader);
static_assert(kHeaderBytes == 10);

void check(int result, const std::string& what) {
    if (result < 0) throw std::system_error(errno, std::generic_category(), what);
}

void set(int socket, int name, int value, const char* what) {
    check(setsockopt(socket, SOL_PACKET, name, &value, sizeof value), what);
}

// The sum over the rest of the frame, begun by the sender with the pseudo header.
void complete_checksum(std::span<std::uint8_t> frame, std::size_t start, std::size_t offset) {
    if (start + offset + 2 > frame.size()) return;
    std::uint64_t sum = 0;
    for (std::size_t i = start; i < frame.size(); ++i) {
        sum += (i - start) % 2 == 0 ? std::uint64_t{frame[i]} << 8 : frame[i];
    }
    while (sum > 0xffff) sum = (sum & 0xffff) + (sum >> 16);
    std::uint16_t checksum = static_cast<std::uint16_t>(~sum);
    if (checksum == 0) checksum = 0xffff;  // 0 would say "none" in UDP
    frame[start + offset] = static_cast<std::uint8_t>(checksum >> 8);
    frame[start + offset + 1] = static_cast<std::uint8_t>(checksum);
}

}  // namespace

Wire::Wire(const std::string& interface_name) : room_(kHeaderBytes + 65536) {
    // Protocol 0: nothing is received before bind, which names the interface.
    socket_ = socket(AF_PACKET, SOCK_RAW | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    check(socket_, "socket(AF_PACKET)");
    set(socket_, PACKET_VNET_HDR, 1, "PACKET_VNET_HDR");
    set(socket_, PACKET_IGNORE_OUTGOING, 1, "PACKET_IGNORE_OUTGOING");
    const int buffer_bytes = 8 << 20;
    setsockopt(socket_, SOL_SOCKET, SO_RCVBUF, &buffer_bytes, sizeof buffer_bytes);
    sockaddr_ll address{};
    address.sll_family = AF_PACKET;
    address.sll_protocol = htons(ETH_P_ALL);
    address.sll_ifindex = static_cast<int>(if_nametoindex(interface_name.c_str()));
    check(address.sll_ifindex == 0 ? -1 : 0, "interface " + interface_name);
    check(bind(socket_, reinterpret_cast<sockaddr*>(&address), sizeof address), "bind to " + interface_name);
}

Wire::~Wire() { close(socket_); }

std::optional<Bytes> Wire::receive() {
    const ssize_t size = recv(socket_, room_.data(), room_.size(), 0);
    if (size < static_cast<ssize_t>(kHeaderBytes)) return std::nullopt;
    OffloadHeader header{};
    std::memcpy(&header, room_.data(), kHeaderBytes);
    Bytes frame(room_.begin() + kHeaderBytes, room_.begin() + size);
    if (header.gso_type != 0) {
        ++uncut_runs_;
        frame.clear();  // an empty frame is carried nowhere
        return frame;
    }
    if ((header.flags & kNeedsChecksum) != 0) {
        complete_checksum(frame, header.csum_start, header.csum_offset);
    }
    return frame;
}

void Wire::send(std::span<const std::uint8_t> frame) {
    OffloadHeader header{};
    const iovec parts[] = {
        {&header, kHeaderBytes},
        {const_cast<std::uint8_t*>(frame.data()), frame.size()},
    };
    if (writev(socket_, parts, 2) < 0) ++send_errors_;
}

}  // namespace bayplan::relay
