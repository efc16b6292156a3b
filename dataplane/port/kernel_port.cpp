// See kernel_port.h.
#include "port/kernel_port.h"

#include <netinet/in.h>
#include <netinet/udp.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstring>

#include "net/udp_address.h"
#include "port/kernel_socket.h"

namespace bayplan::dataplane {

namespace {

// Packets are handed to the kernel, and taken from it, in runs of equal size (UDP_SEGMENT,
// UDP_GRO): the way through the stack costs about 4 us and is then paid once per run.
constexpr std::size_t kSendBurst = 64;
constexpr std::size_t kRunBytesMax = 65'000;
constexpr std::size_t kRunPacketsMax = 64;  // UDP_MAX_SEGMENTS of older kernels
constexpr std::size_t kReceiveBurst = 16;
constexpr std::size_t kReceiveBytes = 65'536;
constexpr std::size_t kReceiveControlBytes =
    CMSG_SPACE(sizeof(in6_pktinfo)) + CMSG_SPACE(sizeof(std::uint32_t)) + CMSG_SPACE(sizeof(int));
constexpr std::size_t kSendControlBytes = CMSG_SPACE(sizeof(in6_pktinfo)) + CMSG_SPACE(sizeof(std::uint16_t));

// One writer (the loop), any reader.
struct Tally {
    std::atomic<std::uint64_t> value{0};
    void add(std::uint64_t n) { value.store(value.load(std::memory_order_relaxed) + n, std::memory_order_relaxed); }
    void set(std::uint64_t n) { value.store(n, std::memory_order_relaxed); }
    std::uint64_t get() const { return value.load(std::memory_order_relaxed); }
};

class KernelPort final : public PacketPort {
public:
    KernelPort(int socket_fd, int event_fd, const UdpAddress& local, bool ipv6, bool reply_from_same_address,
               std::size_t payload_max)
        : socket_(socket_fd),
          event_(event_fd),
          local_(local),
          ipv6_(ipv6),
          with_local_address_(reply_from_same_address),
          send_stride_((payload_max + 63) / 64 * 64),
          payload_max_(payload_max),
          send_bytes_(std::make_unique<std::uint8_t[]>(kSendBurst * send_stride_)),
          receive_bytes_(std::make_unique_for_overwrite<std::uint8_t[]>(kReceiveBurst * kReceiveBytes)) {}

    std::size_t receive(DatagramSink& sink) override;
    std::span<std::uint8_t> begin_send() override {
        if (queued_ == kSendBurst) flush();
        return {send_bytes_.get() + queued_ * send_stride_, payload_max_};
    }
    void commit_send(const Path& path, std::size_t size) override {
        if (size == 0) return;
        out_vectors_[queued_] = {send_bytes_.get() + queued_ * send_stride_, size};
        out_paths_[queued_] = {path.local, path.remote};
        ++queued_;
    }
    void flush() override;
    void wait(std::int64_t timeout_ns) override;
    void wake() override;
    bool resolve(const UdpAddress& remote, Path& path) override {
        path = Path{};
        path.local = local_;
        path.remote = remote;
        return ipv6_ || ipv4_of(remote) != 0;
    }
    UdpAddress local() const override { return local_; }
    std::string name() const override { return "kernel-udp"; }
    void append_counters(std::vector<Counter>& out) const override {
        out.emplace_back("rx_packets", rx_packets_.get());
        out.emplace_back("tx_packets", tx_packets_.get());
        out.emplace_back("rx_bytes", rx_bytes_.get());
        out.emplace_back("tx_bytes", tx_bytes_.get());
        out.emplace_back("drop_rx_socket_full", drop_rx_socket_full_.get());
        out.emplace_back("drop_rx_error", drop_rx_error_.get());
        out.emplace_back("drop_tx_socket_full", drop_tx_socket_full_.get());
        out.emplace_back("drop_tx_error", drop_tx_error_.get());
        out.emplace_back("drop_tx_too_long", drop_tx_too_long_.get());
    }

private:
    struct Ends {
        UdpAddress local;
        UdpAddress remote;
        bool operator==(const Ends&) const = default;
    };

    std::size_t read_control(msghdr& header, UdpAddress& local);
    std::size_t run_from(std::size_t first) const;
    void describe_run(std::size_t message, std::size_t first, std::size_t packets);
    bool send_runs(std::size_t messages, std::size_t& done);

