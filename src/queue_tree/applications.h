// Applications: who, in which leaf, in which state, with how much; which limits bind them.
//
//   new --first ask--> accepted --first allocation--> running <--> completing --idle for a while--> completed
//                        ^ +----nothing left------------------------^                                  |
//                        +--------------------------------an ask---------------------------------------+
//
// With placeholders (engine/rules/placeholders.md) it is running once they all have their nodes, or another ask has; out of
// accepted it may go to resuming, and back, or to failing, and failed once nothing is left.
//
// Thread: the engine's.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/ids.h"
#include "queue_tree/amounts.h"
#include "queue_tree/priority_counts.h"
#include "queue_tree/queue_table.h"
#include "queue_tree/user_limits.h"

namespace bayplan::queue_tree {

enum class ApplicationState : std::uint8_t {
    created,
    accepted,
    running,
    completing,
    completed,
    resuming,
    failing,
    failed,
    rejected,
};
// YuniKorn's name of it.
std::string_view to_text(ApplicationState);

// An application entered the state.
struct StateChange {
    ApplicationId application = kNone<ApplicationId>;
    ApplicationState state = ApplicationState::created;
};

// Members that every charge looks at come first.
struct Application {
    bool exists = false;
    bool counted = false;  // among the running ones of its path
    ApplicationState state = ApplicationState::created;
    QueueId leaf = kNoQueue;
    std::uint32_t sequence = 0;  // in which applications came: the last tie-break
    std::uint32_t asks = 0;      // counted by count_ask()
    std::uint32_t pending_asks = 0;
    std::uint32_t allocations = 0;             // that have their node
    std::uint32_t tentative = 0;               // taken, and not known to be placed yet
    std::int64_t submission_time = INT64_MAX;  // the oldest ask's, in seconds
    LimitIds limits;
    PriorityCounts priorities;  // of what is pending
    User user;
    // Amounts of its placeholders together, empty if it waits for none; and of its placed ones.
    std::vector<Amount> placeholders_wanted;
    std::vector<Amount> placeholders_placed;

    std::int32_t priority() const { return priorities.highest(); }
};

}  // namespace bayplan::queue_tree
