// Which Ethernet address a neighbour has, by ARP or neighbour discovery: what a client needs for the
// first packet to a server, or to its gateway. (A server answers along the path that a packet came by
// and asks nobody.)
//
// Pure state with the time passed in; the port sends the requests. Only neighbours that were asked
// for are remembered, so that strangers can neither fill the table nor plant an entry.
//
// Thread: the port's own. Errors: none; an unknown neighbour is asked for again until it answers.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "net/link_options.h"

namespace bayplan::dataplane {

class NeighbourCache {
public:
    static constexpr std::size_t kEntries = 64;  // servers of one client; the stalest makes room
    static constexpr std::int64_t kRetryNs = 100'000'000;
    static constexpr std::int64_t kRefreshNs = 45'000'000'000;  // ask again, still use the old one
    static constexpr std::int64_t kForgetNs = 60'000'000'000;

    struct Answer {
        bool known = false;
        bool ask = false;  // send a request now
        MacAddress mac{};
    };

    // Returns the entry of `ip`. The caller sends a request if `ask` says so, and looks again later.
    Answer lookup(const IpBytes& ip, std::int64_t now_ns);
    // From a reply, a request to us, or an announcement (ARP's or the like). Ignored for addresses never looked up.
    void learn(const IpBytes& ip, const MacAddress& mac, std::int64_t now_ns);

private:
    struct Entry {
        IpBytes ip{};  // all zero = free
        bool known = false;
        MacAddress mac{};
        std::int64_t learned_ns = 0;
        std::int64_t asked_ns = 0;
        std::int64_t used_ns = 0;
    };
    Entry* find(const IpBytes& ip);
    Entry& claim(const IpBytes& ip, std::int64_t now_ns);

    std::array<Entry, kEntries> entries_{};
};

}  // namespace bayplan::dataplane
