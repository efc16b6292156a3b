// See flood.h.
#include "flood.h"

#include <algorithm>

#include "net/udp_address.h"
#include "quic_world.h"

namespace bayplan::dataplane::testing {

Flood::Flood(std::uint64_t seed) : random_(seed) {
    packets_ = first_packets(kAttempts);
    packets_.reserve(kAttempts + kGarbage);
    for (std::size_t i = 0; i < kForgedTokens; ++i) packets_[i] = with_token(packets_[i]);
    for (std::size_t i = 0; i < kGarbage; ++i) packets_.push_back(garbage(i % 7));
    std::shuffle(packets_.begin(), packets_.end(), random_);
}

UdpAddress Flood::nobody() {
    return ipv4_address(0x0b000000u + static_cast<std::uint32_t>(random_() & 0xffffff),
                        static_cast<std::uint16_t>(1024 + random_() % 60'000));
}

std::vector<std::uint8_t> Flood::noise(std::size_t size) {
    std::vector<std::uint8_t> bytes(size);
    for (auto& byte : bytes) byte = static_cast<std::uint8_t>(random_());
    return bytes;
}

// In the place of the empty token of a first packet, which keeps its size: it does not decrypt anyway.
std::vector<std::uint8_t> Flood::with_token(std::vector<std::uint8_t> packet) {
    constexpr std::uint8_t kSize = 40;
    const std::size_t size = packet.size();
    const std::size_t at = 7 + packet[5] + packet[6 + packet[5]];
    auto token = noise(kSize);
    token[0] = 0xb6;  // first byte of ngtcp2's Retry tokens
    packet[at] = kSize;
    packet.insert(packet.begin() + static_cast<std::ptrdiff_t>(at) + 1, token.begin(), token.end());
    packet.resize(size);
    return packet;
}

std::vector<std::uint8_t> Flood::garbage(std::size_t kind) {
    auto bytes = packets_[kForgedTokens + random_() % (kAttempts - kForgedTokens)];
    // Ids of its own: else it would be a copy and go to the connection it is a copy of.
    for (std::size_t i = 6; i < 14; ++i) bytes[i] = static_cast<std::uint8_t>(random_());
    switch (kind) {
        case 0: return bytes;                                  // does not decrypt
        case 1: bytes.resize(random_() % 1200); return bytes;  // cut
        case 2: bytes[4] = 9; return bytes;                    // another version
        case 3: bytes[0] |= 0x30; return bytes;                // Retry, or no type at all
        case 4:
            bytes = noise(1 + random_() % 60);
            bytes[0] &= 0x7f;
            return bytes;
        case 5:
            bytes = noise(1200);
            bytes[0] |= 0xc0;
            return bytes;
        default: return noise(1 + random_() % 1400);
    }
}

}  // namespace bayplan::dataplane::testing
