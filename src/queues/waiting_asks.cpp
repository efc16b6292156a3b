// Asks by the time or the event that makes them pending; see waiting_asks.h.
#include "queues/waiting_asks.h"

namespace bayplan {

bool BackoffHeap::Before::operator()(AskId a, AskId b) const {
    const Waiting& first = asks->waiting(a);
    const Waiting& second = asks->waiting(b);
    if (first.backoff_until_ns != second.backoff_until_ns) {
        return first.backoff_until_ns < second.backoff_until_ns;
    }
    return first.key.sequence < second.key.sequence;
}

void BackoffHeap::insert(AskId id) {
    const std::uint32_t shim = raw(asks_[id].shim);
    while (heaps_.size() <= shim) {
        heaps_.emplace_back(Before{&asks_}, Position{&asks_});
    }
    heaps_[shim].insert(id);
    ++size_;
}

void BackoffHeap::remove(AskId id) {
    heaps_[raw(asks_[id].shim)].remove(id);
    --size_;
}

std::int64_t BackoffHeap::next_time_ns() const {
    const AskId next = first();
    return next == kNone<AskId> ? INT64_MAX : asks_.waiting(next).backoff_until_ns;
}

bool UnschedulableList::is_woken(AskId id) const {
    const auto found = buckets_.find(key_of(id));
    return found != buckets_.end() && entry_of(id) <= found->second.woken_up_to;
}

void UnschedulableList::insert(AskId id) { put_back(id, ++entries_); }

void UnschedulableList::put_back(AskId id, std::uint64_t entry) {
    set_entry(id, entry);
    Bucket& bucket = buckets_[key_of(id)];
    const bool woken = entry <= bucket.woken_up_to;
    (woken ? woken_ : bucket.asks).push_back(asks_, id);
    ++(woken ? woken_size_ : bucket.size);
    ++size_;
}

std::uint64_t UnschedulableList::remove(AskId id) {
    const std::uint64_t entry = take_entry(id);
    Bucket& bucket = buckets_[key_of(id)];
    const bool woken = entry <= bucket.woken_up_to;
    (woken ? woken_ : bucket.asks).remove(asks_, id);
    --(woken ? woken_size_ : bucket.size);
    --size_;
    return entry;
}

}  // namespace bayplan
