// How many handshakes a server lets begin, and how many strangers it answers: token buckets for all
// sources together and for each network of sources, and a bound on handshakes under way.
//
// A handshake costs most of a millisecond of CPU and a connection's memory, so strangers may not
// choose how many there are. Three lines of defence, in this order:
//   1. more than `retry_above` handshakes under way, or a source beyond its rate: the client must
//      first prove by Retry that it receives at its address; this costs us no memory
//   2. each network (/24 of IPv4, /56 of IPv6) has a rate of handshakes, and all together have one
//   3. at most `pending_max` are under way, of a network `pending_max_of_network`. The last quarter is for clients that were
//      here before (their token says so)
//   4. where these are reached, the handshake that has been silent for longest makes room (handshake_patience.h): an address
//      that proves itself and then says nothing keeps nobody else out
// A handshake above a rate is not answered: clients repeat their first packet by themselves, so
// that a burst of honest clients is served over the next second.
//
// Memory: fixed. Networks share a table of kNetworks buckets; the one unused for longest makes
// room. Thread: the data plane's. Owner: QuicEndpoint.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "dataplane/data_plane.h"
#include "net/packet_port.h"

namespace bayplan::dataplane {

// `rate` tokens per second, at most one second's worth at a time. Time does not go back.
class TokenBucket {
public:
    TokenBucket() = default;
    explicit TokenBucket(std::uint32_t rate) : rate_(rate), tokens_(full()) {}

    bool has(std::uint64_t now_ns) {
        refill(now_ns);
        return tokens_ >= kToken;
    }
    bool take(std::uint64_t now_ns) {
        if (!has(now_ns)) return false;
        tokens_ -= kToken;
        return true;
    }
    std::uint64_t last_ns() const { return last_ns_; }

private:
    // In token-nanoseconds, so that a refill needs no division and loses no fraction.
    static constexpr std::uint64_t kToken = 1'000'000'000;
    std::uint64_t full() const { return rate_ * kToken; }
    void refill(std::uint64_t now_ns) {
        const std::uint64_t passed = now_ns > last_ns_ ? now_ns - last_ns_ : 0;
        last_ns_ = now_ns;
        // A second fills the bucket; longer would overflow.
        tokens_ = passed >= kToken ? full() : tokens_ + passed * rate_;
        if (tokens_ > full()) tokens_ = full();
    }

    std::uint64_t rate_ = 0;
    std::uint64_t tokens_ = 0;
    std::uint64_t last_ns_ = 0;
};

class Admission {
public:
    static constexpr std::size_t kNetworks = 1024;

    enum class Verdict : std::uint8_t {
        accept,
        retry,                // the client must prove its address first
        rate_exceeded,        // of all sources
        source_exceeded,      // of the source's network
        pending_max,          // too many under way
        pending_max_network,  // of the source's network
    };

    // `key`: random, so that nobody can choose which networks share a place in the table.
    Admission(const HandshakeLimits&, std::uint64_t key);

    // How a client has shown that it receives at its address.
    enum class Proof : std::uint8_t { none, retry, earlier_connection };
    // Handshakes under way.
    struct Pending {
        std::size_t all = 0;
        std::size_t of_network = 0;
    };
    // Rates come first: who is above one displaces nobody. On accept the tokens are taken.
    Verdict judge(const UdpAddress& from, Proof, const Pending&, std::uint64_t now_ns);
    static bool same_network(const UdpAddress&, const UdpAddress&);
    // Whether one more answer to a stranger (Retry, refusal, version, reset) may be sent.
    bool may_answer(std::uint64_t now_ns) { return answers_.take(now_ns); }

private:
    static constexpr std::size_t kWays = 4;
    struct Network {
        std::uint64_t prefix = 0;
        bool used = false;
        TokenBucket bucket;
    };
    Network& network_of(const UdpAddress& from, std::uint64_t now_ns);

    const HandshakeLimits limits_;
    const std::uint64_t key_;
    TokenBucket all_;
    TokenBucket answers_;
    std::array<Network, kNetworks> networks_{};
};

}  // namespace bayplan::dataplane
