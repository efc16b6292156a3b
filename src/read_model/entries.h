// Things as the read model knows them. Resources are YuniKorn's: cpu is vcore.
//
// Thread: plain data. Numbers of texts are of SharedTexts.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "read_model/change.h"
#include "read_model/change_feed.h"

namespace bayplan::read_model {

struct Amount {
    std::uint32_t resource = 0;  // its name's text
    std::int64_t value = 0;
    bool operator==(const Amount&) const = default;
};
using AmountList = std::vector<Amount>;  // each resource once, in no order that means anything

void add(AmountList& sum, const AmountList&, std::int64_t times = 1);

// An ask, all its life. Its key is in a table of its own.
struct Pod {
    std::uint32_t application = kNobody;
    std::uint32_t shape = 0;
    std::uint32_t node = kNobody;  // where it is
    std::uint32_t claim =
        kNobody;  // the node that is nominated or reserved for it, or that its plugins are asked about
    std::int32_t priority = 0;
    std::uint32_t group = 0;         // text: its pod group
    std::uint32_t reason = 0;        // text: why it waits
    std::uint32_t reason_times = 0;  // that was said in a row
    std::int64_t reason_ns = 0;      // last at this tick
    std::int64_t created_s = 0;
    std::uint64_t number = 0;  // in order of arrival
    std::uint32_t failures = 0;
    PodState state = PodState::gone;
    std::uint16_t flags = 0;

    bool in_use() const { return state != PodState::gone; }
    bool is(PodFlag flag) const { return (flags & flag) != 0; }
    // It asks for a place, as YuniKorn counts what is pending.
    bool wants_place() const {
        return !is(kForeign) &&
               (state == PodState::pending || state == PodState::backoff || state == PodState::unschedulable ||
                state == PodState::reserved || state == PodState::queried);
    }
};
static_assert(sizeof(Pod) == 64);

// Requests of pods alike.
struct ShapeFacts {
    AmountList requests;
    std::string required_node;  // empty: any
};
struct Shape {
    std::shared_ptr<const ShapeFacts> facts;
    bool in_use() const { return facts != nullptr; }
};

struct Label {
    std::uint32_t key = 0;
    std::uint32_t value = 0;
};
struct NodeFacts {
    std::string name;
    bool schedulable = false;
    AmountList capacity;
    std::vector<Label> labels;
};
struct Node {
    std::shared_ptr<const NodeFacts> facts;
    bool in_use() const { return facts != nullptr; }
};

struct ApplicationFacts {
    std::string name;
    std::string queue;  // its full path; empty where there is one leaf
    std::string user;
    std::vector<std::string> groups;  // of the user
    std::uint32_t shim = 0;
};
// States of an application since it came, or since it was complete, the latest last; of many the first and the latest.
struct StateEntry {
    std::uint8_t state = kNoApplicationState;
    std::int64_t at_ns = 0;  // tick
};
struct ApplicationRun {
    std::vector<StateEntry> log;
    std::int64_t started_ns = kNever;
};
inline constexpr std::size_t kStatesKept = 16;

// Placeholders that an application ever had in a task group, since the model has known it.
struct TaskGroupTotals {
    std::string group;
    std::vector<std::pair<std::string, std::int64_t>> each;  // requests of the first of them
    std::uint32_t count = 0;
    std::uint32_t replaced = 0;   // taken over by others
    std::uint32_t timed_out = 0;  // not in time
};
using TaskGroups = std::vector<TaskGroupTotals>;  // in the order of their names

struct Application {
    std::shared_ptr<const ApplicationFacts> facts;
    std::shared_ptr<const ApplicationRun> run;      // never null
    std::shared_ptr<const AmountList> most;         // that it ever had at once; null: nothing
    std::shared_ptr<const TaskGroups> task_groups;  // null: none has placeholders
    std::int64_t came_ns = 0;
    std::int64_t oldest_s = 0;                 // its oldest pod ever was made then; 0: not known
    std::int64_t rests_until_ns = kNever;      // tick; kNever: it does not rest
    std::uint32_t pods = 0;                    // now, without foreign ones
    std::uint32_t placed = 0;                  // of them
    std::uint32_t tally = 0;                   // of its queue (tallies.h)
    std::uint8_t state = kNoApplicationState;  // queue_tree::ApplicationState
    bool in_use() const { return facts != nullptr; }
};

// An application that is complete, or was rejected. It holds its texts, for nothing else of it is left.
struct EndedApplication {
    std::shared_ptr<const ApplicationFacts> facts;
    std::shared_ptr<const ApplicationRun> run;
    std::vector<std::pair<std::string, std::int64_t>> most;
    std::string message;        // why it was rejected
    std::int64_t oldest_s = 0;  // as in Application
    std::int64_t came_ns = 0;
    bool rejected = false;

    std::int64_t ended_ns() const { return run->log.back().at_ns; }
};

struct Queue {
    QueueFacts facts;
    bool in_use() const { return facts != nullptr; }
};

}  // namespace bayplan::read_model
