// Pods that are being deleted: when each should be gone, when to remind its shim, and which of them stay
// for ever (rules/victims.md).
//
// Thread: the engine's. Owner: World. Times are the engine's, in ns.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <tuple>

#include "apps/ask_table.h"
#include "base/seeded_hash.h"
#include "base/split_map.h"
#include "options/engine_options.h"

namespace bayplan {

class Departures {
public:
    Departures(const AskTable& asks, const PreemptionOptions& options) : asks_(asks), options_(options) {}

    // The pod terminates from now on; fine if it does already: it keeps its time, and a changed grace counts.
    // `why`: its shim was told so, and will be told again.
    void begin(AskId, std::int64_t now_ns, std::string why = {});
    const std::string& why(AskId id) const { return pods_.at(id).why; }
    void end(AskId);  // it is gone, or does not terminate after all; fine if it did not

    struct Departure {
        std::int64_t since_ns = 0;
        std::uint32_t reminders = 0;  // sent
        bool stuck = false;
        std::string why;
        std::int64_t due_ns = 0;  // unless it is stuck
        bool operator==(const Departure&) const = default;
    };
    // As it stands, and as it stood (none: the pod does not terminate).
    std::optional<Departure> of(AskId) const;
    void put_back(AskId, std::optional<Departure>);
    bool is_stuck(AskId) const;
    bool empty() const { return pods_.empty(); }
    // Every pod that terminates.
    template <typename Each>
    void for_each(Each&& each) const {
        for (const auto& [id, departure] : pods_) {
            each(id);
        }
    }
    std::int64_t next_time_ns() const { return queue_.empty() ? INT64_MAX : std::get<0>(*queue_.begin()); }

    struct Due {
        AskId pod = kNone<AskId>;
        bool stuck = false;  // else: its shim is to be told again
    };
    // The next thing that is due by now, taken off the list.
    std::optional<Due> next_due(std::int64_t now_ns);
    // The pod that next_due() would return, or kNone.
    AskId first_due(std::int64_t now_ns) const {
        return next_time_ns() > now_ns ? kNone<AskId> : std::get<2>(*queue_.begin());
    }

private:
    using Entry = std::tuple<std::int64_t, std::uint64_t, AskId>;  // time, sequence number, pod

    std::int64_t due_ns(AskId, const Departure&) const;
    Entry entry_of(AskId id, const Departure& departure) const { return {departure.due_ns, asks_[id].sequence, id}; }
    void enqueue(AskId, Departure&);

    const AskTable& asks_;
    const PreemptionOptions& options_;
    SplitMap<AskId, Departure, NumberHash> pods_;
    std::set<Entry> queue_;  // the departures that are not stuck
};

}  // namespace bayplan
