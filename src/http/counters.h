// Numbers that a server counts of itself.
//
// Thread: the server's adds; any reads. Each number is right; numbers read one after the other may be of different moments.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <map>

namespace bayplan::http {

struct CounterValues {
    std::uint64_t connections = 0;              // accepted, refused ones included
    std::uint64_t connections_open = 0;         // now
    std::uint64_t refused_overall = 0;          // too many connections
    std::uint64_t refused_of_address = 0;       // too many of one address
    std::uint64_t requests = 0;                 // answered
    std::map<unsigned, std::uint64_t> answers;  // by status
    std::uint64_t bytes_in = 0;                 // of requests, and of answers with heads; without TLS around them
    std::uint64_t bytes_out = 0;
    std::uint64_t timeouts_reading = 0;   // of a head, a body, or a TLS handshake that was begun
    std::uint64_t timeouts_idle = 0;      // nothing asked for a while: not a fault
    std::uint64_t timeouts_writing = 0;   // the client took nothing for too long
    std::uint64_t handshakes_failed = 0;  // of TLS
    std::uint64_t tokens_refused = 0;
};

class Counters {
public:
    using Number = std::atomic<std::uint64_t>;
    static constexpr unsigned kStatusMax = 599;

    Number connections{0}, connections_open{0}, refused_overall{0}, refused_of_address{0};
    Number requests{0}, bytes_in{0}, bytes_out{0};
    Number timeouts_reading{0}, timeouts_idle{0}, timeouts_writing{0}, handshakes_failed{0}, tokens_refused{0};

    static void add(Number& number, std::uint64_t count = 1) { number.fetch_add(count, std::memory_order_relaxed); }
    void answered(unsigned status) {
        add(requests);
        if (status <= kStatusMax) add(answers_[status]);
    }
    CounterValues values() const;

private:
    std::array<Number, kStatusMax + 1> answers_{};
};

}  // namespace bayplan::http
