// The secrets of a server's stateless answers: Retry tokens, tokens of earlier connections, stateless resets.
//
// They follow from the TLS key and the certificate, so that all lcores agree and a daemon that was killed knows what its
// former life gave away. A reload that brings another key or certificate brings other secrets. The former ones stay good
// for kFormerStays, as long as a token of an earlier connection is; at most kFormerMax generations do. Each generation has
// a mark, which stands in connection ids: it says which secret a reset of that id was promised by.
//
// Memory: fixed. Thread: the data plane's. Owner: QuicEndpoint. Errors: without a key (clients) secrets are random.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "quic/cid.h"
#include "quic/quic_tls.h"

namespace bayplan::dataplane {

struct Secrets {
    using Bytes = std::array<std::uint8_t, 32>;
    Bytes retry{};
    Bytes address{};
    Bytes reset{};
    std::array<std::uint8_t, 2> mark{};
    bool operator==(const Secrets&) const = default;
};

class RotatedSecrets {
public:
    static constexpr std::uint64_t kFormerStays = 24ull * 3600 * 1'000'000'000;
    static constexpr std::size_t kFormerMax = 4;
    static constexpr std::size_t kMarkAt = 1;  // of a connection id: byte 0 is the lcore's

    explicit RotatedSecrets(const TlsCredentials&);
    // True if the credentials give other secrets. `now`: nanoseconds of the loop's clock.
    bool rotate(const TlsCredentials&, std::uint64_t now);

    const Secrets& current() const { return current_; }
    // `check` is asked for the secrets that are good, the newest first, until one fits.
    template <class Check>
    bool any(std::uint64_t now, Check&& check) const {
        if (check(current_)) return true;
        for (const Former& former : former_) {
            if (now < former.until && check(former.secrets)) return true;
        }
        return false;
    }
    void mark(std::span<std::uint8_t, kOwnCidBytes> id) const;
    // The secrets of a connection id's mark; the current ones if nobody knows the mark.
    const Secrets& of(const Cid&, std::uint64_t now) const;

private:
    struct Former {
        Secrets secrets;
        std::uint64_t until = 0;
    };
    Secrets current_;
    std::vector<Former> former_;  // the newest first
};

}  // namespace bayplan::dataplane
