// A kernel host in namespace B against the DPDK port in namespace A (af_packet_host), over veth:
// ARP, ping, UDP, malformed frames from a raw socket, and counters that account for every frame
// sent. Started by af_packet_test.sh, which makes the namespaces.
#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <linux/if_packet.h>
#include <net/if.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <thread>

#include "l2l3_malformed.h"
#include "net/udp_address.h"

namespace bayplan::dataplane::test {
namespace {

using namespace std::chrono_literals;

template <class Condition>
bool eventually(Condition&& condition) {
    const auto deadline = std::chrono::steady_clock::now() + 30s;
    while (!condition()) {
        if (std::chrono::steady_clock::now() > deadline) return false;
        std::this_thread::sleep_for(1ms);
    }
    return true;
}

class UdpSocket {
public:
    UdpSocket() : fd_(socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0)) {
        const sockaddr_in own = to_sockaddr(ipv4_address(kPeerIp, 0));
        EXPECT_EQ(bind(fd_, reinterpret_cast<const sockaddr*>(&own), sizeof own), 0);
        const int bytes = 4 << 20;
        setsockopt(fd_, SOL_SOCKET, SO_RCVBUF, &bytes, sizeof bytes);
    }
    ~UdpSocket() { close(fd_); }
    UdpSocket(const UdpSocket&) = delete;
    UdpSocket& operator=(const UdpSocket&) = delete;

    void send(std::string_view text) {
        const sockaddr_in host = to_sockaddr(ipv4_address(kOwnIp, kOwnPort));
        const ssize_t sent =
            sendto(fd_, text.data(), text.size(), 0, reinterpret_cast<const sockaddr*>(&host), sizeof host);
        EXPECT_EQ(sent, static_cast<ssize_t>(text.size()));
    }
    // Empty: nothing came in time.
    std::string receive(int timeout_ms = 5'000) {
        pollfd readable{fd_, POLLIN, 0};
        if (poll(&readable, 1, timeout_ms) != 1) return {};
        std::string text(2048, '\0');
        const ssize_t size = recv(fd_, text.data(), text.size(), 0);
        text.resize(size > 0 ? static_cast<std::size_t>(size) : 0);
        return text;
    }
    std::uint16_t port() const {
        sockaddr_in own{};
        socklen_t size = sizeof own;
        getsockname(fd_, reinterpret_cast<sockaddr*>(&own), &size);
        return ntohs(own.sin_port);
    }

private:
    int fd_;
};

class RawSocket {
public:
    RawSocket() : fd_(socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, 0)) {
        EXPECT_GE(fd_, 0) << "needs CAP_NET_RAW";
        to_.sll_family = AF_PACKET;
        to_.sll_ifindex = static_cast<int>(if_nametoindex("vb0"));
        to_.sll_halen = 6;
    }
    ~RawSocket() { close(fd_); }
    RawSocket(const RawSocket&) = delete;
    RawSocket& operator=(const RawSocket&) = delete;

    bool send(const Frame8& frame) {
        return sendto(fd_, frame.data(), frame.size(), 0, reinterpret_cast<const sockaddr*>(&to_), sizeof to_) ==
               static_cast<ssize_t>(frame.size());
    }

private:
    int fd_;
    sockaddr_ll to_{};
};

using Values = std::map<std::string, std::string>;

// Questions that got no answer: lost in a full ring.
std::uint64_t unanswered = 0;

Values ask_for_counters() {
    Values values;
    for (int attempt = 0; attempt < 5; ++attempt) {
        UdpSocket socket;
        socket.send("counters");
        std::istringstream lines(socket.receive());
        for (std::string name, value; lines >> name >> value;) values[name] = value;
        if (!values.empty()) return values;
        ++unanswered;
    }
    ADD_FAILURE() << "no answer from the port";
    return values;
}

std::uint64_t number(const Values& values, const std::string& name) {
    const auto at = values.find(name);
    return at == values.end() ? 0 : std::stoull(at->second);
}

// The packets that this side's veth device handed to the other side.
std::uint64_t sent_by_veth() {
    std::ifstream file("/proc/self/net/dev");
    for (std::string line; std::getline(file, line);) {
        const std::size_t name = line.find("vb0:");
        if (name == std::string::npos) continue;
        std::istringstream columns(line.substr(name + 4));
        std::uint64_t value = 0;
        for (int column = 0; column < 10; ++column) columns >> value;  // the tenth: packets sent
        return value;
    }
    ADD_FAILURE() << "no vb0: run by af_packet_test.sh only";
    return 0;
}

TEST(AfPacket, a_kernel_host_finds_the_port_by_arp_and_pings_it) {
    const Values before = ask_for_counters();
    EXPECT_EQ(before.at("driver"), "af_packet");
    EXPECT_GE(number(before, "arp_replies"), 1u) << "the question itself needed ARP";
    ASSERT_EQ(std::system("ping -n -q -c 3 -i 0.2 -W 10 10.99.0.2"), 0);
    ASSERT_EQ(std::system("ping -n -q -c 2 -i 0.2 -W 10 -s 1472 10.99.0.2"), 0);
    ASSERT_EQ(std::system("ping -n -q -c 2 -i 0.2 -W 10 -s 1 -p 00 10.99.0.2"), 0);
    const Values after = ask_for_counters();
    EXPECT_EQ(number(after, "icmp_replies") - number(before, "icmp_replies"), 7u);
}

