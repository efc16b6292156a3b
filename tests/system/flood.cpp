// flood ADDRESS PORT [--again]: sends the packets of tests/dataplane/flood.h from addresses that nobody has, IPv4, in about
// a second: faster, and most would be lost in the kernel's ring before the daemon. Says "ready" when they are made,
// sends on a line on stdin, and says how many it has sent. With --again once more for each further line.
//
// Thread: one. Errors: exit code 1 with the reason.
#include <arpa/inet.h>
#include <netinet/ip.h>
#include <netinet/udp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <vector>

#include "flood.h"
#include "net/udp_address.h"

namespace {

using namespace bayplan::dataplane;

std::vector<std::uint8_t> ip_packet(const UdpAddress& from, const UdpAddress& to,
                                    const std::vector<std::uint8_t>& payload) {
    iphdr ip{};
    udphdr udp{};
    ip.version = 4;
    ip.ihl = sizeof ip / 4;
    ip.ttl = 64;
    ip.protocol = IPPROTO_UDP;
    ip.saddr = htonl(ipv4_of(from));
    ip.daddr = htonl(ipv4_of(to));  // length and checksum are the kernel's to fill in
    udp.source = htons(from.port);
    udp.dest = htons(to.port);
    udp.len = htons(static_cast<std::uint16_t>(sizeof udp + payload.size()));
    std::vector<std::uint8_t> out(sizeof ip + sizeof udp + payload.size());
    std::memcpy(out.data(), &ip, sizeof ip);
    std::memcpy(out.data() + sizeof ip, &udp, sizeof udp);
    if (!payload.empty()) std::memcpy(out.data() + sizeof ip + sizeof udp, payload.data(), payload.size());
    return out;
}

std::size_t send_all(int raw, const UdpAddress& server, testing::Flood& flood) {
    const sockaddr_in to = to_sockaddr(server);
    constexpr std::size_t kPerMillisecond = 15;
    std::size_t sent = 0;
    std::size_t tried = 0;
    for (const auto& payload : flood.packets()) {
        const auto packet = ip_packet(flood.nobody(), server, payload);
        const auto size =
            sendto(raw, packet.data(), packet.size(), 0, reinterpret_cast<const sockaddr*>(&to), sizeof to);
        if (size == static_cast<ssize_t>(packet.size())) ++sent;
        if (++tried % kPerMillisecond == 0) usleep(1'000);
    }
    return sent;
}

bool read_line() {
    int letter = 0;
    while ((letter = std::getchar()) != EOF) {
        if (letter == '\n') return true;
    }
    return false;
}

}  // namespace

int main(int argc, char** argv) {
    UdpAddress server;
    const bool again = argc == 4 && std::string_view(argv[3]) == "--again";
    if ((argc != 3 && !again) || !parse_ipv4(argv[1], static_cast<std::uint16_t>(std::atoi(argv[2])), server)) {
        std::fprintf(stderr, "usage: flood ADDRESS PORT [--again]\n");
        return 1;
    }
    const int raw = socket(AF_INET, SOCK_RAW, IPPROTO_RAW);
    if (raw < 0) {
        std::fprintf(stderr, "flood: no raw socket: %s\n", std::strerror(errno));
        return 1;
    }
    testing::Flood flood(7);
    std::puts("ready");
    std::fflush(stdout);
    bool sent = false;
    while (read_line()) {
        std::printf("sent %zu\n", send_all(raw, server, flood));
        std::fflush(stdout);
        sent = true;
        if (!again) break;
    }
    return sent ? 0 : 1;
}
