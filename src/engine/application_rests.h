// Applications whose asks find no node one after another, and until when they rest (rules/queues.md). Few are in here: asks
// of each have failed, and its queue lets it rest for that.
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

class ApplicationRests {
public:
    // One ask more found no node. Returns how many have one after another.
    std::uint64_t count_failure(ApplicationId id) { return ++rows_[id].failures; }
    // An ask of it found a node. Fine if none has failed.
    void end_row(ApplicationId id) {
        const auto found = rows_.find(id);
        if (found != rows_.end()) {
            found->second.failures = 0;
        }
    }
    // It has failed so often that it rests.
    void begin(ApplicationId id, std::int64_t until_ns) {
        rows_[id] = {0, until_ns};
        due_.emplace(until_ns, id);
        ++begun_;
    }
    // None: it does not rest.
    std::optional<std::int64_t> until_ns(ApplicationId id) const {
        const auto found = rows_.find(id);
        return found == rows_.end() || found->second.until_ns == INT64_MAX ? std::nullopt
                                                                           : std::optional(found->second.until_ns);
    }
    // It is gone. Fine if nothing is known of it.
    void forget(ApplicationId id) {
        const auto found = rows_.find(id);
        if (found != rows_.end()) {
            due_.erase({found->second.until_ns, id});
            rows_.erase(found);
        }
    }
    bool empty() const { return rows_.empty(); }
    std::uint64_t resting() const { return due_.size(); }
    std::uint64_t begun() const { return begun_; }
    std::int64_t next_time_ns() const { return due_.empty() ? INT64_MAX : due_.begin()->first; }
    // An application whose rest is over by now; it rests no more. kNone: none.
    ApplicationId take_due(std::int64_t now_ns) {
        if (next_time_ns() > now_ns) {
            return kNone<ApplicationId>;
        }
        const ApplicationId id = due_.begin()->second;
        forget(id);
        return id;
    }

private:
    struct Row {
        std::uint64_t failures = 0;
        std::int64_t until_ns = INT64_MAX;  // it does not rest
    };

    boost::unordered_flat_map<ApplicationId, Row, NumberHash> rows_;
    std::set<std::pair<std::int64_t, ApplicationId>> due_;  // each that rests
    std::uint64_t begun_ = 0;                               // rests
};

}  // namespace bayplan
