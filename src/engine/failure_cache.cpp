// Keeping and using findings by block; see failure_cache.h.
#include "engine/failure_cache.h"

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

FailureCache& Failures::of(ClassTable& classes, ClassId id) {
    ClassEntry& entry = classes[id];
    if (entry.failures) {
        return *entry.failures;
    }
    if (entry.references <= 1 && entry.failure_text.empty()) {
        once_.clear();
        once_.once = true;
        return once_;
    }
    if (holders_.size() >= kCachesMax) {
        classes[holders_.front()].failures.reset();
        holders_.pop_front();
    }
    holders_.push_back(id);
    entry.failures = std::make_shared<FailureCache>();
    return *entry.failures;
}

}  // namespace bayplan