    Descriptor socket_;
    Descriptor event_;
    UdpAddress local_;
    bool ipv6_;                // the family of the socket
    bool with_local_address_;  // bound to any address: answer from the address the packet was sent to
    bool segment_ = true;      // off once the kernel or the device has refused it
    std::size_t send_stride_;
    std::size_t payload_max_;
    std::unique_ptr<std::uint8_t[]> send_bytes_;
    std::unique_ptr<std::uint8_t[]> receive_bytes_;

    std::array<mmsghdr, kReceiveBurst> in_messages_{};
    std::array<iovec, kReceiveBurst> in_vectors_{};
    std::array<SocketAddress, kReceiveBurst> in_addresses_{};
    using ReceiveControl = std::array<char, kReceiveControlBytes>;
    alignas(cmsghdr) std::array<ReceiveControl, kReceiveBurst> in_control_{};

    // One vector and one path per packet; one message, address and control block per run.
    std::array<iovec, kSendBurst> out_vectors_{};
    std::array<Ends, kSendBurst> out_paths_{};
    std::array<mmsghdr, kSendBurst> out_messages_{};
    std::array<SocketAddress, kSendBurst> out_addresses_{};
    alignas(cmsghdr) std::array<std::array<char, kSendControlBytes>, kSendBurst> out_control_{};
    std::size_t queued_ = 0;

    // A wake() between the loop's last look at its work and its sleep must not be lost: the loop
    // announces that it sleeps and then looks at wake_pending_, the waker sets wake_pending_ and
    // then looks whether the loop sleeps; sequential consistency makes one of them see the other.
    std::atomic<bool> sleeping_{false};
    std::atomic<bool> wake_pending_{false};

