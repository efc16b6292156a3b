// Chains of certificates whose signatures were good a moment ago, so that a peer that comes back, or many that come with one
// certificate, cost no second look at them: reading and verifying a chain is a third of a handshake.
//
// Only the chain's part is remembered. That the peer holds the key is proven by every handshake anew. A refusal is not
// remembered. An entry is good for kSeconds, never beyond the end of any certificate of its chain or of the authority's file,
// and not after the clock went back. Other authorities or revocation lists are other TlsCredentials, which begin with none.
//
// Memory: at most kChainsMax entries; when they are all in use, it begins anew. Thread: any; a lock per handshake.
// Owner: TlsCredentials.
#pragma once

#include <gnutls/gnutls.h>

#include <array>
#include <boost/unordered/unordered_flat_map.hpp>
#include <cstdint>
#include <cstring>
#include <mutex>
#include <optional>
#include <span>
#include <string>

namespace bayplan::dataplane {

// Of a peer whose chain was good.
struct VerifiedPeer {
    std::string name;         // the common name of its certificate
    std::int64_t ends_s = 0;  // of its certificate; seconds since 1970
};

class VerifiedChains {
public:
    static constexpr std::int64_t kSeconds = 60;
    static constexpr std::size_t kChainsMax = 1024;

    // SHA-256 of the certificates and their lengths.
    using Key = std::array<std::uint8_t, 32>;
    // None if it cannot be computed.
    static std::optional<Key> key_of(std::span<const gnutls_datum_t> chain);

    std::optional<VerifiedPeer> find(const Key&, std::int64_t now_s) const;
    // `chain_ends_s`: the earliest end of its certificates.
    void keep(const Key&, VerifiedPeer, std::int64_t chain_ends_s, std::int64_t now_s);
    // 0 if a certificate cannot be read.
    static std::int64_t earliest_end_s(std::span<const gnutls_datum_t> chain);

private:
    struct Entry {
        VerifiedPeer peer;
        std::int64_t since_s = 0;
        std::int64_t until_s = 0;
    };
    struct KeyHash {
        using is_avalanching = void;
        std::size_t operator()(const Key& key) const {
            std::size_t out;
            std::memcpy(&out, key.data(), sizeof out);
            return out;
        }
    };

    mutable std::mutex mutex_;
    boost::unordered_flat_map<Key, Entry, KeyHash> entries_;
};

}  // namespace bayplan::dataplane
