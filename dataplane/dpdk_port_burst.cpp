// Fast path of the ethdev port: bursts in and out. See dpdk_port.h for who owns a buffer when.
//
// Thread: the polling thread. Allocates nothing but mbufs, takes no lock, makes no system call of
// its own (drivers such as af_packet do).
#include <rte_ethdev.h>
#include <rte_mbuf.h>
#include <rte_prefetch.h>

#include <algorithm>
#include <chrono>

#include "dpdk_handover.h"
#include "dpdk_port.h"
#include "eal.h"
#include "udp_address.h"

namespace bayplan::dataplane {
namespace {

constexpr std::size_t kIpUdpBytes = kUdpHeadersBytes - kEthernetBytes;

std::uint8_t* bytes_of(rte_mbuf* buffer) { return rte_pktmbuf_mtod(buffer, std::uint8_t*); }

void set_size(rte_mbuf* buffer, std::size_t size) {
    buffer->data_len = static_cast<std::uint16_t>(size);
    buffer->pkt_len = static_cast<std::uint32_t>(size);
}

bool is_tagged(const rte_mbuf* buffer) {
    // Some drivers (af_packet) cut the tag out and only flag it.
    return (buffer->ol_flags & (RTE_MBUF_F_RX_VLAN | RTE_MBUF_F_RX_VLAN_STRIPPED)) != 0;
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
    std::array<rte_mbuf*, kBurst> burst;
    const std::uint16_t count = rte_eth_rx_burst(device_->port_id(), 0, burst.data(), kBurst);
    if (count == 0) return 0;
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

bool DpdkPort::handle(rte_mbuf* buffer, DatagramSink& sink) {
    if (buffer->nb_segs != 1) {
        counters_.dropped(DropReason::frame_segmented);
        return false;
    }
    if (is_tagged(buffer)) {
        counters_.dropped(DropReason::vlan);
        return false;
    }
    const FrameResult result = handle_frame({bytes_of(buffer), buffer->data_len}, own_);
    switch (result.action) {
        case FrameAction::datagram:
            sink.on_datagram(result.path, result.payload);
            return false;
        case FrameAction::arp_reply:
            counters_.add(PortCount::arp_replies);
            arp_.learn(result.sender_ip, result.sender_mac, now_ns());
            break;
        case FrameAction::icmp_reply:
            counters_.add(PortCount::icmp_replies);
            break;
        case FrameAction::arp_news:
            counters_.add(PortCount::arp_news);
            arp_.learn(result.sender_ip, result.sender_mac, now_ns());
            return false;
        case FrameAction::drop:
            counters_.dropped(result.reason);
            return false;
    }
    // What the receiver flagged must not ask anything of the sender.
    buffer->ol_flags &= RTE_MBUF_F_INDIRECT | RTE_MBUF_F_EXTERNAL;
    enqueue(buffer);
    return true;
}

std::span<std::uint8_t> DpdkPort::begin_send() {
    register_polling_thread();
    if (sending_ == nullptr) sending_ = take_buffer(device_->pool());
    if (sending_ == nullptr) {
        counters_.add(PortCount::tx_no_buffer);
        return {};
    }
    const std::size_t room = rte_pktmbuf_tailroom(sending_) - kUdpHeadersBytes;
    const std::size_t most = device_->mtu() - kIpUdpBytes;
    return {bytes_of(sending_) + kUdpHeadersBytes, std::min(room, most)};
}

void DpdkPort::commit_send(const Path& path, std::size_t size) {
    if (sending_ == nullptr) return;
    rte_mbuf* buffer = sending_;
    sending_ = nullptr;
    if (size == 0) {
        give_back({&buffer, 1});
        return;
    }
    const std::span<std::uint8_t, kUdpHeadersBytes> headers(bytes_of(buffer), kUdpHeadersBytes);
    build_udp_headers(headers, own_.mac, path, size);
    set_size(buffer, kUdpHeadersBytes + size);
    enqueue(buffer);
}

void DpdkPort::enqueue(rte_mbuf* buffer) {
    if (tx_count_ == kBurst) flush();
    tx_[tx_count_++] = buffer;
}

void DpdkPort::flush() {
    if (tx_count_ == 0) return;
    std::array<std::uint16_t, kBurst> sizes;  // the device may free what it took at once
    for (std::uint16_t i = 0; i < tx_count_; ++i) sizes[i] = tx_[i]->data_len;
    hand_over(std::span(tx_).first(tx_count_));
    std::uint16_t sent = 0;
    for (int attempt = 0; attempt < kTxAttempts && sent < tx_count_; ++attempt) {
        const auto left = static_cast<std::uint16_t>(tx_count_ - sent);
        sent = static_cast<std::uint16_t>(
            sent + rte_eth_tx_burst(device_->port_id(), 0, tx_.data() + sent, left));
    }
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
}

bool DpdkPort::resolve(const UdpAddress& remote, Path& path) {
    const Ipv4Address ip = ipv4_of(remote);
    if (ip == own_.ip) return false;
    const ArpCache::Answer answer = arp_.lookup(ip, now_ns());
    if (answer.ask) ask_for(ip);
    if (!answer.known) return false;
    path.local = local();
    path.remote = remote;
    std::ranges::copy(answer.mac, path.remote_mac);
    return true;
}

void DpdkPort::ask_for(Ipv4Address target) {
    rte_mbuf* buffer = take_buffer(device_->pool());
    if (buffer == nullptr) {
        counters_.add(PortCount::tx_no_buffer);
        return;
    }
    build_arp_request(std::span<std::uint8_t, kArpFrameBytes>(bytes_of(buffer), kArpFrameBytes),
                      own_, target);
    set_size(buffer, kArpFrameBytes);
    enqueue(buffer);
    counters_.add(PortCount::arp_requests);
    flush();
}

}  // namespace bayplan::dataplane
