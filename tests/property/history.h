// A history: settings and the events that an engine goes through. Events name sequence numbers and
// acknowledgements relative to the state they meet, so that a history stays meaningful when the
// shrinker drops some of them.
//
// Thread: plain data. Owns all its texts. Errors: none.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "bayplan/messages.h"
#include "options/engine_options.h"
#include "owned.h"

namespace bayplan::property {

constexpr std::int64_t kMs = 1'000'000;  // in ns
constexpr DictId kUndefined = 77'777;    // no history defines it

struct TickEvent {
    std::int64_t now_ns = 0;
};

// Which decision the shim claims to have received last.
enum class Received { last, between, before_acknowledged, beyond };

struct ConnectEvent {
    std::string shim;
    std::uint64_t instance = 1;
    bool knows_daemon = true;
    Received received = Received::last;
    std::uint32_t permille = 0;  // for `between`
    std::string plugins = {};    // that the shim serves, each ended by LF
    bool gives_claims_back = false;
    bool judges_victims = false;
};
struct DisconnectEvent {
    std::string shim;
    bool former = false;  // by the connection before the present one
};
struct StateEvent {
    std::string shim;
    std::int64_t offset = 0;  // 0 = the next number; below: applied already; above: a gap
    bool former = false;
    oracle::OwnedBody body;
    std::uint32_t piece_steps = 0;  // it is applied in pieces of so many steps, with attempts in between; 0: whole
};
struct AcknowledgeEvent {
    std::string shim;
    std::uint32_t permille = 1000;  // of what is not acknowledged
    std::uint32_t beyond = 0;
    bool former = false;
};
struct HoldEvent {
    std::uint64_t owner = 0;
    std::string node;
    std::int32_t kept_from_below = 0;
    std::vector<std::pair<std::string, std::int64_t>> amounts;
};
struct DropEvent {
    std::uint64_t owner = 0;
};
// The operator's queues.
struct QueuesEvent {
    std::string text;
};
struct RunEvent {
    std::uint64_t attempts_max = 0;
};
// Decisions find no room on their way out, or room again. Not an input: it must change nothing.
struct SinkEvent {
    bool refuses = false;
};

using Event = std::variant<TickEvent, ConnectEvent, DisconnectEvent, StateEvent, AcknowledgeEvent, HoldEvent, DropEvent,
                           QueuesEvent, RunEvent, SinkEvent>;

struct History {
    std::uint64_t seed = 0;
    EngineOptions options;
    std::vector<Event> events;

    bool wakes_in_slices() const { return seed % 3 == 0; }
};

std::string to_text(const EngineOptions&);
// One line per event, with the dictionary texts that the ids have at that point.
std::string to_text(const History&);

}  // namespace bayplan::property
