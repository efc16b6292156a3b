// Ethernet (one VLAN or none), ARP, IPv4, IPv6, neighbour discovery, ICMP echo and UDP of one port, as
// pure functions on bytes: no DPDK type, no state, no clock, so tests and fuzzers call what the port
// calls.
//
// Thread: any (no shared data). The caller owns every buffer; results point into it.
// Errors: a frame that is not wanted is dropped with a named reason, never reported otherwise.
// Rules: RFC 826 (ARP), 5227 (conflicts, probes), 791 and 1122 (IPv4), 792 (ICMP), 768 (UDP),
// 6864 (ids), 8200 (IPv6), 4861 (neighbours), 4862 (duplicates), 4443 (ICMPv6), 2464 (on Ethernet).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "net/packet_port.h"

namespace bayplan::dataplane {

using MacAddress = std::array<std::uint8_t, 6>;
using Ipv4Address = std::uint32_t;  // host byte order
using Ipv6Address = std::array<std::uint8_t, 16>;

inline constexpr std::size_t kEthernetBytes = 14;
inline constexpr std::size_t kVlanBytes = 4;
inline constexpr std::size_t kUdpHeadersMax = 66;  // Ethernet, tag, IPv6, UDP
inline constexpr std::size_t kArpFrameBytes = 60;  // the least Ethernet allows, without FCS
inline constexpr std::size_t kNdpBytes = 72;       // IPv6 + a solicitation or advertisement of ours

// Why a frame was not used. The counter of a reason is called "drop_" + its name.
enum class DropReason : std::uint8_t {
    frame_short,      // no whole Ethernet header
    frame_segmented,  // larger than one buffer
    vlan,             // not of the port's VLAN, or tagged and the port belongs to none
    source_mac,       // sender is a group address or all zero
    other_mac,        // neither ours nor broadcast
    ethertype,        // neither ARP nor an IP version that the port has an address of
    arp_short,
    arp_malformed,  // not Ethernet/IPv4, unknown operation, or impossible sender
    arp_other,      // a request for somebody else's address
    arp_conflict,   // somebody else claims our address
    ip_short,       // no whole IPv4 or IPv6 header
    ip_version,
    ip_header_length,  // IHL below 5, or beyond the packet
    ip_total_length,   // below the header, or beyond the frame
    ip_checksum,
    ip_fragment,        // any fragment: QUIC forbids them
    ip_hop_by_hop,      // IPv6 options for routers
    ip_ttl,             // zero
    ip_source,          // an address nobody may send from
    ip_destination,     // not our address
    ip_link_broadcast,  // our address, but sent to every station (RFC 1122, 3.3.6)
    ip_protocol,        // neither UDP nor ICMP
    icmp_short,
    icmp_type,  // neither an echo request, nor a packet of ours that was too big, nor a neighbour's question or answer
    icmp_options,  // with IPv4 options, which a reply would have to reverse
    icmp_checksum,
    ndp_malformed,  // passed on by a router, a group as target, a broken option
    ndp_other,      // a question for somebody else's address
    ndp_conflict,   // somebody else claims our address
    udp_short,
    udp_length,       // below its header, or beyond the packet
    udp_source_port,  // zero: cannot be answered
    udp_port,         // not our port
    udp_no_checksum,  // which IPv6 requires
    udp_empty,        // no payload
};
inline constexpr std::size_t kDropReasonCount = static_cast<std::size_t>(DropReason::udp_empty) + 1;

// The spelling in counters and logs. Static storage.
std::string_view to_string(DropReason reason);

// This station's addresses. One of each IP version at most; all zero: none.
struct Station {
    MacAddress mac{};
    Ipv4Address ip = 0;
    std::uint16_t udp_port = 0;
    Ipv6Address ip6{};
    std::uint16_t vlan = 0;  // 0: frames are not tagged

    std::size_t link_bytes() const { return kEthernetBytes + (vlan == 0 ? 0 : kVlanBytes); }
    bool has_ip6() const { return ip6 != Ipv6Address{}; }
};

enum class FrameAction : std::uint8_t {
    drop,          // `reason` says why
    datagram,      // `path` and `payload` are set
    arp_reply,     // the frame was turned into our reply, same length: transmit it; `sender_*` are set
    icmp_reply,    // the frame was turned into our echo reply, same length: transmit it
    arp_news,      // an ARP reply or announcement: `sender_*` are set
    ndp_question,  // answer with build_advertisement; `sender_ip6`, `sender_mac` are set
    ndp_news,      // somebody's advertisement: `sender_ip6`, `sender_mac` are set
    too_big,  // a router says that a packet of ours to `path.remote` is longer than `mtu`, and takes no longer ones
};

struct FrameResult {
    FrameAction action = FrameAction::drop;
    DropReason reason = DropReason::frame_short;
    Ipv4Address sender_ip = 0;  // 0 in an ARP probe: nothing to learn
    Ipv6Address sender_ip6{};   // all zero in a search for duplicates: nothing to learn
    MacAddress sender_mac{};
    std::uint32_t mtu = 0;  // bytes from the IP header on
    Path path;
    std::span<const std::uint8_t> payload;
};

// Looks at one received frame (without FCS; padding behind the packet is allowed). Replies are made
// in place. The UDP checksum is not verified: peers behind a veth leave it partial, and QUIC
// authenticates every byte itself.
FrameResult handle_frame(std::span<std::uint8_t> frame, const Station& own);

// Bytes of the headers that a datagram on this path has: Ethernet, tag, IP, UDP.
std::size_t udp_headers_size(const Station& own, const Path& path);
// Writes them in front of the payload, which is the rest of `frame`. Over IPv4 the UDP checksum is 0
// (allowed there), over IPv6 it is computed; the packet may not be fragmented.
void build_udp_headers(std::span<std::uint8_t> frame, const Station& own, const Path& path);

// A broadcast question for `target`; with target == own.ip an announcement of ourselves.
void build_arp_request(std::span<std::uint8_t, kArpFrameBytes> out, const Station& own, Ipv4Address target);

// A question for `target` to its group of stations. own.link_bytes() + kNdpBytes bytes.
void build_solicitation(std::span<std::uint8_t> out, const Station& own, const Ipv6Address& target);
// Our address, in answer to the station that asked; to all stations when `to_ip` is all zero (an
// announcement, and the answer to a search for duplicates). own.link_bytes() + kNdpBytes bytes.
void build_advertisement(std::span<std::uint8_t> out, const Station& own, const Ipv6Address& to_ip,
                         const MacAddress& to_mac);

// The one's complement sum of RFC 1071, ready to be stored big endian. 0 over data that holds its
// checksum.
std::uint16_t internet_checksum(std::span<const std::uint8_t> bytes);

// Unicast, and neither of 0/8, 127/8, class D, class E.
bool is_usable_host(Ipv4Address ip);
// Unicast, and neither ::, ::1, nor an IPv4 address in disguise.
bool is_usable_host(const Ipv6Address& ip);
// Groups that a station with this address listens to besides all nodes: where it is asked for.
MacAddress solicited_mac(const Ipv6Address& ip);
inline constexpr MacAddress kAllNodesMac = {0x33, 0x33, 0, 0, 0, 1};

}  // namespace bayplan::dataplane
