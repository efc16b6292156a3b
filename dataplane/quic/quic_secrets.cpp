// See quic_secrets.h.
#include "quic/quic_secrets.h"

#include <algorithm>

namespace bayplan::dataplane {

namespace {

Secrets secrets_of(const TlsCredentials& credentials) {
    Secrets out;
    credentials.derive_secret("bayplan retry tokens", out.retry);
    credentials.derive_secret("bayplan address tokens", out.address);
    credentials.derive_secret("bayplan stateless resets", out.reset);
    Secrets::Bytes mark{};
    credentials.derive_secret("bayplan generation", mark);
    std::copy_n(mark.begin(), out.mark.size(), out.mark.begin());
    return out;
}

}  // namespace

RotatedSecrets::RotatedSecrets(const TlsCredentials& credentials) : current_(secrets_of(credentials)) {}

bool RotatedSecrets::rotate(const TlsCredentials& credentials, std::uint64_t now) {
    const Secrets fresh = secrets_of(credentials);
    if (fresh == current_) return false;
    std::erase_if(former_, [&](const Former& former) { return now >= former.until || former.secrets == fresh; });
    former_.insert(former_.begin(), Former{current_, now + kFormerStays});
    if (former_.size() > kFormerMax) former_.resize(kFormerMax);
    current_ = fresh;
    return true;
}

void RotatedSecrets::mark(std::span<std::uint8_t, kOwnCidBytes> id) const {
    std::ranges::copy(current_.mark, id.begin() + kMarkAt);
}

const Secrets& RotatedSecrets::of(const Cid& id, std::uint64_t now) const {
    const auto marked = [&](const Secrets& secrets) {
        return std::equal(secrets.mark.begin(), secrets.mark.end(), id.bytes.begin() + kMarkAt);
    };
    if (marked(current_)) return current_;
    for (const Former& former : former_) {
        if (now < former.until && marked(former.secrets)) return former.secrets;
    }
    return current_;
}

}  // namespace bayplan::dataplane
