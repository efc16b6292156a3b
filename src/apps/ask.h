// One ask, from the shim's message until its pod is gone, and the states it goes through (DESIGN law 4).
//
// Thread: the engine's. Owned by the AskTable.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/ids.h"
#include "bayplan/records.h"
#include "queues/indexed_heap.h"

namespace bayplan {

enum class AskState : std::uint8_t {
    gone,            // no such ask (the entry is free)
    gated,           // waits for its scheduling gates
    awaiting_node,   // runs, by its shim's word, on a node that nobody has registered yet
    pending,         // in the heap
    selected,        // taken from the heap into a batch; still pending to the outside
    backoff,         // waits for a time
    unschedulable,   // waits for an event
    reserved,        // a node is reserved for it
    asking_plugin,   // waits for a shim's predicate plugin
    waiting_permit,  // has a place, waits for its group
    unacknowledged,  // allocated, the shim has not confirmed it
    allocated,
};

std::string_view to_string(AskState);

constexpr bool has_place(AskState state) {
    return state == AskState::unacknowledged || state == AskState::allocated;
}

// Where the ask is linked in a list of its owner (next and previous by id).
struct AskLink {
    AskId next = kNone<AskId>;
    AskId previous = kNone<AskId>;
};

struct Ask {
    AskState state = AskState::gone;
    bool foreign = false;
    bool terminating = false;           // being deleted: still there, but topology spread leaves it out
    bool never_preempts = false;
    bool preempted = false;             // a preemption chose it, here or elsewhere
    bool stated_terminating = false;    // of these two, what its shim says of it
    bool stated_preempted = false;
    bool chosen = false;                // our preemption chose it
    bool told_to_go = false;            // we chose it: its shim was told to delete it, and must say when it is gone
    bool nacked = false;                // in backoff because its node refused it
    bool told_scale_up = false;         // an ask_waiting with scale_up was sent
    bool stated_tolerates = false;      // its flag, whatever its spec tolerates beside
    QosClass qos = QosClass::unknown;
    std::uint16_t failures = 0;
    std::uint32_t generation = 0;
    ShimId shim = kNone<ShimId>;
    ApplicationId application = kNone<ApplicationId>;
    std::uint32_t group = UINT32_MAX;   // index into the application's pod groups
    ClassId ask_class = kNone<ClassId>;
    SpecId spec = static_cast<SpecId>(0);  // the class's
    Slot slot = kNone<Slot>;            // while it has a place
    std::int32_t priority = 0;
    std::uint32_t heap_position = kNotInHeap;  // backoff heap
    std::uint32_t run = UINT32_MAX;            // pending heap
    std::uint32_t failed_predicates = 0;       // bits by index, of the last failed attempt
    std::uint64_t sequence = 0;
    std::uint64_t group_number = 0;
    std::uint64_t selected_in = 0;      // number of the batch that took it from the heap last
    std::uint64_t decision = 0;         // number of the `allocated` decision not yet acknowledged
    std::int64_t backoff_until_ns = 0;
    std::int64_t started_ms = 0;        // status.startTime, milliseconds since 1970; 0 = not known
    std::int32_t grace_period_s = -1;   // to go when it is deleted; -1 = 30
    AskLink in_application;             // by sequence
    AskLink on_node;                    // while it has a place
    AskLink of_spec;                    // while it has a place, with the others of its spec
    AskLink in_list;                    // run of the pending heap, or unschedulable bucket
    std::string key;
};

}  // namespace bayplan
