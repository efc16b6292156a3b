// How many of each priority there are, and the highest. Priorities are few: a sorted list, which allocates only when it
// has never had as many. Many, which a shim may state, are in a map until there are none.
//
// Thread: its owner's.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>
#include <memory>

#include <boost/container/small_vector.hpp>

#include "base/check.h"

namespace bayplan::queue_tree {

// Of a queue or an application without anything pending.
inline constexpr std::int32_t kNothingPending = std::numeric_limits<std::int32_t>::min();

class PriorityCounts {
public:
    void add(std::int32_t priority) {
        if (many_ != nullptr) {
            ++(*many_)[priority];
            return;
        }
        const auto place = find(priority);
        if (place != counts_.end() && place->priority == priority) {
            ++place->count;
        } else if (counts_.size() < kFew) {
            counts_.insert(place, {priority, 1});
        } else {
            become_many();
            add(priority);
        }
    }
    void remove(std::int32_t priority) {
        if (many_ != nullptr) {
            const auto place = many_->find(priority);
            BP_CHECK(place != many_->end());
            if (--place->second == 0) many_->erase(place);
            if (many_->empty()) many_.reset();
            return;
        }
        const auto place = find(priority);
        BP_CHECK(place != counts_.end() && place->priority == priority);
        if (--place->count == 0) counts_.erase(place);
    }
    std::int32_t highest() const {
        if (many_ != nullptr) return many_->rbegin()->first;
        return counts_.empty() ? kNothingPending : counts_.back().priority;
    }
    void clear() {
        counts_.clear();
        many_.reset();
    }

private:
    static constexpr std::size_t kFew = 64;

    struct Count {
        std::int32_t priority;
        std::uint32_t count;
    };
    // Asks of most have one.
    using Counts = boost::container::small_vector<Count, 1>;
    Counts::iterator find(std::int32_t priority) {
        return std::ranges::lower_bound(counts_, priority, {}, &Count::priority);
    }

    void become_many() {
        many_ = std::make_unique<std::map<std::int32_t, std::uint32_t>>();
        for (const Count& one : counts_) many_->emplace_hint(many_->end(), one.priority, one.count);
        counts_.clear();
    }

    Counts counts_;  // the highest last; empty while there are many
    std::unique_ptr<std::map<std::int32_t, std::uint32_t>> many_;
};

}  // namespace bayplan::queue_tree
