// Tells what the engine decided: writes the lines of the decision log and their digest, keeps each shim's decisions
// until it acknowledges them, offers them to the sink.
//
// It decides nothing, and asks the engine nothing: what it knows of shims is what it was told (teller/announcer.h).
//
// Thread: the teller's (which is the engine's, if it tells itself). Makes all calls of the DecisionSink.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>

#include "base/ids.h"
#include "bayplan/records.h"
#include "engine/decision_sink.h"
#include "teller/decision_log.h"
#include "teller/outbox.h"

namespace bayplan {

class Teller {
public:
    explicit Teller(DecisionSink& sink) : sink_(sink), log_(sink) {}

    // --- shims and their connections
    void add_shim(std::string_view name);  // they are numbered from 0 on
    // The shim is reached by this connection from now on; it knows already up to where its state has been applied.
    void connect(ShimId, ConnectionId, std::uint64_t applied);
    void disconnect(ShimId);
    void cut(ShimId, std::string_view why);
    void hello_reply(ConnectionId connection, const HelloReply& reply) { sink_.hello_reply(connection, reply); }
    void applied(ShimId shim, std::uint64_t up_to) { peer(shim).applied = up_to; }

    // --- decisions
    void decide(ShimId shim, const Decision& decision) { peer(shim).outbox.append(decision); }
    void acknowledge(ShimId shim, std::uint64_t up_to) { peer(shim).outbox.acknowledge(up_to); }
    void send_again_after(ShimId shim, std::uint64_t received) { peer(shim).outbox.send_again_after(received); }
    void forget_decisions(ShimId shim) { peer(shim).outbox.clear(); }

    // --- the log
    DecisionLog& log() { return log_; }
    const DecisionLog& log() const { return log_; }
    std::string_view name(ShimId shim) { return peer(shim).name; }

    // Offers everything that is to be sent. Returns how many batches were taken.
    std::size_t flush();
    // Whether a connection had no room for something at the last flush.
    bool waits_for_room() const { return waits_for_room_; }

private:
    struct Peer {
        std::string name;
        ConnectionId connection = 0;     // 0 = none
        std::uint64_t applied = 0;       // last state message
        std::uint64_t told_applied = 0;  // that the shim knows of
        Outbox outbox;
    };

    Peer& peer(ShimId shim) { return peers_[raw(shim)]; }
    std::size_t send_to(Peer&);

    DecisionSink& sink_;
    DecisionLog log_;
    std::deque<Peer> peers_;
    bool waits_for_room_ = false;
};

}  // namespace bayplan
