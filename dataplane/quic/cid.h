// QUIC connection ids. Ours have a fixed size and carry the lcore's index in byte 0, so that any
// receive ring can steer a packet to the lcore that owns its connection.
//
// Thread: any; plain values.
#pragma once

#include <ngtcp2/ngtcp2.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

namespace bayplan::dataplane {

inline constexpr std::size_t kOwnCidBytes = 16;

struct Cid {
    std::array<std::uint8_t, NGTCP2_MAX_CIDLEN> bytes{};
    std::uint8_t size = 0;

    Cid() = default;
    explicit Cid(std::span<const std::uint8_t> from) : size(static_cast<std::uint8_t>(from.size())) {
        if (!from.empty()) std::memcpy(bytes.data(), from.data(), from.size());
    }
    explicit Cid(const ngtcp2_cid& from) : Cid(std::span(from.data, from.datalen)) {}
    bool operator==(const Cid&) const = default;
};

// Of an established connection, as most are; its id has our size (RFC 8999).
inline bool is_short_header(std::span<const std::uint8_t> packet) { return !packet.empty() && (packet[0] & 0x80) == 0; }

// Peers choose the ids of first packets, so the hash is keyed: collisions cannot be prepared.
class CidHash {
public:
    explicit CidHash(std::uint64_t key = 0) : key_(key | 1) {}
    std::size_t operator()(const Cid& cid) const {
        std::uint64_t words[3] = {};
        std::memcpy(words, cid.bytes.data(), cid.bytes.size());
        std::uint64_t h = key_ ^ cid.size;
        for (const std::uint64_t word : words) h = mix(h ^ word);
        return static_cast<std::size_t>(h);
    }

private:
    std::uint64_t mix(std::uint64_t value) const {
        __extension__ using Wide = unsigned __int128;
        const Wide product = static_cast<Wide>(value + 0x9e3779b97f4a7c15ull) * (key_ ^ 0xd6e8feb86659fd93ull);
        return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
    }
    std::uint64_t key_;
};

}  // namespace bayplan::dataplane
