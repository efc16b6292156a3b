#include "apps/ask.h"

namespace bayplan {

std::string_view to_string(AskState state) {
    switch (state) {
        case AskState::gone: return "";
        case AskState::gated: return "gated";
        case AskState::awaiting_node: return "waiting_for_node";
        case AskState::pending:
        case AskState::selected: return "pending";
        case AskState::backoff: return "backoff";
        case AskState::unschedulable: return "unschedulable";
        case AskState::unacknowledged: return "unacknowledged";
        case AskState::allocated: return "allocated";
    }
    return "";
}

}  // namespace bayplan
