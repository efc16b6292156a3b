// Tells what the engine decided: writes the lines of the decision log and their digest, keeps each shim's decisions
// until it acknowledges them, offers them to the sink.
//
// It decides nothing, and asks the engine nothing: what it knows of shims is what it was told (teller/announcer.h).
//
// Thread: the teller's (which is the engine's, if it tells itself). Makes all calls of the DecisionSink.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>

#include "base/decision_sink.h"
#include "bayplan/messages.h"
#include "teller/decision_log.h"
#include "teller/decision_ring.h"
#include "teller/unacknowledged_decisions.h"

namespace bayplan {

class Teller {
public:
    explicit Teller(DecisionSink& sink) : sink_(sink), log_(sink) {}

    void tell(const Record&);

    // Offers everything that is to be sent. Returns how many batches were taken.
    std::size_t flush();
    // Whether a connection had no room for something at the last flush. Any thread.
    bool waits_for_room() const { return waits_for_room_.load(std::memory_order_relaxed); }
    std::string digest() const { return log_.digest(); }  // of the decision log so far

private:
    struct Peer {
        std::string name;
        ConnectionId connection = 0;     // 0 = none
        std::uint64_t applied = 0;       // last state message
        std::uint64_t told_applied = 0;  // that the shim knows of
        UnacknowledgedDecisions outbox;
    };

    void tell_line(const Record&);
    void place(const Record&, Peer&);
    void decide(const Record&, Peer&);
    void reply_to_hello(const Record&);
    void connect(const Record&, Peer&);
    void cut(const Record&, Peer&);
    std::size_t send_to(Peer&);

    DecisionSink& sink_;
    DecisionLog log_;
    std::deque<Peer> peers_;
    std::atomic<bool> waits_for_room_{false};
};

}  // namespace bayplan
