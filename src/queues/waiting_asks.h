// The asks that are not tried now: asks that wait for a time (backoff) and asks that wait for an event (unschedulable,
// bucketed by the predicates that failed them, so that an event visits only asks that it may help).
//
// Thread: the engine's.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "apps/ask_list.h"
#include "apps/ask_table.h"
#include "base/indexed_heap.h"

namespace bayplan {

class BackoffHeap {
public:
    explicit BackoffHeap(AskTable& asks) : asks_(asks) {}

    void insert(AskId);
    void remove(AskId);
    std::size_t size() const { return size_; }
    // The ask whose time comes first, or kNone.
    AskId first() const {
        return first_of([](ShimId) { return true; });
    }
    // The same of the shims that `may` says yes to: a look at each shim, not at its asks.
    template <typename May>
    AskId first_of(May&& may) const {
        AskId first = kNone<AskId>;
        for (std::uint32_t shim = 0; shim < heaps_.size(); ++shim) {
            if (!heaps_[shim].empty() && may(static_cast<ShimId>(shim)) &&
                (first == kNone<AskId> || Before{&asks_}(heaps_[shim].top(), first))) {
                first = heaps_[shim].top();
            }
        }
        return first;
    }
    std::int64_t next_time_ns() const;

private:
    struct Before {
        const AskTable* asks;
        bool operator()(AskId a, AskId b) const;
    };
    struct Position {
        AskTable* asks;
        std::uint32_t& operator()(AskId id) const { return asks->waiting(id).heap_position; }
    };
    using Heap = IndexedHeap<AskId, Before, Position>;

    AskTable& asks_;
    std::vector<Heap> heaps_;  // by shim
    std::size_t size_ = 0;
};

class UnschedulableList {
public:
    explicit UnschedulableList(AskTable& asks) : asks_(asks) {}

    void insert(AskId);  // by the ask's failed_predicates
    void remove(AskId);
    std::size_t size() const { return size_; }

    // Takes out every ask whose failed predicates `helped` says yes to, in no particular order.
    template <typename Helped>
    std::vector<AskId> take(Helped&& helped) {
        std::vector<AskId> taken;
        for (auto& [failed, bucket] : buckets_) {
            if (!helped(failed)) {
                continue;
            }
            while (!bucket.empty()) {
                const AskId id = bucket.front();
                bucket.remove(asks_, id);
                taken.push_back(id);
            }
        }
        size_ -= taken.size();
        return taken;
    }

private:
    AskTable& asks_;
    std::map<std::uint32_t, AskList<InWaiting>> buckets_;  // by failed predicates
    std::size_t size_ = 0;
};

}  // namespace bayplan
