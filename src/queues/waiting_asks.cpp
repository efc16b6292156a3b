#include "queues/waiting_asks.h"

namespace bayplan {

bool BackoffHeap::Before::operator()(AskId a, AskId b) const {
    const Ask& first = (*asks)[a];
    const Ask& second = (*asks)[b];
    if (first.backoff_until_ns != second.backoff_until_ns) {
        return first.backoff_until_ns < second.backoff_until_ns;
    }
    return first.sequence < second.sequence;
}

BackoffHeap::BackoffHeap(AskTable& asks) : asks_(asks), heap_(Before{&asks}, Position{&asks}) {}

std::int64_t BackoffHeap::next_time_ns() const {
    return heap_.empty() ? INT64_MAX : asks_[heap_.top()].backoff_until_ns;
}

void UnschedulableList::insert(AskId id) {
    buckets_[asks_[id].failed_predicates].push_back(asks_, id);
    ++size_;
}

void UnschedulableList::remove(AskId id) {
    buckets_[asks_[id].failed_predicates].remove(asks_, id);
    --size_;
}

}  // namespace bayplan