    Tally rx_packets_, tx_packets_, rx_bytes_, tx_bytes_;
    Tally drop_rx_socket_full_, drop_rx_error_, drop_tx_socket_full_, drop_tx_error_, drop_tx_too_long_;
};

// --- receiving

// Returns the size of the segments that the kernel joined into this message, or 0.
std::size_t KernelPort::read_control(msghdr& header, UdpAddress& local) {
    std::size_t segment = 0;
    for (cmsghdr* part = CMSG_FIRSTHDR(&header); part != nullptr; part = CMSG_NXTHDR(&header, part)) {
        if (part->cmsg_level == IPPROTO_IP && part->cmsg_type == IP_PKTINFO) {
            in_pktinfo info{};
            std::memcpy(&info, CMSG_DATA(part), sizeof info);
            local = ipv4_address(ntohl(info.ipi_spec_dst.s_addr), local_.port);
        } else if (part->cmsg_level == IPPROTO_IPV6 && part->cmsg_type == IPV6_PKTINFO) {
            in6_pktinfo info{};
            std::memcpy(&info, CMSG_DATA(part), sizeof info);
            std::memcpy(local.ip, &info.ipi6_addr, sizeof local.ip);
        } else if (part->cmsg_level == SOL_SOCKET && part->cmsg_type == SO_RXQ_OVFL) {
            std::uint32_t dropped = 0;  // since the socket was opened
            std::memcpy(&dropped, CMSG_DATA(part), sizeof dropped);
            drop_rx_socket_full_.set(dropped);
        } else if (part->cmsg_level == SOL_UDP && part->cmsg_type == UDP_GRO) {
            int size = 0;
            std::memcpy(&size, CMSG_DATA(part), sizeof size);
            segment = static_cast<std::size_t>(std::max(size, 0));
        }
    }
    return segment;
}

std::size_t KernelPort::receive(DatagramSink& sink) {
    for (std::size_t i = 0; i < kReceiveBurst; ++i) {
        in_vectors_[i] = {receive_bytes_.get() + i * kReceiveBytes, kReceiveBytes};
        in_messages_[i].msg_hdr = {
            &in_addresses_[i], address_size(ipv6_), &in_vectors_[i], 1, in_control_[i].data(), kReceiveControlBytes, 0};
    }
    const int got = recvmmsg(socket_.fd, in_messages_.data(), kReceiveBurst, MSG_DONTWAIT, nullptr);
    if (got < 0) {
        if (errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR) drop_rx_error_.add(1);
        return 0;
    }
    std::uint64_t bytes = 0;
    std::size_t packets = 0;
    for (std::size_t i = 0; i < static_cast<std::size_t>(got); ++i) {
        msghdr& header = in_messages_[i].msg_hdr;
        const std::size_t size = in_messages_[i].msg_len;
        bytes += size;
        if ((header.msg_flags & (MSG_TRUNC | MSG_CTRUNC)) != 0 || header.msg_namelen < address_size(ipv6_)) {
            drop_rx_error_.add(1);
            continue;
        }
        Path path;
        path.local = local_;
        path.remote = udp_address(in_addresses_[i], ipv6_);
        const std::size_t joined = read_control(header, path.local);
        const std::span<const std::uint8_t> all(receive_bytes_.get() + i * kReceiveBytes, size);
        const std::size_t segment = joined == 0 ? size : joined;
        std::size_t at = 0;
        do {  // once for an empty datagram too
            const std::size_t n = std::min(segment, size - at);
            sink.on_datagram(path, all.subspan(at, n));
            ++packets;
            at += n;
        } while (at < size);
    }
    rx_packets_.add(packets);
    rx_bytes_.add(bytes);
    return packets;
}

// --- sending

// How many packets from `first` on may go as one: same ends, same size, the last may be shorter.
std::size_t KernelPort::run_from(std::size_t first) const {
    const std::size_t size = out_vectors_[first].iov_len;
    std::size_t end = first + 1;
    std::size_t bytes = size;
    while (segment_ && end < queued_ && end - first < kRunPacketsMax && out_paths_[end] == out_paths_[first]) {
        const std::size_t next = out_vectors_[end].iov_len;
        if (next > size || bytes + next > kRunBytesMax) break;
        bytes += next;
        ++end;
        if (next < size) break;
    }
    return end - first;
}

void KernelPort::describe_run(std::size_t message, std::size_t first, std::size_t packets) {
    const Ends& ends = out_paths_[first];
    out_addresses_[message] = socket_address(ends.remote, ipv6_);
    msghdr& header = out_messages_[message].msg_hdr;
    header = {&out_addresses_[message],
              address_size(ipv6_),
              &out_vectors_[first],
              packets,
              out_control_[message].data(),
              0,
              0};
    char* at = out_control_[message].data();
    const auto add = [&](int level, int type, const void* value, std::size_t size) {
        auto* part = reinterpret_cast<cmsghdr*>(at);
        part->cmsg_level = level;
        part->cmsg_type = type;
        part->cmsg_len = CMSG_LEN(size);
        std::memcpy(CMSG_DATA(part), value, size);
        at += CMSG_SPACE(size);
        header.msg_controllen += CMSG_SPACE(size);
    };
    if (with_local_address_ && ipv6_ && !is_any(ends.local)) {
        in6_pktinfo info{};
        std::memcpy(&info.ipi6_addr, ends.local.ip, sizeof info.ipi6_addr);
        add(IPPROTO_IPV6, IPV6_PKTINFO, &info, sizeof info);
    } else if (with_local_address_ && ipv4_of(ends.local) != INADDR_ANY) {
        in_pktinfo info{};
        info.ipi_spec_dst.s_addr = htonl(ipv4_of(ends.local));
        add(IPPROTO_IP, IP_PKTINFO, &info, sizeof info);
    }
    if (packets > 1) {
        const auto size = static_cast<std::uint16_t>(out_vectors_[first].iov_len);
        add(SOL_UDP, UDP_SEGMENT, &size, sizeof size);
    }
}

// Sends the described runs; `done` counts packets. False: what is left must be described anew or
// dropped.
bool KernelPort::send_runs(std::size_t messages, std::size_t& done) {
    std::size_t next = 0;
    while (next < messages) {
        const int sent =
            sendmmsg(socket_.fd, out_messages_.data() + next, static_cast<unsigned>(messages - next), MSG_DONTWAIT);
        if (sent < 0 && errno == EINTR) continue;
        if (sent <= 0) return false;
        std::uint64_t bytes = 0;
        std::size_t packets = 0;
        for (std::size_t i = next; i < next + static_cast<std::size_t>(sent); ++i) {
            bytes += out_messages_[i].msg_len;
            packets += out_messages_[i].msg_hdr.msg_iovlen;
        }
        tx_packets_.add(packets);
        tx_bytes_.add(bytes);
        done += packets;
        next += static_cast<std::size_t>(sent);
    }
    return true;
}

void KernelPort::flush() {
    std::size_t done = 0;
    bool was_run = false;  // was refused in this flush
    while (done < queued_) {
        std::size_t messages = 0;
        std::size_t first_run = 0;
        for (std::size_t at = done; at < queued_; ++messages) {
            const std::size_t packets = run_from(at);
            if (messages == 0) first_run = packets;
            describe_run(messages, at, packets);
            at += packets;
        }
        const std::size_t before = done;
        if (send_runs(messages, done)) break;
        const int error = errno;
        if (error == EAGAIN || error == EWOULDBLOCK || error == ENOBUFS) {
            drop_tx_socket_full_.add(queued_ - done);
            break;
        }
        if (done != before) continue;  // runs before the one at fault have gone: look at it first
        if (first_run > 1) {
            // A device without checksum offload: one by one from now on.
            segment_ = false;
            was_run = true;
            continue;
        }
        const bool too_long = error == EMSGSIZE;
        if (too_long && was_run) segment_ = true;  // not the run was at fault, but the size of its packets
        (too_long ? drop_tx_too_long_ : drop_tx_error_).add(1);  // no route, filtered: the others may go
        ++done;
    }
    queued_ = 0;
}

// --- sleeping

void KernelPort::wait(std::int64_t timeout_ns) {
    sleeping_.store(true, std::memory_order_seq_cst);
    if (!wake_pending_.exchange(false, std::memory_order_seq_cst)) {
        pollfd watched[2] = {{socket_.fd, POLLIN, 0}, {event_.fd, POLLIN, 0}};
        const std::int64_t bounded = std::max<std::int64_t>(timeout_ns, 0);
        const timespec timeout = {bounded / 1'000'000'000, bounded % 1'000'000'000};
        if (ppoll(watched, 2, &timeout, nullptr) > 0 && (watched[1].revents & POLLIN) != 0) {
            std::uint64_t count = 0;
            // The count itself means nothing; what matters is that the event is taken.
            if (read(event_.fd, &count, sizeof count) < 0) count = 0;
        }
    }
    sleeping_.store(false, std::memory_order_seq_cst);
    // Acquire: the thread that set it has put work in place, which the turn that follows must see.
    wake_pending_.exchange(false, std::memory_order_acq_rel);
}

void KernelPort::wake() {
    wake_pending_.store(true, std::memory_order_seq_cst);
    if (!sleeping_.load(std::memory_order_seq_cst)) return;
    const std::uint64_t one = 1;
    // Full means that many wakes are pending already, which is as good.
    if (write(event_.fd, &one, sizeof one) < 0) return;
}

std::unique_ptr<PacketPort> open_socket(const Binding& wanted, std::string& error) {
    Descriptor udp;
    UdpAddress local;
    if (!bind_socket(wanted, udp, local, error)) return nullptr;
    Descriptor event(eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC));
    if (event.fd < 0) {
        error = "eventfd: " + std::string(std::strerror(errno));
        return nullptr;
    }
    const bool any_address = wanted.server && is_any(wanted.address);
    const int udp_fd = std::exchange(udp.fd, -1);
    const int event_fd = std::exchange(event.fd, -1);
    return std::make_unique<KernelPort>(udp_fd, event_fd, local, wanted.ipv6, any_address, wanted.payload_bytes_max);
}

}  // namespace

