// See packet_size.h.
#include "quic/packet_size.h"

#include <algorithm>
#include <utility>

namespace bayplan::dataplane {

std::size_t PacketSize::most(std::uint64_t now) {
    if (state_ == State::small && now - suspected_at_ >= kAgain) {
        state_ = State::large;
        tried_at_ = now;
    }
    const bool large = open_ && state_ == State::large;
    return large ? most_ : std::min(most_, kLeast);
}

void PacketSize::acknowledged(std::uint64_t now) {
    if (state_ == State::suspected) {
        state_ = State::large;
        tried_at_ = now;
    } else if (state_ == State::large && now - tried_at_ >= kPatience / 2) {
        // Of what was sent since then: small packets on their way would have been acknowledged earlier.
        suspected_at_ = 0;
        told_ = false;
    }
}

bool PacketSize::waiting(std::uint64_t since, std::uint64_t now) {
    const bool of_large = open_ && state_ == State::large && large_sent_ >= since;
    if (!of_large || now - since < kPatience) return false;
    const bool again = suspected_at_ != 0 && (told_ || now - suspected_at_ < kAgain);
    suspected_at_ = now;
    state_ = again ? State::small : State::suspected;
    return again && !std::exchange(told_, true);
}

}  // namespace bayplan::dataplane
