// Frames for tests of the L2/L3 code, built from scratch (not with the code under test), and the
// checksums by the book, so that a fault of the product cannot hide in the expectation.
//
// Thread: any; plain values.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "net/l2l3.h"

namespace bayplan::dataplane::test {

using Frame8 = std::vector<std::uint8_t>;

inline constexpr MacAddress kOwnMac = {0x02, 0, 0, 0, 0, 0x02};
inline constexpr MacAddress kPeerMac = {0x02, 0, 0, 0, 0, 0x01};
inline constexpr MacAddress kAll = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff};
inline constexpr Ipv4Address kOwnIp = 0x0a630002;   // 10.99.0.2
inline constexpr Ipv4Address kPeerIp = 0x0a630001;  // 10.99.0.1
inline constexpr std::uint16_t kOwnPort = 4433;
inline constexpr std::uint16_t kPeerPort = 50000;
inline constexpr Station kStation = {kOwnMac, kOwnIp, kOwnPort};

inline void put16(Frame8& f, unsigned v) {
    f.push_back(static_cast<std::uint8_t>(v >> 8));
    f.push_back(static_cast<std::uint8_t>(v));
}
inline void put32(Frame8& f, std::uint32_t v) {
    put16(f, v >> 16);
    put16(f, v & 0xffff);
}
inline void put(Frame8& f, const MacAddress& mac) { f.insert(f.end(), mac.begin(), mac.end()); }
inline void put(Frame8& f, std::string_view text) { f.insert(f.end(), text.begin(), text.end()); }
inline unsigned get16(const Frame8& f, std::size_t at) { return f.at(at) << 8 | f.at(at + 1); }
inline std::uint32_t get32(const Frame8& f, std::size_t at) {
    return std::uint32_t{get16(f, at)} << 16 | get16(f, at + 2);
}
inline void set16(Frame8& f, std::size_t at, unsigned v) {
    f.at(at) = static_cast<std::uint8_t>(v >> 8);
    f.at(at + 1) = static_cast<std::uint8_t>(v);
}

// Adds word by word with the end-around carry after each: another way than the product's.
inline unsigned sum_by_the_book(const Frame8& f, std::size_t from, std::size_t size) {
    unsigned sum = 0;
    for (std::size_t i = 0; i < size; i += 2) {
        const unsigned low = i + 1 < size ? f.at(from + i + 1) : 0;
        sum += f.at(from + i) * 256u + low;
        if (sum > 0xffff) sum -= 0xffff;
    }
    return sum;
}
inline void seal(Frame8& f, std::size_t from, std::size_t size, std::size_t checksum_at) {
    set16(f, checksum_at, 0);
    set16(f, checksum_at, 0xffff - sum_by_the_book(f, from, size));
}
inline void seal_ip(Frame8& f) { seal(f, 14, (f.at(14) & 15u) * 4, 24); }

struct IpOptions {
    MacAddress to = kOwnMac;
    MacAddress from = kPeerMac;
    Ipv4Address source = kPeerIp;
    Ipv4Address destination = kOwnIp;
    unsigned protocol = 17;
    unsigned ttl = 64;
    unsigned fragment = 0x4000;
    Frame8 options = {};  // a multiple of 4 bytes
};

// Ethernet + IPv4 around `body`.
inline Frame8 make_ip(const Frame8& body, const IpOptions& o = {}) {
    Frame8 f;
    put(f, o.to);
    put(f, o.from);
    put16(f, 0x0800);
    f.push_back(static_cast<std::uint8_t>(0x40 | (5 + o.options.size() / 4)));
    f.push_back(0);
    put16(f, static_cast<unsigned>(20 + o.options.size() + body.size()));
    put16(f, 0x1234);
    put16(f, o.fragment);
    f.push_back(static_cast<std::uint8_t>(o.ttl));
    f.push_back(static_cast<std::uint8_t>(o.protocol));
    put16(f, 0);
    put32(f, o.source);
    put32(f, o.destination);
    f.insert(f.end(), o.options.begin(), o.options.end());
    seal_ip(f);
    f.insert(f.end(), body.begin(), body.end());
    return f;
}

inline Frame8 make_udp(std::string_view payload, const IpOptions& o = {}, unsigned from = kPeerPort,
                       unsigned to = kOwnPort) {
    Frame8 body;
    put16(body, from);
    put16(body, to);
    put16(body, static_cast<unsigned>(8 + payload.size()));
    put16(body, 0xbeef);  // a partial checksum, as veth peers send it
    put(body, payload);
    return make_ip(body, o);
}

inline Frame8 make_echo(const Frame8& data, IpOptions o = {}, unsigned type = 8) {
    Frame8 body;
    put16(body, type << 8);
    put16(body, 0);
    body.insert(body.end(), data.begin(), data.end());  // id, sequence, payload
    seal(body, 0, body.size(), 2);
    o.protocol = 1;
    return make_ip(body, o);
}

// Word of a router about a packet of ours that it could not pass on (RFC 792, RFC 1191).
inline Frame8 make_too_big(const Frame8& ours, unsigned mtu, IpOptions o = {}) {
    Frame8 body = {3, 4, 0, 0, 0, 0};
    put16(body, mtu);
    body.insert(body.end(), ours.begin() + 14, ours.begin() + 14 + 28);
    seal(body, 0, body.size(), 2);
    o.protocol = 1;
    return make_ip(body, o);
}

struct ArpOptions {
    unsigned operation = 1;
    MacAddress to = kAll;
    MacAddress sender_mac = kPeerMac;
    Ipv4Address sender_ip = kPeerIp;
    Ipv4Address target_ip = kOwnIp;
};

inline Frame8 make_arp(const ArpOptions& o = {}) {
    Frame8 f;
    put(f, o.to);
    put(f, kPeerMac);
    put16(f, 0x0806);
    put16(f, 1);
    put16(f, 0x0800);
    put16(f, 0x0604);
    put16(f, o.operation);
    put(f, o.sender_mac);
    put32(f, o.sender_ip);
    put(f, MacAddress{});
    put32(f, o.target_ip);
    return f;
}

}  // namespace bayplan::dataplane::test
