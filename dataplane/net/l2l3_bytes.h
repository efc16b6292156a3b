// Functions that the L2/L3 files share: bytes in network order, Ethernet headers, the sum of RFC 1071.
//
// Thread: any; no state. Callers have checked the lengths they read.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <span>

#include "net/l2l3.h"

namespace bayplan::dataplane {

inline constexpr std::uint16_t kEthertypeIpv4 = 0x0800;
inline constexpr std::uint16_t kEthertypeArp = 0x0806;
inline constexpr std::uint16_t kEthertypeVlan = 0x8100;
inline constexpr std::uint16_t kEthertypeQinq = 0x88a8;
inline constexpr std::uint16_t kEthertypeIpv6 = 0x86dd;
inline constexpr std::size_t kIpv4Bytes = 20;
inline constexpr std::size_t kIpv6Bytes = 40;
inline constexpr std::size_t kUdpBytes = 8;
inline constexpr std::uint8_t kProtocolUdp = 17;
inline constexpr std::uint8_t kTtl = 64;
inline constexpr MacAddress kBroadcast = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff};

using Bytes = std::span<std::uint8_t>;

inline std::uint16_t read16(const std::uint8_t* at) { return static_cast<std::uint16_t>(at[0] << 8 | at[1]); }

inline std::uint32_t read32(const std::uint8_t* at) { return std::uint32_t{read16(at)} << 16 | read16(at + 2); }

inline void write16(std::uint8_t* at, std::uint16_t value) {
    at[0] = static_cast<std::uint8_t>(value >> 8);
    at[1] = static_cast<std::uint8_t>(value);
}

inline void write32(std::uint8_t* at, std::uint32_t value) {
    write16(at, static_cast<std::uint16_t>(value >> 16));
    write16(at + 2, static_cast<std::uint16_t>(value));
}

inline MacAddress read_mac(const std::uint8_t* at) {
    MacAddress mac;
    std::memcpy(mac.data(), at, mac.size());
    return mac;
}

inline void write_mac(std::uint8_t* at, const MacAddress& mac) { std::memcpy(at, mac.data(), mac.size()); }

// One station: neither a group nor the all-zero address.
inline bool is_station(const MacAddress& mac) { return (mac[0] & 1) == 0 && mac != MacAddress{}; }

inline FrameResult drop(DropReason reason) {
    FrameResult result;
    result.reason = reason;
    return result;
}

// With the tag of our VLAN, if we are in one: own.link_bytes() in all.
inline void write_ethernet(std::uint8_t* at, const MacAddress& to, const Station& own, std::uint16_t type) {
    write_mac(at, to);
    write_mac(at + 6, own.mac);
    if (own.vlan != 0) {
        write16(at + 12, kEthertypeVlan);
        write16(at + 14, own.vlan);
        at += kVlanBytes;
    }
    write16(at + 12, type);
}

// One's complement sum, four bytes at a time in the machine's own order: the sum does not depend on it.
class InternetSum {
public:
    // Every part but the last has an even size.
    InternetSum& add(std::span<const std::uint8_t> bytes) {
        std::size_t i = 0;
        for (; i + 4 <= bytes.size(); i += 4) sum_ += word(bytes.data() + i, 4);
        if (i < bytes.size()) sum_ += word(bytes.data() + i, bytes.size() - i);
        return *this;
    }

    // Ready to be stored big endian; 0 over data that holds its checksum.
    std::uint16_t checksum() const {
        std::uint64_t sum = (sum_ & 0xffffffff) + (sum_ >> 32);
        while (sum >> 16 != 0) sum = (sum & 0xffff) + (sum >> 16);
        auto value = static_cast<std::uint16_t>(~sum);
        if constexpr (std::endian::native == std::endian::little) {
            value = static_cast<std::uint16_t>(value << 8 | value >> 8);
        }
        return value;
    }

private:
    static std::uint32_t word(const std::uint8_t* at, std::size_t size) {
        std::uint32_t value = 0;
        std::memcpy(&value, at, size);
        return value;
    }

    std::uint64_t sum_ = 0;  // 2^32 words of 32 bits fit
};

// IPv6, in l2l3_ipv6.cpp. `to_group`: the Ethernet address is that of a group.
FrameResult handle_ipv6(Bytes frame, const Station& own, bool to_group);
void build_udp_over_ipv6(Bytes packet, const Path& path, std::size_t payload_size);
// UDP of either version: header checked, path and payload set. The caller adds the addresses.
FrameResult handle_udp(Bytes frame, Bytes body, const Station& own);
bool is_our_group(const MacAddress& to, const Station& own);

}  // namespace bayplan::dataplane
