// Fast path of the ethdev port: bursts in and out. See dpdk_port.h for who owns a buffer when.
//
// Thread: the polling thread. Allocates nothing but mbufs, makes no system call of its own (drivers
// such as af_packet do), takes no lock unless lcores share a transmit queue.
#include <rte_ethdev.h>
#include <rte_ether.h>
#include <rte_mbuf.h>
#include <rte_prefetch.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "base/check.h"
#include "net/udp_address.h"
#include "port/dpdk_handover.h"
#include "port/dpdk_port.h"
#include "port/eal.h"
#include "port/port_log.h"

namespace bayplan::dataplane {
namespace {

constexpr std::int64_t kTooBigEveryNs = 10'000'000'000;
// A refusal that lasts for so long is no congestion. One system call in that time, while packets are sent.
constexpr std::int64_t kRefusalLookNs = 20'000'000;

static_assert(kUdpHeadersMax <= RTE_PKTMBUF_HEADROOM, "headers go in front of the payload");

std::uint8_t* bytes_of(rte_mbuf* buffer) { return rte_pktmbuf_mtod(buffer, std::uint8_t*); }

void set_size(rte_mbuf* buffer, std::size_t size) {
    BP_CHECK_OP(size, <=, std::size_t{buffer->data_len} + rte_pktmbuf_tailroom(buffer));
    buffer->data_len = static_cast<std::uint16_t>(size);
    buffer->pkt_len = static_cast<std::uint32_t>(size);
}

// Some drivers (af_packet) cut the tag out and only flag it: it is put back, so that there is one way
// to look at a frame. False: there is no room for it.
bool restore_tag(rte_mbuf*& buffer) {
    if ((buffer->ol_flags & RTE_MBUF_F_RX_VLAN_STRIPPED) == 0) return true;
    return rte_vlan_insert(&buffer) == 0;
}

// Every buffer taken from a pool and given back passes through these two.
rte_mbuf* take_buffer(rte_mempool* pool) {
    rte_mbuf* buffer = rte_mbuf_raw_alloc(pool);
    if (buffer == nullptr) return nullptr;
    take_over(buffer);  // before the first write, which is why the allocation is the raw one
    rte_pktmbuf_reset(buffer);
    return buffer;
}

void give_back(std::span<rte_mbuf*> buffers) {
    hand_over(buffers);
    rte_pktmbuf_free_bulk(buffers.data(), static_cast<unsigned>(buffers.size()));
}

std::int64_t now_ns() { return std::chrono::steady_clock::now().time_since_epoch().count(); }

}  // namespace

std::size_t DpdkPort::receive(DatagramSink& sink) {
    register_polling_thread();
    if (!receives_) return 0;
    std::array<rte_mbuf*, kBurst> burst;
    const auto queue = static_cast<std::uint16_t>(lcore_);
    const std::uint16_t count = rte_eth_rx_burst(device_->port_id(), queue, burst.data(), kBurst);
    if (count == 0) return 0;
    BP_CHECK_OP(count, <=, kBurst);
    take_over(std::span(burst).first(count));
    sleeper_.busy();
    std::uint64_t bytes = 0;
    std::uint16_t done = 0;
    bool replied = false;
    for (std::uint16_t i = 0; i < count; ++i) {
        if (i + 1 < count) rte_prefetch0(bytes_of(burst[i + 1]));
        bytes += burst[i]->pkt_len;
        if (handle(burst[i], sink)) {
            replied = true;
        } else {
            burst[done++] = burst[i];
        }
    }
    if (done > 0) give_back(std::span(burst).first(done));
    counters_.add(PortCount::rx_packets, count);
    counters_.add(PortCount::rx_bytes, bytes);
    if (replied) flush();
    return count;
}

bool DpdkPort::handle(rte_mbuf*& buffer, DatagramSink& sink) {
    if (buffer->nb_segs != 1) {
        counters_.dropped(DropReason::frame_segmented);
        return false;
    }
    if (!restore_tag(buffer)) {
        counters_.dropped(DropReason::vlan);
        return false;
    }
    const FrameResult result = handle_frame({bytes_of(buffer), buffer->data_len}, own_);
    switch (result.action) {
        case FrameAction::datagram: sink.on_datagram(result.path, result.payload); return false;
        case FrameAction::arp_reply:
            counters_.add(PortCount::arp_replies);
            if (result.sender_ip != 0) {
                neighbours_.learn(ip_bytes(result.sender_ip), result.sender_mac, now_ns());
            }
            break;
        case FrameAction::ndp_question:
            if (!build_ndp_answer(buffer, result)) return false;
            break;
        case FrameAction::icmp_reply: counters_.add(PortCount::icmp_replies); break;
        case FrameAction::arp_news:
            counters_.add(PortCount::arp_news);
            neighbours_.learn(ip_bytes(result.sender_ip), result.sender_mac, now_ns());
            return false;
        case FrameAction::ndp_news:
            counters_.add(PortCount::ndp_news);
            neighbours_.learn(result.sender_ip6, result.sender_mac, now_ns());
            return false;
        case FrameAction::too_big: tell_too_big(result); return false;
        case FrameAction::drop: counters_.dropped(result.reason); return false;
    }
    // Receive flags must not request offloads from the sending driver.
    buffer->ol_flags &= RTE_MBUF_F_INDIRECT | RTE_MBUF_F_EXTERNAL;
    enqueue(buffer);
    return true;
}

// Counted, and told now and then: it is an operator's to make packets smaller, on both sides. No more follows from it, for
// anybody could say so.
void DpdkPort::tell_too_big(const FrameResult& said) {
    counters_.add(PortCount::icmp_too_big);
    const std::int64_t now = now_ns();
    if (too_big_told_ns_ != 0 && now - too_big_told_ns_ < kTooBigEveryNs) return;
    too_big_told_ns_ = now;
    const std::size_t headers = udp_headers_size(own_, said.path) - own_.link_bytes();
    const std::size_t fits = said.mtu > headers ? said.mtu - headers : 0;
    log_of_port("a router on the way to " + to_text(said.path.remote) + " takes packets of " +
                std::to_string(said.mtu) + " bytes: payload_bytes_max must be " + std::to_string(fits) +
                " at most, here and at the shim");
}

// Our address, in the buffer of the question.
bool DpdkPort::build_ndp_answer(rte_mbuf* buffer, const FrameResult& question) {
    const std::size_t size = own_.link_bytes() + kNdpBytes;
    if (std::size_t{buffer->data_len} + rte_pktmbuf_tailroom(buffer) < size) {
        counters_.add(PortCount::tx_no_buffer);
        return false;
    }
    neighbours_.learn(question.sender_ip6, question.sender_mac, now_ns());
    build_advertisement({bytes_of(buffer), size}, own_, question.sender_ip6, question.sender_mac);
    set_size(buffer, size);
    counters_.add(PortCount::ndp_replies);
    return true;
}

std::span<std::uint8_t> DpdkPort::begin_send() {
    register_polling_thread();
    if (sending_ == nullptr) sending_ = take_buffer(device_->pool());
    if (sending_ == nullptr) {
        counters_.add(PortCount::tx_no_buffer);
        return {};
    }
    const std::size_t room = rte_pktmbuf_tailroom(sending_);
    // The way is not known yet: with an IPv6 address there must be room for its longer header.
    const std::size_t most = device_->mtu() - (own_.has_ip6() ? kIpv6UdpBytes : kIpv4UdpBytes);
    return {bytes_of(sending_), std::min(room, most)};
}

void DpdkPort::commit_send(const Path& path, std::size_t size) {
    if (sending_ == nullptr) return;
    rte_mbuf* buffer = sending_;
    sending_ = nullptr;
    if (size == 0) {
        give_back({&buffer, 1});
        return;
    }
    set_size(buffer, size);
    const auto headers = static_cast<std::uint16_t>(udp_headers_size(own_, path));
    BP_CHECK(rte_pktmbuf_prepend(buffer, headers) != nullptr);  // the headroom is ours, and larger
    build_udp_headers({bytes_of(buffer), headers + size}, own_, path);
    enqueue(buffer);
}

void DpdkPort::enqueue(rte_mbuf* buffer) {
    if (tx_count_ == kBurst) flush();
    BP_CHECK_OP(tx_count_, <, kBurst);
    tx_[tx_count_++] = buffer;
}

void DpdkPort::flush() {
    if (tx_count_ == 0) return;
    std::array<std::uint16_t, kBurst> sizes;  // the device may free what it took at once
    for (std::uint16_t i = 0; i < tx_count_; ++i) sizes[i] = tx_[i]->data_len;
    hand_over(std::span(tx_).first(tx_count_));
    std::uint16_t sent = 0;
    // Where lcores share a queue, the kernel settles who waits: one may be preempted holding it.
    std::unique_lock<std::mutex> lock;
    if (std::mutex* shared = device_->tx_lock()) lock = std::unique_lock(*shared);
    for (int attempt = 0; attempt < kTxAttempts && sent < tx_count_; ++attempt) {
        const auto left = static_cast<std::uint16_t>(tx_count_ - sent);
        sent =
            static_cast<std::uint16_t>(sent + rte_eth_tx_burst(device_->port_id(), tx_queue_, tx_.data() + sent, left));
    }
    if (lock) lock.unlock();
    std::uint64_t bytes = 0;
    for (std::uint16_t i = 0; i < sent; ++i) bytes += sizes[i];
    counters_.add(PortCount::tx_packets, sent);
    counters_.add(PortCount::tx_bytes, bytes);
    if (sent < tx_count_) {
        const std::size_t left = tx_count_ - sent;
        give_back(std::span(tx_).subspan(sent, left));
        counters_.add(PortCount::drop_tx_full, left);
    }
    tx_count_ = 0;
    sleeper_.busy();  // an answer may be near
    if (!sockets_.empty()) look_for_a_refusal();
}

// The driver does not tell.
void DpdkPort::look_for_a_refusal() {
    const std::int64_t now = now_ns();
    if (now - looked_at_ns_ < kRefusalLookNs) return;
    looked_at_ns_ = now;
    const bool before = std::exchange(refused_, sockets_.refused());
    if (!refused_ || !before) return;
    refused_ = false;
    const bool discarded = sockets_.discard();
    counters_.add(PortCount::tx_refused);
    if (refusal_told_ns_ != 0 && now - refusal_told_ns_ < kTooBigEveryNs) return;
    refusal_told_ns_ = now;
    log_of_port("the link of " + device_->interface() + " refuses a frame, which held up all others" +
                (discarded ? "; they were thrown away"
                           : ", and they cannot be thrown away: is there a loopback interface that is up?") +
                ". Is the MTU of its far end smaller? Then payload_bytes_max must be, here and at the shim");
}

bool DpdkPort::resolve(const UdpAddress& remote, Path& path) {
    const std::optional<IpBytes> hop = next_hop(link_, remote);
    if (!hop) return false;
    const NeighbourCache::Answer answer = neighbours_.lookup(*hop, now_ns());
    if (answer.ask) ask_for(*hop);
    if (!answer.known) return false;
    path.local.port = own_.udp_port;
    const bool is_ipv4 = ipv4_of(remote) != 0;
    std::ranges::copy(is_ipv4 ? ip_bytes(own_.ip) : own_.ip6, path.local.ip);
    path.remote = remote;
    std::ranges::copy(answer.mac, path.remote_mac);
    return true;
}

// A frame of our own making.
template <class Build>
void DpdkPort::send_own(std::size_t size, PortCount count, Build&& build) {
    rte_mbuf* buffer = take_buffer(device_->pool());
    if (buffer == nullptr) {
        counters_.add(PortCount::tx_no_buffer);
        return;
    }
    build(std::span<std::uint8_t>(bytes_of(buffer), size));
    set_size(buffer, size);
    enqueue(buffer);
    counters_.add(count);
    flush();
}

void DpdkPort::ask_for(const IpBytes& target) {
    UdpAddress address;
    std::ranges::copy(target, address.ip);
    if (const Ipv4Address ip = ipv4_of(address); ip != 0) {
        send_own(kArpFrameBytes, PortCount::arp_requests,
                 [&](std::span<std::uint8_t> out) { build_arp_request(out.first<kArpFrameBytes>(), own_, ip); });
    } else {
        send_own(own_.link_bytes() + kNdpBytes, PortCount::ndp_requests,
                 [&](std::span<std::uint8_t> out) { build_solicitation(out, own_, target); });
    }
}

// Neighbours that remember our addresses from an earlier run learn where they are now. The gateways
// are asked for, which tells them the same and us whether they are there.
void DpdkPort::announce() {
    if (own_.ip != 0) ask_for(ip_bytes(own_.ip));
    if (own_.has_ip6()) {
        send_own(own_.link_bytes() + kNdpBytes, PortCount::ndp_requests,
                 [&](std::span<std::uint8_t> out) { build_advertisement(out, own_, Ipv6Address{}, MacAddress{}); });
    }
    for (const Link::Route* route : {&link_.ipv4, &link_.ipv6}) {
        if (route->gateway == IpBytes{}) continue;
        neighbours_.lookup(route->gateway, now_ns());
        ask_for(route->gateway);
    }
}

}  // namespace bayplan::dataplane
