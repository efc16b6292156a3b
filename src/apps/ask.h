// One ask, from the shim's message until its pod is gone, and the states it goes through (R-LAW-4).
//
// Most asks are pods that run, and stay for long: what only waiting asks need is in a record of its own.
// Thread: the engine's. Owned by the AskTable.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "apps/key_store.h"
#include "base/ids.h"
#include "base/indexed_heap.h"
#include "bayplan/messages.h"

namespace bayplan {

enum class AskState : std::uint8_t {
    gone,            // no such ask (the entry is free)
    gated,           // waits for its scheduling gates
    awaiting_node,   // runs, by its shim's word, on a node that nobody has registered yet
    pending,         // in the pending order
    selected,        // taken from the order, and charged; still pending to the outside
    backoff,         // waits for a time
    unschedulable,   // waits for an event
    reserved,        // a DaemonSet pod that waits for room on its node
    unacknowledged,  // allocated, the shim has not confirmed it
    allocated,
    queried,    // counts as on a node until its shim's plugins have answered; its shim knows nothing of it
    on_permit,  // likewise, until its gang has its minimum
    asking,     // has no node, and waits until its shim's plugins have said whom it may preempt
};

std::string_view to_string(AskState);

constexpr bool is_allocated(AskState state) {
    return state == AskState::unacknowledged || state == AskState::allocated;
}
// Counts as on a node.
constexpr bool is_on_node(AskState state) {
    return is_allocated(state) || state == AskState::queried || state == AskState::on_permit;
}

// Where the ask is linked in a list of its owner (next and previous by id).
struct AskLink {
    AskId next = kNone<AskId>;
    AskId previous = kNone<AskId>;
};

// The rank of an ask by itself; no two asks are equal. The pending order decides which ask is next.
struct PendingKey {
    std::int32_t priority = 0;
    bool gang = false;         // of a gang's member: all but the sequence number is the gang's
    std::int64_t time_ns = 0;  // 0 for all where gangs are off
    union {
        std::uint64_t group_number = 0;  // sequence number of the first of its pod group
        const std::string* gang_name;    // a gang's
    };
    std::uint64_t sequence = 0;

    // Of a gang's member its own number (R-WORLD-23).
    std::uint64_t number_of_group() const { return gang ? sequence : group_number; }
    bool comes_before(const PendingKey& other) const {
        if (priority != other.priority) {
            return priority > other.priority;
        }
        if (time_ns != other.time_ns) {
            return time_ns < other.time_ns;
        }
        if (gang != other.gang) {
            return other.gang;
        }
        if (gang && gang_name != other.gang_name) {
            if (const int order = gang_name->compare(*other.gang_name); order != 0) {
                return order > 0;
            }
        } else if (!gang && group_number != other.group_number) {
            return group_number < other.group_number;
        }
        return sequence < other.sequence;
    }
};

// Which group an ask is in: none, a pod group of its application (its index there), a gang, or none because what it says
// of its group is faulty.
inline constexpr std::uint32_t kNoGroup = UINT32_MAX;
inline constexpr std::uint32_t kFaultyGroup = UINT32_MAX - 1;
inline constexpr std::uint32_t kFirstGang = 1u << 31;
constexpr bool is_plain_group(std::uint32_t group) { return group < kFirstGang; }
// Faulty ones too: these are never tried as they are.
constexpr bool is_coscheduled(std::uint32_t group) { return group >= kFirstGang && group != kNoGroup; }

// What an ask has only while it has no place.
struct Waiting {
    PendingKey key;
    // Number of the batch that took it last.
    std::uint64_t selected_in = 0;
    std::int64_t backoff_until_ns = 0;
    AskLink in_list;                           // run of the leaf order, or unschedulable bucket
    std::uint32_t heap_position = kNotInHeap;  // backoff heap; with the next one the entry of an unschedulable ask
    std::uint32_t run = UINT32_MAX;            // leaf order
    std::uint32_t failed_predicates = 0;       // bits by index, of the last failed attempt
    bool nacked = false;                       // in backoff because its node refused it
};

// Of the number of an ask in order of arrival: at 1,000 a second they last 70 years.
inline constexpr unsigned kSequenceBits = 41;

// The part of an ask that exists all its life: a cache line, for millions of asks run. AskTable has its key, its
// Waiting and its grace period; its class has its spec.
struct Ask {
    std::uint64_t sequence : kSequenceBits = 0;
    bool placeholder : 1 = false;  // it keeps a place for another of its task group
    // It had an entry in a table that few asks are in: nominations, reservations, departures, claims, devices. If not, an
    // attempt, a placement and an end need look into none of them. Stays until the ask is gone.
    bool has_entries : 1 = false;
    bool has_exclusions : 1 = false;  // likewise, of the nodes that it alone may not have, or avoids
    AskState state : 4 = AskState::gone;
    bool foreign : 1 = false;
    bool terminating : 1 = false;  // being deleted: still there, but topology spread leaves it out
    bool never_preempts : 1 = false;
    bool preempted : 1 = false;           // a preemption chose it, here or elsewhere
    bool stated_terminating : 1 = false;  // of these two, what its shim says of it
    bool stated_preempted : 1 = false;
    bool chosen : 1 = false;            // our preemption chose it
    bool told_to_go : 1 = false;        // we chose it: its shim was told to delete it, and must say when it is gone
    bool told_scale_up : 1 = false;     // an ask_waiting with scale_up was sent
    bool stated_tolerates : 1 = false;  // its flag; its spec may tolerate the taint too
    QosClass qos : 2 = QosClass::unknown;
    // Of what the simple preemptor looks at, what its shim says of it (rules/daemonsets.md).
    bool daemonset : 1 = false;   // a DaemonSet controls it
    bool is_static : 1 = false;   // its node runs it by itself
    bool opted_out : 1 = false;   // a victim only as the last resort
    bool originator : 1 = false;  // other pods are owned by it
    std::int64_t started_ms = 0;  // status.startTime, milliseconds since 1970; 0 = not known
    ApplicationId application = kNone<ApplicationId>;
    std::uint32_t group = kNoGroup;  // which, see above
    ClassId ask_class = kNone<ClassId>;
    Slot slot = kNone<Slot>;  // while it has a place
    std::int32_t priority = 0;
    AskKey key_id{};
    // While it has no place: its Waiting. Then: the low half of the number of the decision that gave it the place, which
    // tells it from any other that is not acknowledged.
    std::uint32_t waiting_or_decision = 0;
    ShimId shim : 16 = ShimId{};     // kShimsMax
    std::uint32_t failures : 8 = 0;  // counted to 255
    std::uint32_t grace : 8 = 0;     // GraceTable
    AskLink in_application;          // by sequence; with others of none, if it has none
    AskLink of_spec;                 // while it has a place, with the others of its spec
};
static_assert(sizeof(Ask) == 64 && sizeof(Waiting) <= 72);

inline constexpr std::uint32_t kShimsMax = UINT16_MAX;
inline constexpr std::uint32_t kFailuresMax = 255;

}  // namespace bayplan
