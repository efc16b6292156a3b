// Events of a transaction, told when it has ended well: to every observer, in the order of the events.
//
// Thread: the engine's. Texts of an event live during the call.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/ids.h"
#include "bayplan/messages.h"
#include "preemption/victim_search.h"

namespace bayplan {

// Of an attempt that found no node. Owned by the caller that reports it, until the transaction ends.
struct FailedAttempt {
    std::string_view message;             // whole
    const NodeVictims* chosen = nullptr;  // the victims that it preempts; null: none
    std::size_t nodes = 0;                // on how many nodes room might be made
    bool nominated = false;               // it waits for room on a node now
};

// Of an attempt that reserved a node, or chose victims for a reservation; owned likewise.
struct ReservingAttempt {
    std::string_view message;
    std::string_view report;  // of a preemption; empty: nobody wants it
    const std::vector<AskId>* victims = nullptr;
    bool is_new = false;
};

// A query to a shim's plugins; owned likewise.
struct PluginQuery {
    std::uint64_t number = 0;
    std::string_view others;       // nodes beside its own, or pods that may go, each ended by LF
    std::string_view totals = {};  // of its own node and of those, likewise, or none
    std::uint32_t needed = 0;      // of those: so many go for the predicates' sake
    std::uint32_t violations = 0;  // of budgets, by these
};

struct Happening {
    enum class Kind : std::uint8_t {
        placed,              // an attempt gave the ask the node
        started,             // the ask runs on the node, by its shim's word
        failed,              // an attempt found no node
        gated,               // the ask waits for its gates; told if `tell`
        held,                // the ask's pod group cannot be tried, or refuses it: `why`
        awaiting_node,       // for a node that nobody has registered; told if `tell`
        nominated,           // a preemption chose the node for the ask
        nomination_cleared,  // the ask's nomination to the node ended by a decision: `why`
        nomination_ended,    // it ended otherwise
        victim_chosen,       // the ask's pod on the node is to go: `why`
        sent_away,  // likewise, for no attempt: a placeholder, or for a maximum; with `termination`; no node: it is gone
        allocation_ended,     // the ask has lost its node
        node_lost,            // likewise, by the end of the node: `why`
        freed,                // a reason why the ask could not run has gone
        reserved,             // an attempt reserved the node for the ask, or chose victims there: `reservation`
        reservation_cleared,  // the ask's reservation of the node ended by a decision: `why`
        queried,              // an attempt found the node, and its shim's plugins are asked about it: `query`
        victims_queried,      // an attempt found none, and they are asked who may go from the node: `query`
        confirmed,            // they may have the ask there
        left,                 // the ask's pod has left the node; told beside the reason
        denied,               // the ask has lost that node: `why`; its shim is told if `tell`
        claim_given_back,     // so that the ask may have others: the claim on devices `why`, which `shim` stated
        permitted,            // an attempt found the node, which the ask holds until its gang has its minimum: `why`
        approved,             // its gang has it
        rejected,             // the ask holds that node no more: `why`
    };
    Kind kind = Kind::placed;
    bool tell = true;  // of `reservation_cleared`: an attempt did it
    AskId ask = kNone<AskId>;
    Slot slot = kNone<Slot>;
    ShimId shim = kNone<ShimId>;
    Termination termination = Termination::unknown;
    std::uint32_t wakes = 0;  // bits of WakeEvent: whom it may help
    const FailedAttempt* failure = nullptr;
    const ReservingAttempt* reservation = nullptr;
    const PluginQuery* query = nullptr;
    std::string_view why = {};  // kept by the transaction (Commit::text)
};

// Told which asks have another state, other flags, another nomination or reservation than before a transaction that has
// ended well, each at least once, before the happenings are told.
class AskListener {
public:
    virtual void ask_changed(AskId) = 0;

protected:
    ~AskListener() = default;
};

// Kinds of happenings, a bit each.
using HappeningKinds = std::uint32_t;
inline constexpr HappeningKinds kAllHappenings = ~HappeningKinds{0};
constexpr HappeningKinds bit_of(Happening::Kind kind) { return HappeningKinds{1} << static_cast<unsigned>(kind); }
template <typename... Kinds>
constexpr HappeningKinds kinds_of(Kinds... kinds) {
    return (bit_of(kinds) | ...);
}
static_assert(static_cast<unsigned>(Happening::Kind::rejected) < 32, "the last kind has a bit");

class CommitObserver {
public:
    virtual ~CommitObserver() = default;
    virtual void observe(const Happening&) = 0;
};

}  // namespace bayplan
