// IPv6 and tagged frames for tests of the L2/L3 code, built from scratch like the frames of
// l2l3_frames.h.
//
// Thread: any; plain values.
#pragma once

#include "l2l3_frames.h"

namespace bayplan::dataplane::test {

inline constexpr Ipv6Address kOwnIp6 = {0xfd, 0x99, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xab, 0xcd, 2};
inline constexpr Ipv6Address kPeerIp6 = {0xfd, 0x99, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1};
inline constexpr Ipv6Address kOtherIp6 = {0xfd, 0x99, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 9};
inline constexpr Ipv6Address kNobody6 = {};
inline constexpr Ipv6Address kAllNodes6 = {0xff, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1};
inline constexpr Ipv6Address kOwnGroup6 = {0xff, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0xff, 0xab, 0xcd, 2};
inline constexpr MacAddress kOwnGroupMac = {0x33, 0x33, 0xff, 0xab, 0xcd, 2};
inline constexpr MacAddress kAllNodesMac6 = {0x33, 0x33, 0, 0, 0, 1};
// Both versions; and IPv6 alone in VLAN 42.
inline constexpr Station kStation6 = {kOwnMac, kOwnIp, kOwnPort, kOwnIp6, 0};
inline constexpr Station kTaggedStation = {kOwnMac, kOwnIp, kOwnPort, kOwnIp6, 42};

// Byte by byte: gcc 12 warns falsely about insert() into vectors whose size it knows.
inline void append(Frame8& f, std::span<const std::uint8_t> bytes) {
    for (const std::uint8_t byte : bytes) f.push_back(byte);
}
inline void put(Frame8& f, const Ipv6Address& ip) { append(f, ip); }

inline Frame8 tagged(const Frame8& f, unsigned tag = 42, unsigned type = 0x8100) {
    Frame8 out;
    append(out, std::span(f).first(12));
    put16(out, type);
    put16(out, tag);
    append(out, std::span(f).subspan(12));
    return out;
}

struct Ip6Options {
    MacAddress to = kOwnMac;
    MacAddress from = kPeerMac;
    Ipv6Address source = kPeerIp6;
    Ipv6Address destination = kOwnIp6;
    unsigned next = 17;
    unsigned hop_limit = 64;
};

// The sum over pseudo header and body (at 54 of an untagged frame): 0xffff when it holds.
inline unsigned sum6_by_the_book(const Frame8& f, std::size_t body_size) {
    Frame8 all(f.begin() + 22, f.begin() + 54);
    put32(all, static_cast<std::uint32_t>(body_size));
    put32(all, f.at(20));
    append(all, std::span(f).subspan(54, body_size));
    return sum_by_the_book(all, 0, all.size());
}

inline void seal6(Frame8& f, std::size_t checksum_at) {
    set16(f, checksum_at, 0);
    set16(f, checksum_at, 0xffff - sum6_by_the_book(f, f.size() - 54));
}

inline Frame8 make_ip6(const Frame8& body, const Ip6Options& o = {}) {
    Frame8 f;
    append(f, o.to);
    append(f, o.from);
    put16(f, 0x86dd);
    put32(f, 0x60000000);
    put16(f, static_cast<unsigned>(body.size()));
    f.push_back(static_cast<std::uint8_t>(o.next));
    f.push_back(static_cast<std::uint8_t>(o.hop_limit));
    put(f, o.source);
    put(f, o.destination);
    append(f, body);
    return f;
}

inline Frame8 make_udp6(std::string_view payload, const Ip6Options& o = {}, unsigned from = kPeerPort,
                        unsigned to = kOwnPort) {
    Frame8 body;
    put16(body, from);
    put16(body, to);
    put16(body, static_cast<unsigned>(8 + payload.size()));
    put16(body, 0xbeef);  // a partial checksum, as veth peers send it
    put(body, payload);
    return make_ip6(body, o);
}

inline Frame8 make_icmp6(unsigned type, unsigned code, const Frame8& rest, Ip6Options o = {}) {
    Frame8 body;
    put16(body, type << 8 | code);
    put16(body, 0);
    append(body, rest);
    o.next = 58;
    Frame8 f = make_ip6(body, o);
    if (body.size() >= 4) seal6(f, 56);
    return f;
}

inline Frame8 make_echo6(const Frame8& data, const Ip6Options& o = {}, unsigned type = 128) {
    return make_icmp6(type, 0, data, o);
}

// Word of a router about a packet of ours that it could not pass on (RFC 4443, 3.2).
inline Frame8 make_too_big6(const Frame8& ours, std::uint32_t mtu, const Ip6Options& o = {}) {
    Frame8 rest;
    put32(rest, mtu);
    append(rest, std::span(ours).subspan(14, 48));
    return make_icmp6(2, 0, rest, o);
}

struct NdpOptions {
    unsigned type = 135;
    MacAddress to = kOwnGroupMac;
    Ipv6Address source = kPeerIp6;
    Ipv6Address destination = kOwnGroup6;
    Ipv6Address target = kOwnIp6;
    unsigned flags = 0;
    unsigned hop_limit = 255;
    // As they stand behind the target.
    Frame8 options = {1, 1, kPeerMac[0], kPeerMac[1], kPeerMac[2], kPeerMac[3], kPeerMac[4], kPeerMac[5]};
};

inline Frame8 make_ndp(const NdpOptions& o = {}) {
    Frame8 rest;
    put32(rest, o.flags << 24);
    put(rest, o.target);
    append(rest, o.options);
    return make_icmp6(o.type, 0, rest,
                      {.to = o.to, .source = o.source, .destination = o.destination, .hop_limit = o.hop_limit});
}

// The option that names `mac`: 1 in questions, 2 in answers.
inline Frame8 link_option(unsigned type, const MacAddress& mac) {
    Frame8 f;
    put16(f, type << 8 | 1);
    append(f, mac);
    return f;
}

inline Frame8 make_advertisement(NdpOptions o = {}) {
    o.type = 136;
    if (o.options == NdpOptions{}.options) o.options = link_option(2, kPeerMac);
    if (o.target == kOwnIp6) o.target = kPeerIp6;
    if (o.destination == kOwnGroup6) {
        o.destination = kOwnIp6;
        o.to = kOwnMac;
    }
    return make_ndp(o);
}

}  // namespace bayplan::dataplane::test
