// Packets of strangers in a random order, drawn from a seed: handshakes that begin as they should, and garbage beside
// them. For the data plane in virtual time and, by way of tests/system/flood.cpp, for the daemon.
//
// Thread: any one. Owner: the test.
#pragma once

#include <cstdint>
#include <random>
#include <vector>

#include "net/packet_port.h"

namespace bayplan::dataplane::testing {

class Flood {
public:
    static constexpr std::size_t kAttempts = 10'000;   // first packets of handshakes
    static constexpr std::size_t kForgedTokens = 200;  // of them: with a Retry token made up
    static constexpr std::size_t kGarbage = 5'000;     // beside them: noise of every kind

    explicit Flood(std::uint64_t seed);

    const std::vector<std::vector<std::uint8_t>>& packets() const { return packets_; }
    // An address in 11.0.0.0/8, where no test has a host; another one each time.
    UdpAddress nobody();

private:
    std::vector<std::uint8_t> noise(std::size_t size);
    std::vector<std::uint8_t> with_token(std::vector<std::uint8_t> packet);
    std::vector<std::uint8_t> garbage(std::size_t kind);

    std::mt19937_64 random_;
    std::vector<std::vector<std::uint8_t>> packets_;
};

}  // namespace bayplan::dataplane::testing
