// The states of an ask, and the only code that changes them: a table state x event -> state. An event that the table
// does not know for a state ends the program: an ask in two states at once would be placed twice.
// The same table for people: engine/rules/states.md (a test compares the two).
//
// Thread: the engine's, for the ask's owner.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "apps/ask.h"

namespace bayplan {

enum class AskEvent : std::uint8_t {
    enter,        // stated for the first time, without a node and without gates
    gate,         // stated with scheduling gates
    await_node,   // stated as running on a node that nobody has registered
    run,          // stated as running on a node that is there, or the awaited node came
    restate,      // stated again while it waits
    select,       // taken to be tried: from the heap into a batch, early out of backoff, or in its placeholder's place
    put_back,     // selected, and then not tried
    place,        // its attempt found a node
    fail,         // its attempt found none
    wake,         // an event may help it, and its backoff is over
    wake_early,   // an event may help it, and its backoff is not over
    time_is_up,   // its backoff is over
    acknowledge,  // its shim has the allocation
    refuse,       // its node refused it
    back_off,     // its group is tried again at a time to come
    remove,       // it goes
    reserve,      // its attempt reserved its node
    clear,        // its reservation ended
    expire,       // its reservation was too old
    query,        // its attempt found a node that its shim's plugins are asked about
    confirm,      // they may have it there
    deny,         // they may not, or it has lost the node otherwise; or the query ended that it waited for
    unanswered,   // they have said nothing
    permit,       // its attempt found a node, which it holds until its gang has its minimum
    approve,      // its gang has it
    reject,       // it gives up, or has lost, the node that it held
    ask_victims,  // its attempt found none, and its shim's plugins are asked whom it may preempt
};
inline constexpr std::size_t kAskStates = 13;
inline constexpr std::size_t kAskEvents = 27;

std::string_view to_string(AskEvent);
// The state's own name. (to_string(AskState) is what is told to the outside, where a selected ask is a pending one.)
std::string_view name_of(AskState);

namespace ask_state_detail {

inline constexpr auto kNever = static_cast<AskState>(15);
using Row = std::array<AskState, kAskStates>;

// By event, then by the state before.
constexpr std::array<Row, kAskEvents> transitions() {
    using enum AskState;
    constexpr AskState never = kNever;
    constexpr AskState no_fit = unschedulable;
    constexpr AskState placed = unacknowledged;
    constexpr AskState awaits = awaiting_node;
    constexpr AskState held = on_permit;
    return {{
        // gone, gated, awaits, pending, selected, backoff, no_fit, reserved, placed, allocated, queried, held, asking
        {pending, never, never, never, never, never, never, never, never, never, never, never, never},  // enter
        {gated, gated, never, gated, gated, gated, gated, gated, never, never, never, never, never},    // gate
        {awaits, awaits, awaits, awaits, awaits, awaits, awaits, awaits, never, never, never, never,
         never},  // await_node
        {allocated, allocated, allocated, allocated, allocated, allocated, allocated, allocated, never, never, never,
         never, never},  // run
        {never, pending, never, pending, pending, backoff, no_fit, reserved, never, never, never, never,
         never},  // restate
        {never, selected, never, selected, never, selected, never, never, never, never, never, never, never},  // select
        {never, never, never, never, pending, never, never, never, never, never, never, never, never},    // put_back
        {never, never, never, never, placed, never, never, placed, never, never, never, never, never},    // place
        {never, never, never, never, no_fit, never, never, never, never, never, never, never, never},     // fail
        {never, never, never, never, never, never, pending, never, never, never, never, never, never},    // wake
        {never, never, never, never, never, never, backoff, never, never, never, never, never, never},    // wake_early
        {never, never, never, never, never, pending, never, never, never, never, never, never, never},    // time_is_up
        {never, never, never, never, never, never, never, never, allocated, never, never, never, never},  // acknowledge
        {never, never, never, never, never, never, never, never, backoff, backoff, never, never, never},  // refuse
        {never, backoff, never, backoff, backoff, backoff, backoff, never, never, never, never, never,
         never},                                                                                          // back_off
        {never, gone, gone, gone, gone, gone, gone, gone, gone, gone, gone, gone, gone},                  // remove
        {never, never, never, never, reserved, never, never, never, never, never, never, never, never},   // reserve
        {never, never, never, never, never, never, never, pending, never, never, never, never, never},    // clear
        {never, never, never, never, never, never, never, backoff, never, never, never, never, never},    // expire
        {never, never, never, never, queried, never, never, never, never, never, never, never, never},    // query
        {never, never, never, never, never, never, never, never, never, never, placed, never, never},     // confirm
        {never, never, never, never, never, never, never, never, never, never, pending, never, pending},  // deny
        {never, never, never, never, never, never, never, never, never, never, backoff, never, backoff},  // unanswered
        {never, never, never, never, held, never, never, never, never, never, never, never, never},       // permit
        {never, never, never, never, never, never, never, never, never, never, never, placed, never},     // approve
        {never, never, never, never, never, never, never, never, never, never, never, gated, never},      // reject
        {never, never, never, never, asking, never, never, never, never, never, never, never, never},     // ask_victims
    }};
}
inline constexpr std::array<Row, kAskEvents> kTransitions = transitions();

[[noreturn]] void refuse_transition(AskState, AskEvent);

}  // namespace ask_state_detail

// The state after the event, or `state_never()` if the event cannot be.
constexpr AskState state_after(AskState state, AskEvent event) {
    return ask_state_detail::kTransitions[static_cast<std::size_t>(event)][static_cast<std::size_t>(state)];
}
constexpr AskState state_never() { return ask_state_detail::kNever; }

// The ask's state from now on; returned too. The caller keeps the lists of waiting asks in step with it.
inline AskState change_state(Ask& ask, AskEvent event) {
    const AskState next = state_after(ask.state, event);
    if (next == state_never()) [[unlikely]] {
        ask_state_detail::refuse_transition(ask.state, event);
    }
    ask.state = next;
    return next;
}

// The state that the ask had, when what changed it is undone.
inline void restore_state(Ask& ask, AskState before) { ask.state = before; }

}  // namespace bayplan
