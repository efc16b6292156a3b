// Shims' connections, and the offers to the sink; see teller.h.

#include "teller/teller.h"

namespace bayplan {

void Teller::add_shim(std::string_view name) { peers_.emplace_back().name = name; }

void Teller::connect(ShimId shim, ConnectionId connection, std::uint64_t applied) {
    Peer& to = peer(shim);
    to.connection = connection;
    to.applied = applied;
    to.told_applied = applied;
}

void Teller::disconnect(ShimId shim) { peer(shim).connection = 0; }

void Teller::cut(ShimId shim, std::string_view why) {
    sink_.cut(peer(shim).connection, why);
    disconnect(shim);
}

std::size_t Teller::send_to(Peer& to) {
    const std::size_t batches = to.outbox.send_to([&](const auto& batch, std::size_t skip) {
        const bool taken = sink_.decisions(to.connection, batch, skip, to.applied);
        to.told_applied = taken ? to.applied : to.told_applied;
        return taken;
    });
    if (to.told_applied != to.applied && sink_.state_applied(to.connection, to.applied)) {
        to.told_applied = to.applied;
    }
    return batches;
}

std::size_t Teller::flush() {
    std::size_t sent = 0;
    bool waits = false;
    for (Peer& to : peers_) {
        if (to.connection != 0) {
            sent += send_to(to);
            waits |= !to.outbox.all_sent() || to.told_applied != to.applied;
        }
    }
    waits_for_room_ = waits;
    sink_.flushed();
    return sent;
}

}  // namespace bayplan
