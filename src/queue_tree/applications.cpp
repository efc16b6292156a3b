// States by their names.
//
// Thread: any.
#include "queue_tree/applications.h"

namespace bayplan::queue_tree {

std::string_view to_text(ApplicationState state) {
    switch (state) {
        case ApplicationState::created: return "New";
        case ApplicationState::accepted: return "Accepted";
        case ApplicationState::running: return "Running";
        case ApplicationState::completing: return "Completing";
        case ApplicationState::completed: return "Completed";
        case ApplicationState::resuming: return "Resuming";
        case ApplicationState::failing: return "Failing";
        case ApplicationState::failed: return "Failed";
        case ApplicationState::rejected: return "Rejected";
    }
    return "";
}

}  // namespace bayplan::queue_tree
