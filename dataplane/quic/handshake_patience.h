// Since when a handshake has been silent, and which one makes room when there are too many under way.
//
// Silent: nothing that brings the handshake forward has come for kSilent. Packets that bring nothing do not count. A
// handshake of more than kWhole in all counts as silent too, with all that it sends: round trips of a data centre make it
// milliseconds. Only the silent make room, so that a burst of honest clients displaces none of them.
//
// Memory: two times per connection. Thread: the data plane's. Owner: the connection. Times: nanoseconds of the loop's clock.
#pragma once

#include <cstdint>

namespace bayplan::dataplane {

class HandshakePatience {
public:
    static constexpr std::uint64_t kSilent = 250'000'000;
    static constexpr std::uint64_t kWhole = 1'000'000'000;

    explicit HandshakePatience(std::uint64_t now) : begun_(now), heard_(now) {}
    void heard(std::uint64_t now) {
        heard_ = now;
        ++steps_;
    }
    // By how many packets it went forward.
    std::uint32_t steps() const { return steps_; }

    bool silent(std::uint64_t now) const { return now - heard_ >= kSilent || now - begun_ >= kWhole; }
    // Of two silent handshakes the older in this makes room.
    std::uint64_t since(std::uint64_t now) const { return now - begun_ >= kWhole ? begun_ : heard_; }

private:
    std::uint64_t begun_;
    std::uint64_t heard_;
    std::uint32_t steps_ = 0;
};

}  // namespace bayplan::dataplane
