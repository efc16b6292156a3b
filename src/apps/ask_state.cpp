// Names of states and events, and the check's message. See ask_state.h.

#include "apps/ask_state.h"

#include <string>

#include "base/check.h"

namespace bayplan {

std::string_view name_of(AskState state) {
    static constexpr std::array<std::string_view, kAskStates> kNames = {
        "gone",     "gated",          "awaiting_node", "pending", "selected",  "backoff", "unschedulable",
        "reserved", "unacknowledged", "allocated",     "queried", "on_permit", "asking"};
    const auto index = static_cast<std::size_t>(state);
    return index < kNames.size() ? kNames[index] : "";
}

std::string_view to_string(AskState state) {
    switch (state) {
        case AskState::gone: return "";
        case AskState::selected: return "pending";
        case AskState::awaiting_node: return "waiting_for_node";
        default: return name_of(state);
    }
}

std::string_view to_string(AskEvent event) {
    static constexpr std::array<std::string_view, kAskEvents> kNames = {
        "enter",    "gate",       "await_node", "run",        "restate",    "select",      "put_back",
        "place",    "fail",       "wake",       "wake_early", "time_is_up", "acknowledge", "refuse",
        "back_off", "remove",     "reserve",    "clear",      "expire",     "query",       "confirm",
        "deny",     "unanswered", "permit",     "approve",    "reject",     "ask_victims"};
    return kNames[static_cast<std::size_t>(event)];
}

void ask_state_detail::refuse_transition(AskState state, AskEvent event) {
    check_failed(__FILE__, __LINE__,
                 "an ask that is " + std::string(name_of(state)) + " cannot " + std::string(to_string(event)));
}

}  // namespace bayplan
