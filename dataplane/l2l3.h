// Ethernet, ARP, IPv4, ICMP echo and UDP of one port, as pure functions on bytes: no DPDK type, no
// state, no clock, so tests and fuzzers call what the port calls.
//
// Thread: any (no shared data). The caller owns every buffer; results point into it.
// Errors: a frame that is not wanted is dropped with a named reason, never reported otherwise.
// Rules: RFC 826 (ARP), 5227 (conflicts, probes), 791 and 1122 (IPv4), 792 (ICMP), 768 (UDP),
// 6864 (ids).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "packet_port.h"

namespace bayplan::dataplane {

using MacAddress = std::array<std::uint8_t, 6>;
using Ipv4Address = std::uint32_t;  // host byte order

inline constexpr std::size_t kEthernetBytes = 14;
inline constexpr std::size_t kUdpHeadersBytes = 42;  // Ethernet + IPv4 without options + UDP
inline constexpr std::size_t kArpFrameBytes = 60;    // the least Ethernet allows, without FCS

// Why a frame was not used. The counter of a reason is called "drop_" + its name.
enum class DropReason : std::uint8_t {
    frame_short,      // no whole Ethernet header
    frame_segmented,  // larger than one buffer
    vlan,             // tagged; the port belongs to no VLAN
    source_mac,       // sender is a group address or all zero
    other_mac,        // neither ours nor broadcast
    ethertype,        // neither IPv4 nor ARP
    arp_short,
    arp_malformed,  // not Ethernet/IPv4, unknown operation, or impossible sender
    arp_other,      // a request for somebody else's address
    arp_conflict,   // somebody else claims our address
    ip_short,       // no whole IPv4 header
    ip_version,
    ip_header_length,  // IHL below 5, or beyond the packet
    ip_total_length,   // below the header, or beyond the frame
    ip_checksum,
    ip_fragment,        // any fragment: QUIC forbids them
    ip_ttl,             // zero
    ip_source,          // an address nobody may send from
    ip_destination,     // not our address
    ip_link_broadcast,  // our address, but sent to every station (RFC 1122, 3.3.6)
    ip_protocol,        // neither UDP nor ICMP
    icmp_short,
    icmp_type,     // not an echo request
    icmp_options,  // with IPv4 options, which a reply would have to reverse
    icmp_checksum,
    udp_short,
    udp_length,       // below its header, or beyond the packet
    udp_source_port,  // zero: cannot be answered
    udp_port,         // not our port
    udp_empty,        // no payload
};
inline constexpr std::size_t kDropReasonCount = static_cast<std::size_t>(DropReason::udp_empty) + 1;

// The spelling in counters and logs. Static storage.
std::string_view to_string(DropReason reason);

// What this station is.
struct Station {
    MacAddress mac{};
    Ipv4Address ip = 0;
    std::uint16_t udp_port = 0;
};

enum class FrameAction : std::uint8_t {
    drop,       // `reason` says why
    datagram,   // `path` and `payload` are set
    arp_reply,  // the frame was turned into our reply, same length: transmit it; `sender_*` are set
    icmp_reply,  // the frame was turned into our echo reply, same length: transmit it
    arp_news,    // an ARP reply or announcement: `sender_*` are set
};

struct FrameResult {
    FrameAction action = FrameAction::drop;
    DropReason reason = DropReason::frame_short;
    Ipv4Address sender_ip = 0;  // 0 in an ARP probe: nothing to learn
    MacAddress sender_mac{};
    Path path;
    std::span<const std::uint8_t> payload;
};

// Looks at one received frame (without FCS; padding behind the packet is allowed). Replies are made
// in place. The UDP checksum is not verified: peers behind a veth leave it partial, and QUIC
// authenticates every byte itself.
FrameResult handle_frame(std::span<std::uint8_t> frame, const Station& own);

// Ethernet, IPv4 and UDP headers for `payload_size` bytes that follow them. The UDP checksum is 0
// (allowed over IPv4); the packet may not be fragmented.
void build_udp_headers(std::span<std::uint8_t, kUdpHeadersBytes> out, const MacAddress& own_mac,
                       const Path& path, std::size_t payload_size);

// A broadcast question for `target`; with target == own.ip an announcement of ourselves.
void build_arp_request(std::span<std::uint8_t, kArpFrameBytes> out, const Station& own,
                       Ipv4Address target);

// The one's complement sum of RFC 1071, ready to be stored big endian. 0 over data that holds its
// checksum.
std::uint16_t internet_checksum(std::span<const std::uint8_t> bytes);

// Unicast, and neither of 0/8, 127/8, class D, class E.
bool is_usable_host(Ipv4Address ip);

}  // namespace bayplan::dataplane
