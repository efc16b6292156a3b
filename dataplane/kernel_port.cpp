// See kernel_port.h.
#include "kernel_port.h"

#include <netinet/in.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstring>

#include "udp_address.h"

namespace bayplan::dataplane {

namespace {

constexpr std::size_t kBurst = 64;
constexpr std::size_t kReceiveBytes = 2048;  // our peers send at most what we announce, about 1500
constexpr int kSocketBufferBytes = 8 << 20;  // the default holds fewer packets than one congestion window
constexpr std::size_t kControlBytes = CMSG_SPACE(sizeof(in_pktinfo)) + CMSG_SPACE(sizeof(std::uint32_t));

// One writer (the loop), any reader.
struct Tally {
    std::atomic<std::uint64_t> value{0};
    void add(std::uint64_t n) {
        value.store(value.load(std::memory_order_relaxed) + n, std::memory_order_relaxed);
    }
    void set(std::uint64_t n) { value.store(n, std::memory_order_relaxed); }
    std::uint64_t get() const { return value.load(std::memory_order_relaxed); }
};

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

class KernelPort final : public PacketPort {
public:
    KernelPort(int socket_fd, int event_fd, const UdpAddress& local, bool reply_from_same_address,
               std::size_t payload_max)
        : socket_(socket_fd),
          event_(event_fd),
          local_(local),
          with_local_address_(reply_from_same_address),
          send_stride_((payload_max + 63) / 64 * 64),
          payload_max_(payload_max),
          send_bytes_(std::make_unique<std::uint8_t[]>(kBurst * send_stride_)),
          receive_bytes_(std::make_unique<std::uint8_t[]>(kBurst * kReceiveBytes)) {
        prepare_receive();
        prepare_send();
    }

    std::size_t receive(DatagramSink& sink) override;
    std::span<std::uint8_t> begin_send() override {
        if (queued_ == kBurst) flush();
        return {send_bytes_.get() + queued_ * send_stride_, payload_max_};
    }
    void commit_send(const Path& path, std::size_t size) override;
    void flush() override;
    void wait(std::int64_t timeout_ns) override;
    void wake() override;
    bool resolve(const UdpAddress& remote, Path& path) override {
        path = Path{};
        path.local = local_;
        path.remote = remote;
        return true;
    }
    UdpAddress local() const override { return local_; }
    std::string name() const override { return "kernel-udp"; }
    void append_counters(std::vector<Counter>& out) const override {
        out.emplace_back("rx_packets", rx_packets_.get());
        out.emplace_back("tx_packets", tx_packets_.get());
        out.emplace_back("rx_bytes", rx_bytes_.get());
        out.emplace_back("tx_bytes", tx_bytes_.get());
        out.emplace_back("drop_rx_socket_full", drop_rx_socket_full_.get());
        out.emplace_back("drop_rx_truncated", drop_rx_truncated_.get());
        out.emplace_back("drop_rx_error", drop_rx_error_.get());
        out.emplace_back("drop_tx_socket_full", drop_tx_socket_full_.get());
        out.emplace_back("drop_tx_error", drop_tx_error_.get());
    }

private:
    void prepare_receive();
    void prepare_send();
    void read_control(msghdr& header, UdpAddress& local);

    Descriptor socket_;
    Descriptor event_;
    UdpAddress local_;
    bool with_local_address_;  // bound to any address: answer from the one that was addressed
    std::size_t send_stride_;
    std::size_t payload_max_;
    std::unique_ptr<std::uint8_t[]> send_bytes_;
    std::unique_ptr<std::uint8_t[]> receive_bytes_;

    struct Side {
        std::array<mmsghdr, kBurst> messages{};
        std::array<iovec, kBurst> vectors{};
        std::array<sockaddr_in, kBurst> addresses{};
        alignas(cmsghdr) std::array<std::array<char, kControlBytes>, kBurst> control{};
    };
    Side in_;
    Side out_;
    std::size_t queued_ = 0;

