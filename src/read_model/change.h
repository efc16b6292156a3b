// Changes that an engine tells its read model: a record for each, in the order of the changes. A head of fixed size and up to
// four texts (base/record_ring.h). Things are named by the engine's dense ids; a record that names another thing comes
// after the record that tells of that thing. Every record but `reason`, and
// what is told of states and rejections, says how its thing stands now: told twice it changes nothing.
//
// Thread: plain data; written by the engine's, read by the model's.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "base/record_ring.h"

namespace bayplan::read_model {

enum class ChangeKind : std::uint8_t {
    skip,            // the ring's own
    snapshot_begin,  // all that was told is void: everything is told anew
    snapshot_end,    // everything that there is has been told
    turn_end,        // an input was applied, or attempts were made: the records so far fit together
    shim,            // id; name
    node,            // id (slot), flags; name, capacity (amounts), labels (pairs)
    node_gone,
    application,           // id, state; name, queue, user and groups (pairs), ApplicationStatement
    application_state,     // id, state: entered now
    application_rests,     // id; ApplicationRest
    application_rejected,  // id of its shim; name, why, user and groups (pairs)
    application_gone,
    shape,          // id (class); requests (amounts), required node
    pod,            // as pod_state; key, group, PodStatement, tags (pairs)
    pod_state,      // id, state, flags, node, claim, failures
    pod_reason,     // id, flags; why it waits, said at time_ns
    pod_gone,       // id; state: how it ended, a Termination (a node that goes takes its pods with it: unknown)
    queue,          // id; number of its settings, which come in ChangeFeed's second ring
    queue_gone,     // id
    partition,      // as the operator's file has it, likewise
    pod_preempted,  // id; a preemption chose it: why
};

// Where a pod stands, as operators are told.
enum class PodState : std::uint8_t {
    gone,
    gated,          // waits for its scheduling gates, or for its group
    awaiting_node,  // runs on a node that nobody has registered
    pending,        // may be tried
    backoff,        // waits for a time
    unschedulable,  // waits for an event
    reserved,       // waits for room on the node `claim`
    queried,        // waits for its plugins' answer, and gets the node `claim` if they agree
    allocated,      // is on the node `node`
};

enum PodFlag : std::uint16_t {
    kForeign = 1 << 0,      // placed by another scheduler
    kStatic = 1 << 1,       // its node runs it by itself
    kOriginator = 1 << 2,   // other pods are owned by it
    kTerminating = 1 << 3,  // is being deleted
    kPreempted = 1 << 4,    // because a preemption chose it
    kToldScaleUp = 1 << 5,  // its shim was told that more nodes would help
    kPreempting = 1 << 6,   // victims make room for it on the node `claim`
    kPlaceholder = 1 << 7,  // it keeps a place for another pod of its group
};

enum NodeFlag : std::uint16_t { kSchedulable = 1 << 0 };

// Of an application where the engine has no such states.
inline constexpr std::uint8_t kNoApplicationState = 255;
inline constexpr std::int64_t kNever = INT64_MIN;
inline constexpr std::uint32_t kNobody = UINT32_MAX;  // no node, no application

// Which members mean something depends on the kind: engine/publication.cpp writes them, Model::apply reads them.
struct ChangeHead {
    std::uint32_t bytes = 0;
    ChangeKind kind = ChangeKind::skip;
    std::uint8_t state = 0;
    std::uint16_t flags = 0;
    std::uint32_t id = 0;
    std::uint32_t node = kNobody;  // where it is
    std::uint32_t claim =
        kNobody;  // the node that is nominated or reserved for it, or that its plugins are asked about
    std::uint32_t failures = 0;
    std::array<std::uint32_t, 4> lengths{};
    std::int64_t time_ns = 0;  // the tick at which it was told
};
static_assert(sizeof(ChangeHead) == 48);

// Facts of a pod that seldom change.
struct PodStatement {
    std::uint32_t application = kNobody;
    std::uint32_t shape = 0;
    std::int32_t priority = 0;
    std::uint32_t unused = 0;
    std::uint64_t number = 0;    // its place in the order of arrival
    std::int64_t created_s = 0;  // since 1970, by the shim's word; 0: not known
};
struct ApplicationStatement {
    std::uint32_t shim = 0;
    std::uint32_t unused = 0;
    std::int64_t oldest_s = 0;  // when its oldest pod was made; 0: not known
    // Ticks: it came, entered its state, had its first node (kNever: it has had none).
    std::int64_t came_ns = 0;
    std::int64_t since_ns = 0;
    std::int64_t started_ns = 0;
    std::int64_t rests_until_ns = kNever;  // tick; kNever: it does not rest
};
struct ApplicationRest {
    std::int64_t until_ns = kNever;  // likewise
};

// Plain data as a text, and back.
template <typename Plain>
std::string_view as_text(const Plain& plain) {
    static_assert(std::is_trivially_copyable_v<Plain>);
    return {reinterpret_cast<const char*>(&plain), sizeof plain};
}
template <typename Plain>
Plain from_text(std::string_view text) {
    Plain plain;
    std::memcpy(&plain, text.data(), sizeof plain);
    return plain;
}

using ChangeRing = RecordRing<ChangeHead>;
using Change = ChangeRing::Record;

// --- lists within a text

void put_amount(std::string& into, std::string_view resource, std::int64_t amount);
// Takes the first one off; false: there is none left.
bool take_amount(std::string_view& from, std::string_view& resource, std::int64_t& amount);
void put_pair(std::string& into, std::string_view key, std::string_view value);
bool take_pair(std::string_view& from, std::string_view& key, std::string_view& value);

}  // namespace bayplan::read_model
