// See quic_tokens.h.
#include "quic/quic_tokens.h"

#include <ngtcp2/ngtcp2_crypto.h>

#include <utility>

#include "net/udp_address.h"

namespace bayplan::dataplane {

namespace {

// Addresses are given to others at that pace; and a shim that was away for longer can be asked.
constexpr ngtcp2_duration kValid = RotatedSecrets::kFormerStays;

const sockaddr* as_generic(const sockaddr_in6& address) { return reinterpret_cast<const sockaddr*>(&address); }

}  // namespace

bool AddressTokens::is_retry(const ngtcp2_pkt_hd& first) {
    return first.token.len > 0 && first.token.base[0] == NGTCP2_CRYPTO_TOKEN_MAGIC_RETRY;
}

ngtcp2_ssize AddressTokens::write_retry(std::span<std::uint8_t> out, const UdpAddress& client,
                                        const ngtcp2_pkt_hd& first, const ngtcp2_cid& source, std::uint64_t now) const {
    const sockaddr_in6 remote = to_sockaddr6(client);
    const Secrets::Bytes& secret = secrets_.current().retry;
    std::array<std::uint8_t, NGTCP2_CRYPTO_MAX_RETRY_TOKENLEN> token;
    const ngtcp2_ssize size =
        ngtcp2_crypto_generate_retry_token(token.data(), secret.data(), secret.size(), first.version,
                                           as_generic(remote), sizeof remote, &source, &first.dcid, now);
    if (size < 0) return size;
    return ngtcp2_crypto_write_retry(out.data(), out.size(), first.version, &first.scid, &source, &first.dcid,
                                     token.data(), static_cast<std::size_t>(size));
}

bool AddressTokens::verify_retry(const UdpAddress& client, const ngtcp2_pkt_hd& first, ngtcp2_cid& before_retry,
                                 std::uint64_t now) const {
    if (used_.used(Cid(first.dcid))) return false;
    const sockaddr_in6 remote = to_sockaddr6(client);
    return secrets_.any(now, [&](const Secrets& secrets) {
        return ngtcp2_crypto_verify_retry_token(&before_retry, first.token.base, first.token.len, secrets.retry.data(),
                                                secrets.retry.size(), first.version, as_generic(remote), sizeof remote,
                                                &first.dcid, kRetryValid, now) == 0;
    });
}

std::vector<std::uint8_t> AddressTokens::make(const UdpAddress& client, std::uint64_t now) const {
    const sockaddr_in6 remote = to_sockaddr6(client);
    const Secrets::Bytes& secret = secrets_.current().address;
    std::vector<std::uint8_t> token(NGTCP2_CRYPTO_MAX_REGULAR_TOKENLEN);
    const ngtcp2_ssize size = ngtcp2_crypto_generate_regular_token(token.data(), secret.data(), secret.size(),
                                                                   as_generic(remote), sizeof remote, now);
    token.resize(size < 0 ? 0 : static_cast<std::size_t>(size));
    return token;
}

bool AddressTokens::verify(const UdpAddress& client, const ngtcp2_pkt_hd& first, std::uint64_t now) const {
    if (first.token.len == 0 || is_retry(first)) return false;
    const sockaddr_in6 remote = to_sockaddr6(client);
    return secrets_.any(now, [&](const Secrets& secrets) {
        return ngtcp2_crypto_verify_regular_token(first.token.base, first.token.len, secrets.address.data(),
                                                  secrets.address.size(), as_generic(remote), sizeof remote, kValid,
                                                  now) == 0;
    });
}

void AddressTokens::keep(const UdpAddress& server, std::span<const std::uint8_t> token) {
    constexpr std::size_t kBytesMax = 512;  // ours have 50; what is sent with each first packet
    if (token.size() > kBytesMax) return;
    server_ = server;
    kept_.assign(token.begin(), token.end());
}

std::vector<std::uint8_t> AddressTokens::take(const UdpAddress& server) {
    return server == server_ ? std::exchange(kept_, {}) : std::vector<std::uint8_t>();
}

}  // namespace bayplan::dataplane