    // A wake() between the loop's last look at its work and its sleep must not be lost: the loop
    // announces that it sleeps and then looks at wake_pending_, the waker sets wake_pending_ and then
    // looks whether the loop sleeps; sequential consistency makes one of them see the other.
    std::atomic<bool> sleeping_{false};
    std::atomic<bool> wake_pending_{false};

    Tally rx_packets_, tx_packets_, rx_bytes_, tx_bytes_;
    Tally drop_rx_socket_full_, drop_rx_truncated_, drop_rx_error_, drop_tx_socket_full_, drop_tx_error_;
};

void KernelPort::prepare_receive() {
    for (std::size_t i = 0; i < kBurst; ++i) {
        in_.vectors[i] = {receive_bytes_.get() + i * kReceiveBytes, kReceiveBytes};
        msghdr& header = in_.messages[i].msg_hdr;
        header.msg_name = &in_.addresses[i];
        header.msg_iov = &in_.vectors[i];
        header.msg_iovlen = 1;
    }
}

void KernelPort::prepare_send() {
    for (std::size_t i = 0; i < kBurst; ++i) {
        out_.vectors[i] = {send_bytes_.get() + i * send_stride_, 0};
        msghdr& header = out_.messages[i].msg_hdr;
        header.msg_name = &out_.addresses[i];
        header.msg_namelen = sizeof(sockaddr_in);
        header.msg_iov = &out_.vectors[i];
        header.msg_iovlen = 1;
    }
}

void KernelPort::read_control(msghdr& header, UdpAddress& local) {
    for (cmsghdr* part = CMSG_FIRSTHDR(&header); part != nullptr; part = CMSG_NXTHDR(&header, part)) {
        if (part->cmsg_level == IPPROTO_IP && part->cmsg_type == IP_PKTINFO) {
            in_pktinfo info{};
            std::memcpy(&info, CMSG_DATA(part), sizeof info);
            local = ipv4_address(ntohl(info.ipi_spec_dst.s_addr), local_.port);
        } else if (part->cmsg_level == SOL_SOCKET && part->cmsg_type == SO_RXQ_OVFL) {
            std::uint32_t dropped = 0;  // since the socket was opened
            std::memcpy(&dropped, CMSG_DATA(part), sizeof dropped);
            drop_rx_socket_full_.set(dropped);
        }
    }
}

std::size_t KernelPort::receive(DatagramSink& sink) {
    for (std::size_t i = 0; i < kBurst; ++i) {
        msghdr& header = in_.messages[i].msg_hdr;
        header.msg_namelen = sizeof(sockaddr_in);
        header.msg_control = in_.control[i].data();
        header.msg_controllen = kControlBytes;
    }
    const int got = recvmmsg(socket_.fd, in_.messages.data(), kBurst, MSG_DONTWAIT, nullptr);
    if (got < 0) {
        if (errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR) drop_rx_error_.add(1);
        return 0;
    }
    std::uint64_t bytes = 0;
    for (int i = 0; i < got; ++i) {
        msghdr& header = in_.messages[i].msg_hdr;
        const std::size_t size = in_.messages[i].msg_len;
        bytes += size;
        if ((header.msg_flags & MSG_TRUNC) != 0 || header.msg_namelen < sizeof(sockaddr_in)) {
            drop_rx_truncated_.add(1);
            continue;
        }
        Path path;
        path.local = local_;
        path.remote = from_sockaddr(in_.addresses[i]);
        read_control(header, path.local);
        sink.on_datagram(path, {receive_bytes_.get() + static_cast<std::size_t>(i) * kReceiveBytes, size});
    }
    rx_packets_.add(static_cast<std::uint64_t>(got));
    rx_bytes_.add(bytes);
    return static_cast<std::size_t>(got);
}

void KernelPort::commit_send(const Path& path, std::size_t size) {
    if (size == 0) return;
    const std::size_t i = queued_++;
    out_.vectors[i].iov_len = size;
    out_.addresses[i] = to_sockaddr(path.remote);
    msghdr& header = out_.messages[i].msg_hdr;
    header.msg_control = nullptr;
    header.msg_controllen = 0;
    if (!with_local_address_ || ipv4_of(path.local) == INADDR_ANY) return;
    header.msg_control = out_.control[i].data();
    header.msg_controllen = CMSG_SPACE(sizeof(in_pktinfo));
    cmsghdr* part = CMSG_FIRSTHDR(&header);
    part->cmsg_level = IPPROTO_IP;
    part->cmsg_type = IP_PKTINFO;
    part->cmsg_len = CMSG_LEN(sizeof(in_pktinfo));
    in_pktinfo info{};
    info.ipi_spec_dst.s_addr = htonl(ipv4_of(path.local));
    std::memcpy(CMSG_DATA(part), &info, sizeof info);
}

void KernelPort::flush() {
    std::size_t done = 0;
    while (done < queued_) {
        const int sent = sendmmsg(socket_.fd, out_.messages.data() + done,
                                  static_cast<unsigned>(queued_ - done), MSG_DONTWAIT);
        if (sent > 0) {
            std::uint64_t bytes = 0;
            for (int i = 0; i < sent; ++i) bytes += out_.messages[done + static_cast<std::size_t>(i)].msg_len;
            tx_packets_.add(static_cast<std::uint64_t>(sent));
            tx_bytes_.add(bytes);
            done += static_cast<std::size_t>(sent);
            continue;
        }
        if (errno == EINTR) continue;
        if (errno == EAGAIN || errno == EWOULDBLOCK || errno == ENOBUFS) {
            drop_tx_socket_full_.add(queued_ - done);
            break;
        }
        drop_tx_error_.add(1);  // this packet cannot go (no route, filtered): the others may
        ++done;
    }
    queued_ = 0;
}

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
    // Acquire: whoever set it has work in place, which the turn that follows must see.
    wake_pending_.exchange(false, std::memory_order_acq_rel);
}

void KernelPort::wake() {
    wake_pending_.store(true, std::memory_order_seq_cst);
    if (!sleeping_.load(std::memory_order_seq_cst)) return;
    const std::uint64_t one = 1;
    // Full means that many wakes are pending already, which is as good.
    if (write(event_.fd, &one, sizeof one) < 0) return;
}

}  // namespace

