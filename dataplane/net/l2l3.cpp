// Parsing and building of the few protocols that the port speaks. See l2l3.h.
//
// Thread: any; no state. Every read is preceded by a check of the length it needs.
#include "net/l2l3.h"

#include <algorithm>
#include <cstring>

#include "net/l2l3_bytes.h"
#include "net/udp_address.h"

namespace bayplan::dataplane {
namespace {

constexpr std::size_t kArpBytes = 28;
constexpr std::size_t kIcmpBytes = 8;
constexpr std::uint8_t kProtocolIcmp = 1;
constexpr std::uint8_t kIcmpEchoRequest = 8;
constexpr std::uint8_t kIcmpUnreachable = 3;
constexpr std::uint8_t kFragmentationNeeded = 4;  // code of the latter
constexpr std::uint16_t kDontFragment = 0x4000;
constexpr std::uint16_t kMoreFragmentsOrOffset = 0x3fff;
constexpr std::uint16_t kVlanIdMask = 0x0fff;

// Offsets inside an ARP packet: operation 6, sender mac 8, sender ip 14, target mac 18, target
// ip 24.
void write_arp(std::uint8_t* at, std::uint16_t operation, const Station& own, const MacAddress& target_mac,
               Ipv4Address target) {
    write16(at, 1);
    write16(at + 2, kEthertypeIpv4);
    at[4] = 6;
    at[5] = 4;
    write16(at + 6, operation);
    write_mac(at + 8, own.mac);
    write32(at + 14, own.ip);
    write_mac(at + 18, target_mac);
    write32(at + 24, target);
}

FrameResult handle_arp(Bytes frame, const Station& own) {
    if (frame.size() < own.link_bytes() + kArpBytes) return drop(DropReason::arp_short);
    std::uint8_t* arp = frame.data() + own.link_bytes();
    const bool ethernet_ipv4 = read16(arp) == 1 && read16(arp + 2) == kEthertypeIpv4 && arp[4] == 6 && arp[5] == 4;
    const std::uint16_t operation = read16(arp + 6);
    const MacAddress sender_mac = read_mac(arp + 8);
    const Ipv4Address sender_ip = read32(arp + 14);
    const Ipv4Address target_ip = read32(arp + 24);
    const bool is_probe = operation == 1 && sender_ip == 0;
    if (!ethernet_ipv4 || (operation != 1 && operation != 2) || !is_station(sender_mac) ||
        (!is_probe && !is_usable_host(sender_ip))) {
        return drop(DropReason::arp_malformed);
    }
    if (sender_ip == own.ip) return drop(DropReason::arp_conflict);
    FrameResult result;
    result.sender_ip = sender_ip;
    result.sender_mac = sender_mac;
    if (operation == 1 && target_ip == own.ip) {
        write_ethernet(frame.data(), sender_mac, own, kEthertypeArp);
        write_arp(arp, 2, own, sender_mac, sender_ip);
        std::ranges::fill(frame.subspan(own.link_bytes() + kArpBytes), std::uint8_t{0});
        result.action = FrameAction::arp_reply;
        return result;
    }
    const bool is_announcement = !is_probe && target_ip == sender_ip;
    if (operation == 1 && !is_announcement) return drop(DropReason::arp_other);
    result.action = FrameAction::arp_news;
    return result;
}

// Quotes the packet that was too big: only one of ours, from our port, is of interest. Anybody could say so.
FrameResult read_too_big(Bytes body, const Station& own) {
    if (internet_checksum(body) != 0) return drop(DropReason::icmp_checksum);
    const Bytes quoted = body.subspan(kIcmpBytes);
    if (quoted.size() < kIpv4Bytes + kUdpBytes) return drop(DropReason::icmp_short);
    const std::size_t header_size = std::size_t{quoted[0] & 0x0fu} * 4;
    if (quoted[0] >> 4 != 4 || header_size < kIpv4Bytes || header_size + kUdpBytes > quoted.size() ||
        quoted[9] != kProtocolUdp || read32(quoted.data() + 12) != own.ip ||
        read16(quoted.data() + header_size) != own.udp_port) {
        return drop(DropReason::icmp_type);
    }
    FrameResult result;
    result.action = FrameAction::too_big;
    result.mtu = read16(body.data() + 6);
    result.path.remote = ipv4_address(read32(quoted.data() + 16), read16(quoted.data() + header_size + 2));
    return result;
}

FrameResult handle_icmp(Bytes frame, Bytes header, Bytes body, const Station& own) {
    if (body.size() < kIcmpBytes) return drop(DropReason::icmp_short);
    if (body[0] == kIcmpUnreachable && body[1] == kFragmentationNeeded) return read_too_big(body, own);
    if (body[0] != kIcmpEchoRequest || body[1] != 0) return drop(DropReason::icmp_type);
    if (header.size() != kIpv4Bytes) return drop(DropReason::icmp_options);
    if (internet_checksum(body) != 0) return drop(DropReason::icmp_checksum);

    const Ipv4Address sender = read32(header.data() + 12);
    write_ethernet(frame.data(), read_mac(frame.data() + 6), own, kEthertypeIpv4);
    header[8] = kTtl;
    write16(header.data() + 10, 0);
    write32(header.data() + 12, own.ip);
    write32(header.data() + 16, sender);
    write16(header.data() + 10, internet_checksum(header));

    // Summed anew: the incremental form (RFC 1624) is wrong for an echo of nothing but zeros.
    body[0] = 0;
    write16(body.data() + 2, 0);
    write16(body.data() + 2, internet_checksum(body));

    const std::size_t used = own.link_bytes() + header.size() + body.size();
    std::ranges::fill(frame.subspan(used), std::uint8_t{0});
    FrameResult result;
    result.action = FrameAction::icmp_reply;
    return result;
}

FrameResult handle_ipv4(Bytes frame, const Station& own, bool is_broadcast) {
    const Bytes packet = frame.subspan(own.link_bytes());
    if (packet.size() < kIpv4Bytes) return drop(DropReason::ip_short);
    std::uint8_t* ip = packet.data();
    if (ip[0] >> 4 != 4) return drop(DropReason::ip_version);
    const std::size_t header_size = std::size_t{ip[0] & 0x0fu} * 4;
    if (header_size < kIpv4Bytes || header_size > packet.size()) return drop(DropReason::ip_header_length);
    const std::size_t total = read16(ip + 2);
    if (total < header_size || total > packet.size()) return drop(DropReason::ip_total_length);
    const Bytes header = packet.first(header_size);
    if (internet_checksum(header) != 0) return drop(DropReason::ip_checksum);
    if (read32(ip + 16) != own.ip) return drop(DropReason::ip_destination);
    if (is_broadcast) return drop(DropReason::ip_link_broadcast);
    if ((read16(ip + 6) & kMoreFragmentsOrOffset) != 0) return drop(DropReason::ip_fragment);
    if (ip[8] == 0) return drop(DropReason::ip_ttl);
    const Ipv4Address source = read32(ip + 12);
    if (!is_usable_host(source) || source == own.ip) return drop(DropReason::ip_source);
    const Bytes body = packet.subspan(header_size, total - header_size);
    if (ip[9] == kProtocolUdp) {
        FrameResult result = handle_udp(frame, body, own);
        result.path.local = ipv4_address(own.ip, own.udp_port);
        result.path.remote = ipv4_address(source, result.path.remote.port);
        return result;
    }
    if (ip[9] == kProtocolIcmp) return handle_icmp(frame, header, body, own);
    return drop(DropReason::ip_protocol);
}

constexpr std::array<std::string_view, kDropReasonCount> kDropNames = {
    "frame_short",       "frame_segmented", "vlan",          "source_mac",
    "other_mac",         "ethertype",       "arp_short",     "arp_malformed",
    "arp_other",         "arp_conflict",    "ip_short",      "ip_version",
    "ip_header_length",  "ip_total_length", "ip_checksum",   "ip_fragment",
    "ip_hop_by_hop",     "ip_ttl",          "ip_source",     "ip_destination",
    "ip_link_broadcast", "ip_protocol",     "icmp_short",    "icmp_type",
    "icmp_options",      "icmp_checksum",   "ndp_malformed", "ndp_other",
    "ndp_conflict",      "udp_short",       "udp_length",    "udp_source_port",
    "udp_port",          "udp_no_checksum", "udp_empty",
};
static_assert(!kDropNames.back().empty(), "a name for each reason");

}  // namespace

FrameResult handle_udp(Bytes frame, Bytes body, const Station& own) {
    if (body.size() < kUdpBytes) return drop(DropReason::udp_short);
    const std::uint16_t length = read16(body.data() + 4);
    if (length < kUdpBytes || length > body.size()) return drop(DropReason::udp_length);
    const std::uint16_t source_port = read16(body.data());
    if (read16(body.data() + 2) != own.udp_port) return drop(DropReason::udp_port);
    if (source_port == 0) return drop(DropReason::udp_source_port);
    if (length == kUdpBytes) return drop(DropReason::udp_empty);
    FrameResult result;
    result.action = FrameAction::datagram;
    result.path.remote.port = source_port;
    std::memcpy(result.path.remote_mac, frame.data() + 6, sizeof result.path.remote_mac);
    result.payload = body.subspan(kUdpBytes, length - kUdpBytes);
    return result;
}

std::string_view to_string(DropReason reason) { return kDropNames[static_cast<std::size_t>(reason)]; }

FrameResult handle_frame(std::span<std::uint8_t> frame, const Station& own) {
    if (frame.size() < kEthernetBytes) return drop(DropReason::frame_short);
    const MacAddress to = read_mac(frame.data());
    const bool is_broadcast = to == kBroadcast;
    const bool is_group6 = own.has_ip6() && is_our_group(to, own);
    if (!is_broadcast && !is_group6 && to != own.mac) return drop(DropReason::other_mac);
    if (!is_station(read_mac(frame.data() + 6))) return drop(DropReason::source_mac);
    std::uint16_t type = read16(frame.data() + 12);
    if (own.vlan != 0) {
        if (type != kEthertypeVlan) return drop(DropReason::vlan);
        if (frame.size() < own.link_bytes()) return drop(DropReason::frame_short);
        if ((read16(frame.data() + 14) & kVlanIdMask) != own.vlan) return drop(DropReason::vlan);
        type = read16(frame.data() + 16);
    }
    if (type == kEthertypeIpv6 && own.has_ip6()) {
        return handle_ipv6(frame, own, is_broadcast || is_group6);
    }
    if (is_group6) return drop(DropReason::other_mac);
    if (type == kEthertypeIpv4 && own.ip != 0) return handle_ipv4(frame, own, is_broadcast);
    if (type == kEthertypeArp && own.ip != 0) return handle_arp(frame, own);
    const bool is_vlan = type == kEthertypeVlan || type == kEthertypeQinq;
    return drop(is_vlan ? DropReason::vlan : DropReason::ethertype);
}

std::size_t udp_headers_size(const Station& own, const Path& path) {
    const bool is_ipv4 = ipv4_of(path.remote) != 0;
    return own.link_bytes() + (is_ipv4 ? kIpv4Bytes : kIpv6Bytes) + kUdpBytes;
}

void build_udp_headers(std::span<std::uint8_t> frame, const Station& own, const Path& path) {
    const std::size_t headers = udp_headers_size(own, path);
    const std::size_t payload_size = frame.size() - headers;
    const bool is_ipv4 = ipv4_of(path.remote) != 0;
    write_ethernet(frame.data(), read_mac(path.remote_mac), own, is_ipv4 ? kEthertypeIpv4 : kEthertypeIpv6);
    std::uint8_t* ip = frame.data() + own.link_bytes();
    std::uint8_t* udp = frame.data() + headers - kUdpBytes;
    write16(udp, path.local.port);
    write16(udp + 2, path.remote.port);
    write16(udp + 4, static_cast<std::uint16_t>(kUdpBytes + payload_size));
    write16(udp + 6, 0);
    if (!is_ipv4) return build_udp_over_ipv6(frame.subspan(own.link_bytes()), path, payload_size);
    ip[0] = 0x45;
    ip[1] = 0;
    write16(ip + 2, static_cast<std::uint16_t>(kIpv4Bytes + kUdpBytes + payload_size));
    write16(ip + 4, 0);  // an unfragmentable packet needs no id (RFC 6864)
    write16(ip + 6, kDontFragment);
    ip[8] = kTtl;
    ip[9] = kProtocolUdp;
    write16(ip + 10, 0);
    write32(ip + 12, ipv4_of(path.local));
    write32(ip + 16, ipv4_of(path.remote));
    write16(ip + 10, internet_checksum({ip, kIpv4Bytes}));
}

void build_arp_request(std::span<std::uint8_t, kArpFrameBytes> out, const Station& own, Ipv4Address target) {
    std::ranges::fill(out, std::uint8_t{0});
    write_ethernet(out.data(), kBroadcast, own, kEthertypeArp);
    write_arp(out.data() + own.link_bytes(), 1, own, MacAddress{}, target);
}

std::uint16_t internet_checksum(std::span<const std::uint8_t> bytes) { return InternetSum().add(bytes).checksum(); }

bool is_usable_host(Ipv4Address ip) {
    const std::uint32_t first = ip >> 24;
    return first != 0 && first != 127 && first < 224;
}

}  // namespace bayplan::dataplane
