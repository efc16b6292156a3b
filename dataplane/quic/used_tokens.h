// Retry tokens that have begun a connection: each is good once. A token is known by the connection id that its Retry packet
// gave, which the token is bound to and which the client's first packet is sent to; that id says which lcore owns it.
//
// Two generations, each filled for as long as a token is valid: an id is kept for at least that long, at most twice.
// Memory: ids come in only with handshakes that are accepted, so their rate (Admission) bounds it.
//
// Thread: the data plane's. Owner: AddressTokens.
#pragma once

#include <cstdint>
#include <unordered_set>
#include <utility>

#include "quic/cid.h"

namespace bayplan::dataplane {

class UsedTokens {
public:
    explicit UsedTokens(std::uint64_t valid_ns) : valid_ns_(valid_ns) {}

    bool used(const Cid& id) const { return now_.contains(id) || before_.contains(id); }

    // `now_ns` does not go back.
    void add(const Cid& id, std::uint64_t now_ns) {
        if (now_ns - since_ns_ >= valid_ns_) {
            before_ = std::exchange(now_, {});
            if (now_ns - since_ns_ >= 2 * valid_ns_) before_.clear();
            since_ns_ = now_ns;
        }
        now_.insert(id);
    }
    std::size_t size() const { return now_.size() + before_.size(); }

private:
    std::uint64_t valid_ns_;
    std::uint64_t since_ns_ = 0;
    std::unordered_set<Cid, CidHash> now_;
    std::unordered_set<Cid, CidHash> before_;
};

}  // namespace bayplan::dataplane
