// How many of each priority there are, and the highest. Priorities are few: a sorted list, which allocates only when it
// has never had as many.
//
// Thread: its owner's.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "base/check.h"

namespace bayplan::queue_tree {

// Of a queue or an application without anything pending.
inline constexpr std::int32_t kNothingPending = std::numeric_limits<std::int32_t>::min();

class PriorityCounts {
public:
    void add(std::int32_t priority) {
        const auto place = find(priority);
        if (place != counts_.end() && place->priority == priority) {
            ++place->count;
        } else {
            counts_.insert(place, {priority, 1});
        }
    }
    void remove(std::int32_t priority) {
        const auto place = find(priority);
        BP_CHECK(place != counts_.end() && place->priority == priority);
        if (--place->count == 0) counts_.erase(place);
    }
    std::int32_t highest() const { return counts_.empty() ? kNothingPending : counts_.back().priority; }
    void clear() { counts_.clear(); }

private:
    struct Count {
        std::int32_t priority;
        std::uint32_t count;
    };
    std::vector<Count>::iterator find(std::int32_t priority) {
        return std::ranges::lower_bound(counts_, priority, {}, &Count::priority);
    }

    std::vector<Count> counts_;  // the highest last
};

}  // namespace bayplan::queue_tree
