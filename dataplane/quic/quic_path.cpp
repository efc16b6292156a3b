// See quic_path.h.
#include "quic/quic_path.h"

#include <cstring>

namespace bayplan::dataplane {

PathTable::PathTable(const Path& first) { make(0, first).was_current = true; }

PathTable::Place& PathTable::make(std::size_t index, const Path& path) {
    Place& place = places_[index];
    place.path = path;
    place.used = true;
    place.was_current = false;
    const std::uint32_t number = ++last_number_;
    place.local = sockaddr_in6{};
    place.local.sin6_family = AF_INET6;
    place.remote = place.local;
    std::memcpy(place.remote.sin6_addr.s6_addr, &number, sizeof number);
    place.place.local = {reinterpret_cast<sockaddr*>(&place.local), sizeof place.local};
    place.place.remote = {reinterpret_cast<sockaddr*>(&place.remote), sizeof place.remote};
    return place;
}

const ngtcp2_path& PathTable::place_of(const Path& path) {
    if (is_current(path)) return current_place();
    for (Place& place : places_) {
        if (!place.used || place.was_current || !same(place.path, path)) continue;
        place.path = path;
        return place.place;
    }
    do {
        next_ = (next_ + 1) % kPlaces;
    } while (next_ == current_ || next_ == previous_);
    return make(next_, path).place;
}

std::size_t PathTable::find(const ngtcp2_path& wanted) const {
    for (std::size_t i = 0; i < kPlaces; ++i) {
        if (places_[i].used && std::memcmp(wanted.remote.addr, &places_[i].remote, sizeof places_[i].remote) == 0) {
            return i;
        }
    }
    return kPlaces;
}

const Path* PathTable::path_to(const ngtcp2_path& wanted) const {
    if (wanted.remote.addrlen != sizeof(sockaddr_in6)) return &current();
    const std::size_t at = find(wanted);
    return at == kPlaces ? nullptr : &places_[at].path;
}

bool PathTable::follow(const ngtcp2_path& now) {
    const std::size_t at = find(now);
    if (at == current_ || at == kPlaces) return false;
    previous_ = current_;
    current_ = at;
    places_[at].was_current = true;
    return true;
}

}  // namespace bayplan::dataplane
