// Since when asks fail under the guarantee of their queue, and when their delays are over (rules/guarantees.md). Few asks
// are in here: each has failed.
//
// Thread: the engine's. Owner: World.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <utility>

#include <boost/unordered/unordered_flat_map.hpp>

#include "base/ids.h"
#include "base/seeded_hash.h"

namespace bayplan {

class GuaranteeWaits {
public:
    // It waits from now on, unless it does already. Returns since when.
    std::int64_t begin(AskId id, std::int64_t now_ns) {
        return waits_.try_emplace(id, Wait{now_ns, INT64_MAX}).first->second.since_ns;
    }
    // None: it does not.
    std::optional<std::int64_t> since_ns(AskId id) const {
        const auto found = waits_.find(id);
        return found == waits_.end() ? std::nullopt : std::optional(found->second.since_ns);
    }
    // Of an ask that waits; INT64_MAX: it need not be woken.
    void wake_at(AskId id, std::int64_t due_ns) {
        Wait& wait = waits_.at(id);
        due_.erase({wait.due_ns, id});
        wait.due_ns = due_ns;
        if (due_ns != INT64_MAX) {
            due_.emplace(due_ns, id);
        }
    }
    // It has a node, or is gone. Fine if it does not wait.
    void end(AskId id) {
        const auto found = waits_.find(id);
        if (found != waits_.end()) {
            due_.erase({found->second.due_ns, id});
            waits_.erase(found);
        }
    }
    bool empty() const { return waits_.empty(); }
    // Counts changes of what may go that no other version tells of.
    void note_change() { ++changes_; }
    std::uint64_t changes() const { return changes_; }
    std::int64_t next_time_ns() const { return due_.empty() ? INT64_MAX : due_.begin()->first; }
    // An ask that is to be woken by now, off the list; kNone: none.
    AskId take_due(std::int64_t now_ns) {
        if (next_time_ns() > now_ns) {
            return kNone<AskId>;
        }
        const AskId id = due_.begin()->second;
        wake_at(id, INT64_MAX);
        return id;
    }

private:
    struct Wait {
        std::int64_t since_ns = 0;
        std::int64_t due_ns = INT64_MAX;
    };

    boost::unordered_flat_map<AskId, Wait, NumberHash> waits_;
    std::set<std::pair<std::int64_t, AskId>> due_;
    std::uint64_t changes_ = 0;
};

}  // namespace bayplan