TEST(AfPacket, a_ping_larger_than_a_frame_is_dropped_by_name) {
    // The driver's socket has the kernel put fragments together; the whole does not fit into its
    // ring.
    const Values before = ask_for_counters();
    EXPECT_NE(std::system("ping -n -q -c 1 -W 1 -s 3000 10.99.0.2"), 0);
    const Values after = ask_for_counters();
    EXPECT_EQ(number(after, "drop_ip_total_length"), number(before, "drop_ip_total_length") + 1);
    EXPECT_EQ(number(after, "icmp_replies"), number(before, "icmp_replies"));
}

TEST(AfPacket, datagrams_of_every_size_come_back_unchanged) {
    UdpSocket socket;
    std::string text;
    for (std::size_t size = 1; size <= 1472; ++size) {
        text.push_back(static_cast<char>('a' + size % 26));
        socket.send(text);
        ASSERT_EQ(socket.receive(), text);
    }
}

TEST(AfPacket, the_port_as_a_client_finds_a_kernel_host) {
    UdpSocket listener;
    UdpSocket socket;
    socket.send("call " + std::to_string(listener.port()));
    EXPECT_EQ(listener.receive(), "called");
}

TEST(AfPacket, every_malformed_frame_is_counted_under_its_name) {
    RawSocket raw;
    for (const Malformed& one : malformed_frames()) {
        // The kernel keeps these, waiting for their other halves: the port never sees them.
        if (one.reason == DropReason::ip_fragment) continue;
        const std::string name = "drop_" + std::string(to_string(one.reason));
        const std::uint64_t before = number(ask_for_counters(), name);
        if (!raw.send(one.make())) {
            // The kernel refuses to send less than an Ethernet header.
            EXPECT_EQ(one.reason, DropReason::frame_short) << one.what;
            continue;
        }
        EXPECT_TRUE(eventually([&] { return number(ask_for_counters(), name) == before + 1; }))
            << name << ": " << one.what;
    }
    UdpSocket socket;
    socket.send("still there");
    EXPECT_EQ(socket.receive(), "still there");
}

// At rest, what the port counts and what it says was lost is what left the other side.
class Account {
public:
    Account() : before_(ask_for_counters()), left_before_(sent_by_veth()) {}

    // `sent` frames to a port that nobody listens on, besides the questions themselves.
    bool is_balanced(std::uint64_t sent) {
        const std::uint64_t unanswered_before = unanswered;
        after_ = ask_for_counters();
        asked_in_vain_ += unanswered - unanswered_before;
        const std::uint64_t known = risen("drop_udp_port") + lost();
        return risen("rx_packets") + lost() == sent_by_veth() - left_before_ && known >= sent &&
               known <= sent + asked_in_vain_;
    }
    std::uint64_t lost() const { return risen("kernel_rx_minus_port_rx"); }

private:
    std::uint64_t risen(const char* name) const { return number(after_, name) - number(before_, name); }
    Values before_;
    Values after_;
    std::uint64_t left_before_;
    std::uint64_t asked_in_vain_ = 0;
};

std::uint64_t flood(std::uint64_t frames) {
    RawSocket raw;
    const Frame8 frame = make_udp("to a port that nobody listens on", {}, 1, 1);
    std::uint64_t sent = 0;
    for (std::uint64_t i = 0; i < frames; ++i) sent += raw.send(frame) ? 1 : 0;
    return sent;
}

TEST(AfPacket, every_frame_of_a_flood_is_received_or_known_to_be_lost) {
    Account account;
    const std::uint64_t sent = flood(50'000);
    ASSERT_GT(sent, 0u);
    EXPECT_TRUE(eventually([&] { return account.is_balanced(sent); }));
}

TEST(AfPacket, what_a_port_that_stands_still_loses_is_counted) {
    const char* pid = std::getenv("AF_PACKET_HOST_PID");
    ASSERT_NE(pid, nullptr) << "run by af_packet_test.sh only";
    Account account;
    ASSERT_EQ(kill(std::atoi(pid), SIGSTOP), 0);
    const std::uint64_t sent = flood(5'000);
    ASSERT_EQ(kill(std::atoi(pid), SIGCONT), 0);
    EXPECT_TRUE(eventually([&] { return account.is_balanced(sent); }));
    EXPECT_GT(account.lost(), 0u) << "the driver's ring holds 512 frames";
}

TEST(AfPacket, no_buffer_is_kept_after_all_that) {
    EXPECT_TRUE(eventually([] { return number(ask_for_counters(), "mbufs_in_use") <= 1; }))
        << "the question itself holds one";
}

}  // namespace
}  // namespace bayplan::dataplane::test
