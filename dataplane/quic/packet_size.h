// How large the packets of a connection are: kLeast while it begins, then `payload_bytes_max`, unless the path swallows
// packets of that size. That is found out by what becomes of the data, for routers need not say it, and anybody could.
//
//   large     --data not acknowledged for kPatience--> suspected: packets are small
//   suspected --data acknowledged--> watched: packets are large (a link was down, or the peer stopped)
//   watched   --large packets go through for half of kPatience--> large
//   watched   --data not acknowledged for kPatience, within kAgain--> small: told, and tried again after kAgain
//
// As black hole detection of RFC 8899; kLeast is what every path of QUIC takes (RFC 9000 section 14).
//
// Memory: a few words per connection. Thread: the data plane's. Owner: the connection. Times: nanoseconds of the loop's clock.
#pragma once

#include <cstddef>
#include <cstdint>

namespace bayplan::dataplane {

class PacketSize {
public:
    static constexpr std::size_t kLeast = 1'200;
    static constexpr std::uint64_t kPatience = 500'000'000;
    static constexpr std::uint64_t kAgain = 600'000'000'000;

    explicit PacketSize(std::size_t most) : most_(most) {}

    void opened() { open_ = true; }
    // The peer is elsewhere: of that path nothing is known.
    void moved() {
        state_ = State::large;
        suspected_at_ = 0;
        told_ = false;
    }
    // Bytes of the next packet at most.
    std::size_t most(std::uint64_t now);
    void sent(std::size_t bytes, std::uint64_t now) {
        if (bytes > kLeast) large_sent_ = now;
    }
    // The peer has acknowledged data.
    void acknowledged(std::uint64_t now);
    // Data waits for an acknowledgement since then. True if that shows, for the first time, that the path swallows large
    // packets: the operator is to be told.
    bool waiting(std::uint64_t since, std::uint64_t now);

private:
    enum class State : std::uint8_t { large, suspected, small };

    std::size_t most_;
    bool open_ = false;
    bool told_ = false;
    State state_ = State::large;
    std::uint64_t large_sent_ = 0;
    std::uint64_t suspected_at_ = 0;  // 0: not within kAgain, or large packets went through since
    std::uint64_t tried_at_ = 0;      // since when packets are large again
};

}  // namespace bayplan::dataplane
