// Placeholders of applications (engine/rules/placeholders.md): which there are, who waits for one, who takes over which.
//
// Thread: the engine's. Owner: World. Plain tables: engine/placeholder_steps.h keeps them.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>

#include <boost/unordered/unordered_flat_map.hpp>

#include "base/ids.h"
#include "bayplan/messages.h"

namespace bayplan {

// A task group of an application: the index of its pod group.
using TaskGroupName = std::pair<ApplicationId, std::uint32_t>;

struct TaskGroup {
    // By sequence number.
    std::map<std::uint64_t, AskId> open;  // placeholders that nobody takes over, and that were not sent away
    std::map<std::uint64_t, AskId> held;  // asks that wait for one of them
    // Members of both that came or changed since all were looked at together: of all others it is known that no ask can
    // take over any placeholder.
    std::set<std::uint64_t> fresh_open;
    std::set<std::uint64_t> fresh_held;
    bool empty() const { return open.empty() && held.empty(); }
};

// Of an application that has placeholders, or may get some.
struct PlaceholderTerms {
    GangStyle style = GangStyle::soft;
    std::int64_t timeout_ns = 900'000'000'000;  // YuniKorn's 15 minutes
    std::int64_t deadline_ns = INT64_MAX;       // INT64_MAX: none of its placeholders has had a node
    std::uint64_t came = 0;                     // among applications: the tie-break of deadlines
    bool is_over = false;                       // the time was up, and some of them are still there
    std::uint32_t count = 0;                    // placeholders that are there
};

struct Placeholders {
    struct Due {
        AskId ask = kNone<AskId>;
        std::string node;  // that its placeholder had
    };

    boost::unordered_flat_map<ApplicationId, PlaceholderTerms> terms;
    std::map<TaskGroupName, TaskGroup> groups;
    boost::unordered_flat_map<AskId, TaskGroupName> held_in;  // where an ask waits
    boost::unordered_flat_map<AskId, AskId> takes;            // an ask, and the placeholder that goes for it
    boost::unordered_flat_map<AskId, AskId> taken_by;         // the other way round
    std::map<std::uint64_t, Due> due;                         // asks whose placeholder has gone, by sequence number
    std::set<TaskGroupName> touched;                          // something of them has changed
    std::set<std::tuple<std::int64_t, std::uint64_t, ApplicationId>> deadlines;

    std::int64_t next_deadline_ns() const { return deadlines.empty() ? INT64_MAX : std::get<0>(*deadlines.begin()); }
};

}  // namespace bayplan
