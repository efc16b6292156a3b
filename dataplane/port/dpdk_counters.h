// The named counters of one ethdev port.
//
// Thread: written by the polling thread alone, read by any. Relaxed, without a locked instruction:
// there is one writer, and a reader wants a recent value, not an ordering.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "dataplane/data_plane.h"
#include "net/l2l3.h"

namespace bayplan::dataplane {

enum class PortCount : std::uint8_t {
    rx_packets,  // taken off the device, of any kind
    tx_packets,  // accepted by the device
    rx_bytes,    // Ethernet frames without FCS
    tx_bytes,
    arp_replies,   // given
    arp_requests,  // asked, announcements included
    arp_news,      // replies and announcements seen
    ndp_replies,   // likewise, of IPv6
    ndp_requests,
    ndp_news,
    icmp_replies,  // of either version
    icmp_too_big,  // routers said that a packet of ours was
    tx_no_buffer,  // begin_send or a request of ours found the pool empty
    drop_tx_full,  // the device did not take them in a bounded number of attempts
    tx_refused,    // times that the link refused a frame for good, and what waited behind it was thrown away
    kCount
};

inline constexpr std::array<std::string_view, static_cast<std::size_t>(PortCount::kCount)> kPortCountNames = {
    "rx_packets",   "tx_packets",   "rx_bytes",     "tx_bytes",     "arp_replies",
    "arp_requests", "arp_news",     "ndp_replies",  "ndp_requests", "ndp_news",
    "icmp_replies", "icmp_too_big", "tx_no_buffer", "drop_tx_full", "tx_refused"};

class DpdkCounters {
public:
    void add(PortCount which, std::uint64_t n = 1) { increase(counts_[static_cast<std::size_t>(which)], n); }
    void dropped(DropReason reason) { increase(drops_[static_cast<std::size_t>(reason)], 1); }
    std::uint64_t get(PortCount which) const {
        return counts_[static_cast<std::size_t>(which)].load(std::memory_order_relaxed);
    }
    void append_to(std::vector<Counter>& out) const {
        for (std::size_t i = 0; i < counts_.size(); ++i) {
            out.emplace_back(kPortCountNames[i], counts_[i].load(std::memory_order_relaxed));
        }
        for (std::size_t i = 0; i < drops_.size(); ++i) {
            std::string name = "drop_";
            name += to_string(static_cast<DropReason>(i));
            out.emplace_back(std::move(name), drops_[i].load(std::memory_order_relaxed));
        }
    }

private:
    using Value = std::atomic<std::uint64_t>;
    static void increase(Value& value, std::uint64_t n) {
        value.store(value.load(std::memory_order_relaxed) + n, std::memory_order_relaxed);
    }

    std::array<Value, static_cast<std::size_t>(PortCount::kCount)> counts_{};
    std::array<Value, kDropReasonCount> drops_{};
};

}  // namespace bayplan::dataplane
