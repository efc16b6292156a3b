// How many connections of each kind an lcore has: admitted shims and observers, and connections without an accepted hello. A
// certificate without rights fills the room of the last kind alone, and of that only the part of one name.
//
// Thread: the lcore.
#include <fmt/format.h>

#include <algorithm>

#include "daemon/gateway.h"

namespace bayplan::daemon {
namespace {

// Of one certificate: observers are limited, and others watch too.
constexpr std::size_t kObserversOfName = 16;

}  // namespace

void Gateway::make_room(dataplane::DataPlane& plane, const std::string& name) {
    if (waiting_ == 0) return;
    std::size_t of_name = 0;
    auto oldest = connections_.end();
    auto oldest_of_name = connections_.end();
    for (auto each = connections_.begin(); each != connections_.end(); ++each) {
        if (each->second.phase != Phase::fresh && each->second.phase != Phase::refused) continue;
        if (oldest == connections_.end() || each->first < oldest->first) oldest = each;
        if (each->second.peer.common_name != name) continue;
        ++of_name;
        if (oldest_of_name == connections_.end() || each->first < oldest_of_name->first) oldest_of_name = each;
    }
    const bool too_many_of_name = of_name >= (unadmitted_max_ + 1) / 2;
    if (!too_many_of_name && waiting_ < unadmitted_max_) return;
    count(counters_.displaced);
    close(plane, (too_many_of_name ? oldest_of_name : oldest)->first, CloseCode::normal,
          "others came before its hello was accepted");
}

std::size_t Gateway::admitted() const {
    return static_cast<std::size_t>(std::ranges::count_if(connections_, [](const auto& each) {
        return each.second.phase == Phase::open || each.second.phase == Phase::observer;
    }));
}

// A shim that comes back takes the place of its older connection.
std::string Gateway::lack_of_room(const Connection& connection, std::size_t partition) const {
    if (admitted() < connections_max_) return {};
    const bool replaces = std::ranges::any_of(connections_, [&](const auto& each) {
        return each.second.phase == Phase::open && each.second.partition == partition &&
               each.second.peer.common_name == connection.peer.common_name;
    });
    return replaces ? std::string() : fmt::format("connections_max ({}) reached", connections_max_);
}

std::string Gateway::lack_of_room_for_observer(const Connection& connection) const {
    const std::string& name = connection.peer.common_name;
    std::size_t all = 0;
    std::size_t of_name = 0;
    for (const auto& [id, each] : connections_) {
        if (each.phase != Phase::observer) continue;
        ++all;
        of_name += each.peer.common_name == name ? 1 : 0;
    }
    if (of_name >= kObserversOfName) return fmt::format("'{}' has {} observers already", name, of_name);
    if (all >= observers_max_) return fmt::format("observers_max ({}) reached", observers_max_);
    if (admitted() >= connections_max_) return fmt::format("connections_max ({}) reached", connections_max_);
    return {};
}

}  // namespace bayplan::daemon
