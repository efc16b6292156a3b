// See admission.h.
#include "quic/admission.h"

#include <algorithm>
#include <cstring>

namespace bayplan::dataplane {

namespace {

// The network that one owner of addresses usually has: a /24 of IPv4, a /56 of IPv6 (RFC 6177).
std::uint64_t prefix_of(const UdpAddress& address) {
    constexpr std::uint8_t kMapped[12] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};
    std::uint64_t prefix = 0;
    if (std::memcmp(address.ip, kMapped, sizeof kMapped) == 0) {
        std::memcpy(&prefix, address.ip + 12, 3);
        return prefix;
    }
    std::memcpy(&prefix, address.ip, 7);
    // Apart from every IPv4 prefix, which leaves this byte zero.
    return prefix | (std::uint64_t{1} << 56);
}

std::uint64_t mix(std::uint64_t value, std::uint64_t key) {
    __extension__ using Wide = unsigned __int128;
    const Wide product = static_cast<Wide>(value ^ key) * ((key | 1) ^ 0xd6e8feb86659fd93ull);
    return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
}

}  // namespace

Admission::Admission(const HandshakeLimits& limits, std::uint64_t key)
    : limits_(limits), key_(key), all_(limits.per_s), answers_(limits.answers_per_s) {}

Admission::Network& Admission::network_of(const UdpAddress& from, std::uint64_t now_ns) {
    const std::uint64_t prefix = prefix_of(from);
    const std::size_t first = mix(prefix, key_) % (kNetworks / kWays) * kWays;
    Network* oldest = &networks_[first];
    for (std::size_t i = first; i < first + kWays; ++i) {
        Network& network = networks_[i];
        if (network.used && network.prefix == prefix) return network;
        if (!network.used || (oldest->used && network.bucket.last_ns() < oldest->bucket.last_ns())) oldest = &network;
    }
    *oldest = {prefix, true, TokenBucket(limits_.per_s_of_network)};
    oldest->bucket.has(now_ns);  // its time begins now
    return *oldest;
}

bool Admission::same_network(const UdpAddress& a, const UdpAddress& b) { return prefix_of(a) == prefix_of(b); }

Admission::Verdict Admission::judge(const UdpAddress& from, Proof proof, const Pending& pending, std::uint64_t now_ns) {
    const bool proven = proof != Proof::none;
    if (!proven && pending.all >= limits_.retry_above) return Verdict::retry;
    TokenBucket& network = network_of(from, now_ns).bucket;
    if (!network.has(now_ns)) return proven ? Verdict::source_exceeded : Verdict::retry;
    if (!all_.has(now_ns)) return Verdict::rate_exceeded;
    if (pending.of_network >= limits_.pending_max_of_network) return Verdict::pending_max_network;
    const std::size_t reserve = proof == Proof::earlier_connection ? 0 : limits_.pending_max / 4;
    if (pending.all + reserve >= limits_.pending_max) return Verdict::pending_max;
    all_.take(now_ns);
    network.take(now_ns);
    return Verdict::accept;
}

}  // namespace bayplan::dataplane
