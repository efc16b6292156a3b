// See verified_chains.h.
#include "quic/verified_chains.h"

#include <gnutls/crypto.h>
#include <gnutls/x509.h>

#include <algorithm>
#include <utility>

namespace bayplan::dataplane {

std::optional<VerifiedChains::Key> VerifiedChains::key_of(std::span<const gnutls_datum_t> chain) {
    Key key{};
    gnutls_hash_hd_t hash = nullptr;
    if (gnutls_hash_init(&hash, GNUTLS_DIG_SHA256) != 0) return std::nullopt;
    bool good = true;
    for (const gnutls_datum_t& each : chain) {
        // With lengths: two chains of the same bytes, cut elsewhere, are two chains.
        good = good && gnutls_hash(hash, &each.size, sizeof each.size) == 0;
        good = good && gnutls_hash(hash, each.data, each.size) == 0;
    }
    gnutls_hash_deinit(hash, key.data());
    if (!good) return std::nullopt;
    return key;
}

std::int64_t VerifiedChains::earliest_end_s(std::span<const gnutls_datum_t> chain) {
    std::int64_t first = INT64_MAX;
    for (const gnutls_datum_t& bytes : chain) {
        gnutls_x509_crt_t certificate = nullptr;
        if (gnutls_x509_crt_init(&certificate) != 0) return 0;
        const bool read = gnutls_x509_crt_import(certificate, &bytes, GNUTLS_X509_FMT_DER) == 0;
        first = std::min<std::int64_t>(first, read ? gnutls_x509_crt_get_expiration_time(certificate) : 0);
        gnutls_x509_crt_deinit(certificate);
    }
    return first;
}

std::optional<VerifiedPeer> VerifiedChains::find(const Key& key, std::int64_t now_s) const {
    const std::lock_guard lock(mutex_);
    const auto it = entries_.find(key);
    if (it == entries_.end() || now_s < it->second.since_s || now_s >= it->second.until_s) return std::nullopt;
    return it->second.peer;
}

void VerifiedChains::keep(const Key& key, VerifiedPeer peer, std::int64_t chain_ends_s, std::int64_t now_s) {
    const std::lock_guard lock(mutex_);
    if (entries_.size() >= kChainsMax) entries_.clear();
    entries_.insert_or_assign(key, Entry{std::move(peer), now_s, std::min(now_s + kSeconds, chain_ends_s)});
}

}  // namespace bayplan::dataplane
