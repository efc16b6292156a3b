// IPv6 of one port: neighbour discovery, echo, UDP. See l2l3.h.
//
// Thread: any; no state. Every read is preceded by a check of the length it needs.
#include <algorithm>
#include <cstring>

#include "net/l2l3.h"
#include "net/l2l3_bytes.h"

namespace bayplan::dataplane {
namespace {

constexpr std::uint8_t kNextHopByHop = 0;
constexpr std::uint8_t kNextFragment = 44;
constexpr std::uint8_t kNextIcmp = 58;
constexpr std::uint8_t kPacketTooBig = 2;
constexpr std::uint8_t kEchoRequest = 128;
constexpr std::uint8_t kEchoReply = 129;
constexpr std::uint8_t kSolicitation = 135;
constexpr std::uint8_t kAdvertisement = 136;
constexpr std::uint8_t kNdpHopLimit = 255;  // no router passes that on (RFC 4861, 3.1)
constexpr std::uint8_t kSourceLinkOption = 1;
constexpr std::uint8_t kTargetLinkOption = 2;
constexpr std::uint8_t kFlagSolicited = 0x40;
constexpr std::uint8_t kFlagOverride = 0x20;
constexpr std::size_t kIcmpv6Bytes = 8;
constexpr std::size_t kNdpFixedBytes = 24;  // ICMPv6 header, flags, target
constexpr Ipv6Address kAllNodes = {0xff, 0x02, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1};

// Offsets in an IPv6 header: payload length 4, next header 6, hop limit 7, source 8, destination 24.
Ipv6Address read_ip6(const std::uint8_t* at) {
    Ipv6Address ip;
    std::memcpy(ip.data(), at, ip.size());
    return ip;
}

void write_ip6(std::uint8_t* at, const Ipv6Address& ip) { std::memcpy(at, ip.data(), ip.size()); }

Ipv6Address solicited_group(const Ipv6Address& ip) {
    Ipv6Address group = {0xff, 0x02, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0xff, 0, 0, 0};
    std::copy(ip.begin() + 13, ip.end(), group.begin() + 13);
    return group;
}

// With the pseudo header of RFC 8200, 8.1. `packet` is the IPv6 header, `body` what the sum is over.
std::uint16_t checksum(const std::uint8_t* packet, std::uint8_t protocol, std::span<const std::uint8_t> body) {
    std::uint8_t rest[8] = {};
    write32(rest, static_cast<std::uint32_t>(body.size()));
    rest[7] = protocol;
    return InternetSum().add({packet + 8, 32}).add(rest).add(body).checksum();
}

void write_header(std::uint8_t* packet, std::size_t body_size, std::uint8_t next, std::uint8_t hop_limit,
                  const Ipv6Address& from, const Ipv6Address& to) {
    write32(packet, 0x60000000);
    write16(packet + 4, static_cast<std::uint16_t>(body_size));
    packet[6] = next;
    packet[7] = hop_limit;
    write_ip6(packet + 8, from);
    write_ip6(packet + 24, to);
}

// The link address that an option names; `found` stays as it is without one. False: broken.
bool read_link_option(std::span<const std::uint8_t> options, std::uint8_t wanted, MacAddress& found, bool& is_there) {
    while (!options.empty()) {
        if (options.size() < 8) return false;
        const std::size_t size = options[1] * std::size_t{8};
        if (size == 0 || size > options.size()) return false;
        if (options[0] == wanted) {
            if (size != 8 || !is_station(read_mac(options.data() + 2))) return false;
            found = read_mac(options.data() + 2);
            is_there = true;
        }
        options = options.subspan(size);
    }
    return true;
}

FrameResult handle_solicitation(Bytes frame, Bytes packet, Bytes body, const Station& own) {
    const Ipv6Address source = read_ip6(packet.data() + 8);
    const bool searches_duplicates = source == Ipv6Address{};
    FrameResult result;
    result.sender_ip6 = source;
    result.sender_mac = read_mac(frame.data() + 6);
    bool has_option = false;
    if (!read_link_option(body.subspan(kNdpFixedBytes), kSourceLinkOption, result.sender_mac, has_option)) {
        return drop(DropReason::ndp_malformed);
    }
    // RFC 4861, 7.1.1: a station without an address gives no link address, and asks the group.
    if (searches_duplicates && (has_option || read_ip6(packet.data() + 24) == own.ip6)) {
        return drop(DropReason::ndp_malformed);
    }
    if (source == own.ip6) return drop(DropReason::ip_source);
    if (read_ip6(body.data() + 8) != own.ip6) return drop(DropReason::ndp_other);
    result.action = FrameAction::ndp_question;
    return result;
}

FrameResult handle_advertisement(Bytes frame, Bytes packet, Bytes body, const Station& own) {
    FrameResult result;
    result.sender_ip6 = read_ip6(body.data() + 8);
    result.sender_mac = read_mac(frame.data() + 6);  // an answer to us alone may leave it out
    bool has_option = false;
    const bool to_all = read_ip6(packet.data() + 24) != own.ip6;
    const bool solicited = (body[4] & kFlagSolicited) != 0;
    if (!read_link_option(body.subspan(kNdpFixedBytes), kTargetLinkOption, result.sender_mac, has_option) ||
        (to_all && (solicited || !has_option)) || !is_usable_host(result.sender_ip6)) {
        return drop(DropReason::ndp_malformed);
    }
    if (result.sender_ip6 == own.ip6) return drop(DropReason::ndp_conflict);
    result.action = FrameAction::ndp_news;
    return result;
}

FrameResult handle_echo(Bytes frame, Bytes packet, Bytes body, const Station& own) {
    const Ipv6Address sender = read_ip6(packet.data() + 8);
    if (sender == own.ip6 || sender == Ipv6Address{}) return drop(DropReason::ip_source);
    write_ethernet(frame.data(), read_mac(frame.data() + 6), own, kEthertypeIpv6);
    write_header(packet.data(), body.size(), kNextIcmp, kTtl, own.ip6, sender);
    body[0] = kEchoReply;
    write16(body.data() + 2, 0);
    write16(body.data() + 2, checksum(packet.data(), kNextIcmp, body));
    const std::size_t used = own.link_bytes() + kIpv6Bytes + body.size();
    std::ranges::fill(frame.subspan(used), std::uint8_t{0});
    FrameResult result;
    result.action = FrameAction::icmp_reply;
    return result;
}

// As for IPv4.
FrameResult read_too_big6(Bytes body, const Station& own) {
    const Bytes quoted = body.subspan(kIcmpv6Bytes);
    if (quoted.size() < kIpv6Bytes + kUdpBytes) return drop(DropReason::icmp_short);
    if (quoted[0] >> 4 != 6 || quoted[6] != kProtocolUdp || read_ip6(quoted.data() + 8) != own.ip6 ||
        read16(quoted.data() + kIpv6Bytes) != own.udp_port) {
        return drop(DropReason::icmp_type);
    }
    FrameResult result;
    result.action = FrameAction::too_big;
    result.mtu = read32(body.data() + 4);
    std::memcpy(result.path.remote.ip, quoted.data() + 24, sizeof result.path.remote.ip);
    result.path.remote.port = read16(quoted.data() + kIpv6Bytes + 2);
    return result;
}

FrameResult handle_icmpv6(Bytes frame, Bytes packet, Bytes body, const Station& own) {
    if (body.size() < kIcmpv6Bytes) return drop(DropReason::icmp_short);
    const std::uint8_t type = body[0];
    const bool to_us = read_ip6(packet.data() + 24) == own.ip6;
    const bool is_ndp = type == kSolicitation || type == kAdvertisement;
    if (!is_ndp && type != kEchoRequest && type != kPacketTooBig) return drop(DropReason::icmp_type);
    if (body[1] != 0) return drop(DropReason::icmp_type);
    if (checksum(packet.data(), kNextIcmp, body) != 0) return drop(DropReason::icmp_checksum);
    if (type == kPacketTooBig) return to_us ? read_too_big6(body, own) : drop(DropReason::ip_destination);
    if (!is_ndp) {
        return to_us ? handle_echo(frame, packet, body, own) : drop(DropReason::ip_destination);
    }
    if (packet[7] != kNdpHopLimit || body.size() < kNdpFixedBytes || body[8] == 0xff) {
        return drop(DropReason::ndp_malformed);
    }
    return type == kSolicitation ? handle_solicitation(frame, packet, body, own)
                                 : handle_advertisement(frame, packet, body, own);
}

FrameResult handle_datagram(Bytes frame, Bytes packet, Bytes body, const Station& own) {
    FrameResult result = handle_udp(frame, body, own);
    if (result.action != FrameAction::datagram) return result;
    if (read16(body.data() + 6) == 0) return drop(DropReason::udp_no_checksum);
    write_ip6(result.path.local.ip, own.ip6);
    result.path.local.port = own.udp_port;
    std::memcpy(result.path.remote.ip, packet.data() + 8, sizeof result.path.remote.ip);
    return result;
}

// IPv6 header and ICMPv6 message with one link address option.
void write_ndp(Bytes out, const Station& own, const MacAddress& to_mac, const Ipv6Address& to, std::uint8_t type,
               std::uint8_t flags, const Ipv6Address& target) {
    std::ranges::fill(out, std::uint8_t{0});
    write_ethernet(out.data(), to_mac, own, kEthertypeIpv6);
    std::uint8_t* packet = out.data() + own.link_bytes();
    write_header(packet, kNdpBytes - kIpv6Bytes, kNextIcmp, kNdpHopLimit, own.ip6, to);
    std::uint8_t* body = packet + kIpv6Bytes;
    body[0] = type;
    body[4] = flags;
    write_ip6(body + 8, target);
    body[24] = type == kSolicitation ? kSourceLinkOption : kTargetLinkOption;
    body[25] = 1;
    write_mac(body + 26, own.mac);
    write16(body + 2, checksum(packet, kNextIcmp, {body, kNdpBytes - kIpv6Bytes}));
}

}  // namespace

FrameResult handle_ipv6(Bytes frame, const Station& own, bool to_group) {
    Bytes packet = frame.subspan(own.link_bytes());
    if (packet.size() < kIpv6Bytes) return drop(DropReason::ip_short);
    if (packet[0] >> 4 != 6) return drop(DropReason::ip_version);
    const std::size_t body_size = read16(packet.data() + 4);
    if (body_size > packet.size() - kIpv6Bytes) return drop(DropReason::ip_total_length);
    packet = packet.first(kIpv6Bytes + body_size);
    const Ipv6Address destination = read_ip6(packet.data() + 24);
    const std::uint8_t next = packet[6];
    const bool to_us = destination == own.ip6;
    const bool to_our_group =
        next == kNextIcmp && (destination == kAllNodes || destination == solicited_group(own.ip6));
    if (!to_us && !to_our_group) return drop(DropReason::ip_destination);
    if (to_us && to_group) return drop(DropReason::ip_link_broadcast);
    if (packet[7] == 0) return drop(DropReason::ip_ttl);
    const Ipv6Address source = read_ip6(packet.data() + 8);
    // Only a search for duplicates comes from nobody; an advertisement of our own address is a
    // conflict, and told as such.
    const bool from_nobody = source == Ipv6Address{} && next == kNextIcmp;
    if (!from_nobody && !is_usable_host(source)) return drop(DropReason::ip_source);
    const Bytes body = packet.subspan(kIpv6Bytes);
    if (next == kNextIcmp) return handle_icmpv6(frame, packet, body, own);
    if (source == own.ip6) return drop(DropReason::ip_source);
    if (next == kProtocolUdp) return handle_datagram(frame, packet, body, own);
    if (next == kNextFragment) return drop(DropReason::ip_fragment);
    return drop(next == kNextHopByHop ? DropReason::ip_hop_by_hop : DropReason::ip_protocol);
}

void build_udp_over_ipv6(Bytes packet, const Path& path, std::size_t payload_size) {
    Ipv6Address from;
    Ipv6Address to;
    std::memcpy(from.data(), path.local.ip, from.size());
    std::memcpy(to.data(), path.remote.ip, to.size());
    const std::size_t body_size = kUdpBytes + payload_size;
    write_header(packet.data(), body_size, kProtocolUdp, kTtl, from, to);
    const Bytes body = packet.subspan(kIpv6Bytes, body_size);
    const std::uint16_t sum = checksum(packet.data(), kProtocolUdp, body);
    write16(body.data() + 6, sum == 0 ? 0xffff : sum);  // 0 would say "none"
}

void build_solicitation(std::span<std::uint8_t> out, const Station& own, const Ipv6Address& target) {
    write_ndp(out, own, solicited_mac(target), solicited_group(target), kSolicitation, 0, target);
}

void build_advertisement(std::span<std::uint8_t> out, const Station& own, const Ipv6Address& to_ip,
                         const MacAddress& to_mac) {
    const bool to_all = to_ip == Ipv6Address{};
    const auto flags = static_cast<std::uint8_t>(kFlagOverride | (to_all ? 0 : kFlagSolicited));
    write_ndp(out, own, to_all ? kAllNodesMac : to_mac, to_all ? kAllNodes : to_ip, kAdvertisement, flags, own.ip6);
}

bool is_our_group(const MacAddress& to, const Station& own) {
    return to == kAllNodesMac || to == solicited_mac(own.ip6);
}

MacAddress solicited_mac(const Ipv6Address& ip) { return {0x33, 0x33, 0xff, ip[13], ip[14], ip[15]}; }

bool is_usable_host(const Ipv6Address& ip) {
    constexpr Ipv6Address kLoopback = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1};
    constexpr std::uint8_t kMapped[12] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};
    return ip[0] != 0xff && ip != Ipv6Address{} && ip != kLoopback &&
           std::memcmp(ip.data(), kMapped, sizeof kMapped) != 0;
}

}  // namespace bayplan::dataplane
