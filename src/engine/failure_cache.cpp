// Keeping and using findings by block; see failure_cache.h.
#include "engine/failure_cache.h"

#include <utility>

namespace bayplan {

void FailureCache::clear() {
    position = searched = 0;
    blocks.clear();
    reasons.clear();
    unschedulable.clear();
    unschedulable_count = 0;
    failing_blocks.fill(0);
    told.clear();
    candidates.clear();
}

Failures::Entry& Failures::entry(ClassId id) {
    if (raw(id) >= entries_.size()) {
        entries_.resize(raw(id) + std::size_t{1});
    }
    return entries_[raw(id)];
}

FailureCache& Failures::of(ClassId id) {
    if (raw(id) < entries_.size() && entries_[raw(id)].cache) {
        return *entries_[raw(id)].cache;
    }
    if (classes_[id].references <= 1 && !classes_[id].failed) {
        once_.clear();
        once_.once = true;
        return once_;
    }
    if (holders_.size() >= kCachesMax) {
        entry(holders_.front()).cache.reset();
        holders_.pop_front();
    }
    holders_.push_back(id);
    Entry& holder = entry(id);
    holder.cache = std::make_unique<FailureCache>();
    return *holder.cache;
}

void Failures::keep(ClassId id, LastFailure last) {
    classes_[id].failed = true;
    entry(id).last = std::move(last);
}

void Failures::class_gone(ClassId id) {
    if (raw(id) < entries_.size()) {
        entries_[raw(id)] = {};
    }
}

}  // namespace bayplan
