// Tokens by which a client proves that it receives at its address: Retry tokens, each good for one handshake, that is under
// way, and NEW_TOKEN tokens, which a server gives to a client that it has accepted, for its next handshake, so that a
// shim that returns in a flood need not be asked first.
//
// A NEW_TOKEN token holds for an address with any port. If it does not verify (too old, of another address or daemon),
// it counts as no token; a wrong Retry token is a mistake or malice and is refused (RFC 9000 section 8.1).
//
// Their secrets are of RotatedSecrets: a token is good for its time, of any generation that is known.
//
// Thread: the data plane's. Owner: QuicEndpoint.
#pragma once

#include <ngtcp2/ngtcp2.h>

#include <cstdint>
#include <span>
#include <vector>

#include "dataplane/data_plane.h"
#include "net/packet_port.h"
#include "quic/quic_secrets.h"
#include "quic/used_tokens.h"

namespace bayplan::dataplane {

class AddressTokens {
public:
    // The secrets outlive it.
    explicit AddressTokens(const RotatedSecrets& secrets) : secrets_(secrets) {}

    // --- server
    static bool is_retry(const ngtcp2_pkt_hd& first);
    // `source`: the id that the Retry packet comes from. Bytes written, or negative.
    ngtcp2_ssize write_retry(std::span<std::uint8_t> out, const UdpAddress& client, const ngtcp2_pkt_hd& first,
                             const ngtcp2_cid& source, std::uint64_t now) const;
    // `before_retry`: the id that the client first asked with. False as well for a token that has begun a connection.
    bool verify_retry(const UdpAddress& client, const ngtcp2_pkt_hd& first, ngtcp2_cid& before_retry,
                      std::uint64_t now) const;
    // A connection begins with this token, which is no good from now on.
    void use_retry(const ngtcp2_pkt_hd& first, std::uint64_t now) { used_.add(Cid(first.dcid), now); }
    // Empty on failure.
    std::vector<std::uint8_t> make(const UdpAddress& client, std::uint64_t now) const;
    bool verify(const UdpAddress& client, const ngtcp2_pkt_hd& first, std::uint64_t now) const;

    // --- client: the last one of one server, to be used once
    void keep(const UdpAddress& server, std::span<const std::uint8_t> token);
    std::vector<std::uint8_t> take(const UdpAddress& server);

private:
    // A client comes back at once; its clock does not matter, ours is in the token.
    static constexpr ngtcp2_duration kRetryValid = 10 * NGTCP2_SECONDS;

    const RotatedSecrets& secrets_;
    UsedTokens used_{kRetryValid};
    UdpAddress server_;
    std::vector<std::uint8_t> kept_;
};

}  // namespace bayplan::dataplane