std::unique_ptr<PacketPort> open_kernel_port(const KernelPortOptions& options, bool server,
                                             std::uint16_t payload_bytes_max, std::string& error) {
    PortSet set = open_kernel_ports(options, 1, server, payload_bytes_max, error);
    return set.ports.empty() ? nullptr : std::move(set.ports.front());
}

PortSet open_kernel_ports(const KernelPortOptions& options, std::size_t lcores, bool server,
                          std::uint16_t payload_bytes_max, std::string& error) {
    Binding wanted;
    if (!parse_ip(options.address, options.udp_port, wanted.address)) {
        error = "'" + options.address + "' is not an IP address";
        return {};
    }
    wanted.ipv6 = options.address.find(':') != std::string::npos;
    wanted.server = server;
    wanted.payload_bytes_max = payload_bytes_max;
    // Alone first, also for several: a port that may be shared would be shared with any other
    // program of the same user without a word, and each would get a part of the packets.
    auto first = open_socket(wanted, error);
    if (!first) return {};
    PortSet set;
    if (lcores == 1) {
        set.ports.push_back(std::move(first));
        return set;
    }
    wanted.address.port = first->local().port;
    wanted.shared = true;
    first.reset();
    for (std::size_t i = 0; i < lcores; ++i) {
        auto port = open_socket(wanted, error);
        if (!port) return {};
        set.ports.push_back(std::move(port));
    }
    return set;
}

}  // namespace bayplan::dataplane
