// The addresses that a connection's packets come from and go to, and what ngtcp2 sees of them.
//
// ngtcp2 0.12 ends the process by an assertion when a peer returns to an address while the address
// it had moved to is still being validated (with path MTU discovery off; with it on, after a
// challenge that was undersized). Anybody who can send a copy of a packet from elsewhere can bring
// that about. So it is shown no addresses but places, numbered: a peer that returns to an address
// comes to a new place, and is validated there like anywhere else. ngtcp2 only compares addresses
// and hands them back, so nothing is lost by it.
//
// Thread: the data plane's. Owner: the connection. Tables point into themselves and stay where they
// are.
#pragma once

#include <netinet/in.h>
#include <ngtcp2/ngtcp2.h>

#include <array>
#include <cstdint>

#include "net/packet_port.h"

namespace bayplan::dataplane {

class PathTable {
public:
    explicit PathTable(const Path& first);
    PathTable(const PathTable&) = delete;
    PathTable& operator=(const PathTable&) = delete;

    const Path& current() const { return places_[current_].path; }
    const ngtcp2_path& current_place() const { return places_[current_].place; }
    bool is_current(const Path& path) const { return same(current(), path); }
    // The Ethernet address may change on the word of an authenticated packet.
    void refresh_current(const Path& path) { places_[current_].path = path; }

    // Where a packet came from, for ngtcp2_conn_read_pkt().
    const ngtcp2_path& place_of(const Path&);
    // Where to send a packet that ngtcp2 wrote; null if the place was forgotten.
    const Path* path_to(const ngtcp2_path&) const;
    // Takes over what ngtcp2 holds for the current path. True if that is another place than before.
    bool follow(const ngtcp2_path&);

private:
    // The current one, the one before it, which ngtcp2 may fall back to, and a few of strangers who
    // send copies: there the oldest makes room.
    static constexpr std::size_t kPlaces = 8;
    struct Place {
        Path path;
        bool was_current = false;
        bool used = false;
        sockaddr_in6 local{};
        sockaddr_in6 remote{};
        ngtcp2_path place{};
    };
    static bool same(const Path& a, const Path& b) { return a.remote == b.remote && a.local == b.local; }
    Place& make(std::size_t index, const Path&);
    std::size_t find(const ngtcp2_path&) const;

    std::array<Place, kPlaces> places_;
    std::size_t current_ = 0;
    std::size_t previous_ = 0;
    std::size_t next_ = 1;
    std::uint32_t last_number_ = 0;
};

}  // namespace bayplan::dataplane
