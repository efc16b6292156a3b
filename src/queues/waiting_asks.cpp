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

void UnschedulableList::insert(AskId id) {
    buckets_[asks_.waiting(id).failed_predicates].push_back(asks_, id);
    ++size_;
}

void UnschedulableList::remove(AskId id) {
    buckets_[asks_.waiting(id).failed_predicates].remove(asks_, id);
    --size_;
}

}  // namespace bayplan
