// Where an engine's answers go. The daemon passes them to the data plane; tests and replay keep them.
//
// Thread: every call is made by the engine's teller: a thread of its own, or the engine's (EngineOptions::teller, and for
// a few decisions if no call blocks). A call that blocks delays no decision until the ring to the teller is full. Nothing
// here may influence a decision.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "bayplan/messages.h"

namespace bayplan {

// Consecutive decisions of one shim with the text they point into. Immutable once sent: it is kept
// until the shim acknowledges it and may be sent again after a reconnect.
struct DecisionBatch {
    std::uint64_t first_sequence = 0;
    std::vector<Decision> decisions;  // views into `text`
    std::vector<std::unique_ptr<char[]>> text;
};

class DecisionSink {
public:
    virtual ~DecisionSink() = default;
    // Whether a call may wait for a disk, a peer or a busy lock. Asked once.
    virtual bool blocks() const { return true; }
    virtual void hello_reply(ConnectionId, const HelloReply&) = 0;
    // False: no room on the way to this connection now; the engine offers it again later. `skip`:
    // leading decisions of the batch that the shim has already.
    virtual bool decisions(ConnectionId, std::shared_ptr<const DecisionBatch>, std::size_t skip,
                           std::uint64_t state_applied) = 0;
    // Everything up to this state message has been applied (sent when no decision carries it).
    virtual bool state_applied(ConnectionId, std::uint64_t up_to) = 0;
    virtual void cut(ConnectionId, std::string_view why) = 0;
    // One line of the decision log, without LF.
    virtual void log_line(std::string_view line) = 0;
    // One line of JSON about a preemption for a DaemonSet pod (engine/preemption_report.h), if the engine was told to.
    virtual void preemption(std::string_view report) { static_cast<void>(report); }
    // Called when all that could be said now has been said: its waiting threads may be woken.
    virtual void flushed() {}
};

}  // namespace bayplan