std::unique_ptr<PacketPort> open_kernel_port(const KernelPortOptions& options, bool server,
                                             std::uint16_t payload_bytes_max, std::string& error) {
    UdpAddress wanted;
    if (!parse_ipv4(options.address, options.udp_port, wanted)) {
        error = "'" + options.address + "' is not an IPv4 address";
        return nullptr;
    }
    const std::string where = to_text(wanted);
    Descriptor udp(socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
    Descriptor event(eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC));
    if (udp.fd < 0 || event.fd < 0) {
        error = "UDP socket for " + where + ": " + std::strerror(errno);
        return nullptr;
    }
    enlarge_buffers(udp.fd);
    const int on = 1;
    const bool any_address = server && ipv4_of(wanted) == INADDR_ANY;
    setsockopt(udp.fd, SOL_SOCKET, SO_RXQ_OVFL, &on, sizeof on);
    if (any_address) setsockopt(udp.fd, IPPROTO_IP, IP_PKTINFO, &on, sizeof on);
    sockaddr_in bound = to_sockaddr(wanted);
    socklen_t size = sizeof bound;
    if (bind(udp.fd, reinterpret_cast<sockaddr*>(&bound), sizeof bound) != 0 ||
        getsockname(udp.fd, reinterpret_cast<sockaddr*>(&bound), &size) != 0) {
        error = "UDP " + where + ": " + std::strerror(errno);
        return nullptr;
    }
    const int udp_fd = std::exchange(udp.fd, -1);
    const int event_fd = std::exchange(event.fd, -1);
    return std::make_unique<KernelPort>(udp_fd, event_fd, from_sockaddr(bound), any_address,
                                        payload_bytes_max);
}

}  // namespace bayplan::dataplane
