// The asks that are not tried now: asks that wait for a time (backoff) and asks that wait for an event (unschedulable,
// bucketed by the predicates that failed them, so that an event visits only asks that it may help).
//
// Thread: the engine's.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>
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

// Buckets by failed predicates, so that an event visits only asks that it may help. An event that helps thousands at once
// marks whole buckets: their asks are *woken*, and leave one by one when somebody has time for them, as if they had left in
// that moment (engine/lifecycle.h). Members of gangs, whose gangs change with them, are taken out at once.
class UnschedulableList {
public:
    explicit UnschedulableList(AskTable& asks) : asks_(asks) {}

    void insert(AskId);           // by the ask's failed_predicates; not woken
    std::uint64_t remove(AskId);  // returns the number of its entry
    // After remove(): as woken as it was.
    void put_back(AskId, std::uint64_t entry);
    std::size_t size() const { return size_; }

    // Takes out every member of a gang whose failed predicates `helped` says yes to, in no particular order.
    template <typename Helped>
    std::vector<AskId> take_of_gangs(Helped&& helped) {
        std::vector<AskId> taken;
        for (auto& [key, bucket] : buckets_) {
            if (!key.of_gang || !helped(key.failed)) {
                continue;
            }
            while (!bucket.asks.empty()) {
                const AskId id = bucket.asks.front();
                bucket.asks.remove(asks_, id);
                take_entry(id);
                taken.push_back(id);
            }
            bucket.size = 0;
        }
        size_ -= taken.size();
        return taken;
    }

    // All others that it says yes to are woken.
    template <typename Helped>
    void mark(Helped&& helped) {
        for (auto& [key, bucket] : buckets_) {
            if (!key.of_gang && !bucket.asks.empty() && helped(key.failed)) {
                woken_.append(asks_, bucket.asks);
                woken_size_ += std::exchange(bucket.size, 0);
                bucket.woken_up_to = entries_;
            }
        }
    }
    // The first of them, or kNone.
    AskId first_woken() const { return woken_.front(); }
    std::size_t woken() const { return woken_size_; }
    bool is_woken(AskId) const;  // of an ask in the list

private:
    struct Key {
        std::uint32_t failed = 0;
        bool of_gang = false;
        auto operator<=>(const Key&) const = default;
    };
    struct Bucket {
        AskList<InWaiting> asks;
        std::size_t size = 0;
        std::uint64_t woken_up_to = 0;  // entries to there are woken
    };
    Key key_of(AskId id) const { return {asks_.waiting(id).failed_predicates, is_coscheduled(asks_[id].group)}; }

    // The number of its entry, which lies where an ask that waits for its turn or for a time has other things.
    std::uint64_t entry_of(AskId id) const {
        const Waiting& waiting = asks_.waiting(id);
        return std::uint64_t{waiting.run} << 32 | waiting.heap_position;
    }
    void set_entry(AskId id, std::uint64_t entry) {
        Waiting& waiting = asks_.waiting(id);
        waiting.run = static_cast<std::uint32_t>(entry >> 32);
        waiting.heap_position = static_cast<std::uint32_t>(entry);
    }
    std::uint64_t take_entry(AskId id) {
        const std::uint64_t entry = entry_of(id);
        set_entry(id, std::uint64_t{UINT32_MAX} << 32 | kNotInHeap);
        return entry;
    }

    AskTable& asks_;
    std::map<Key, Bucket> buckets_;
    AskList<InWaiting> woken_;
    std::size_t woken_size_ = 0;
    std::size_t size_ = 0;
    std::uint64_t entries_ = 0;
};

}  // namespace bayplan
