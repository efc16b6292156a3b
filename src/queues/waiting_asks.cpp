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

BackoffHeap::BackoffHeap(AskTable& asks) : asks_(asks), heap_(Before{&asks}, Position{&asks}) {}

std::int64_t BackoffHeap::next_time_ns() const {
    return heap_.empty() ? INT64_MAX : asks_.waiting(heap_.top()).backoff_until_ns;
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
