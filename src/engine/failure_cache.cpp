// Keeping and using findings by block; see failure_cache.h.
#include "engine/failure_cache.h"

#include <utility>

namespace bayplan {

void FailureCache::clear() {
    position = searched = searched_budgets = 0;
    blocks.clear();
    reasons.clear();
    unschedulable.clear();
    unschedulable_count = 0;
    failing_blocks.fill(0);
    told.clear();
    candidates.clear();
    with_candidate = 0;
    refusals.clear();
    refused = {};
}

void FailureCache::keep_found(std::uint32_t block, const VictimCandidate& candidate, const BlockRefusals& why) {
    refused.add(refusals[block], -1);
    refusals[block] = why;
    refused.add(why, +1);
    const bool found = candidate.slot != kNone<Slot>;
    if (!found && candidates.empty()) {
        return;
    }
    candidates.resize(blocks.size());
    const bool before = candidates[block].slot != kNone<Slot>;
    with_candidate += std::uint32_t{found} - std::uint32_t{before};
    candidates[block] = candidate;
    if (with_candidate == 0) {
        candidates = {};
    }
}

std::size_t FailureCache::bytes() const {
    return blocks.size() * sizeof(Block) + unschedulable.size() * sizeof(std::uint64_t) +
           candidates.size() * sizeof(VictimCandidate) + refusals.size() * sizeof(BlockRefusals);
}

Failures::Entry& Failures::entry(ClassId id) {
    if (raw(id) >= entries_.size()) {
        entries_.resize(raw(id) + std::size_t{1});
    }
    return entries_[raw(id)];
}

// Judged by the oldest: they are all of one size, but for candidates.
bool Failures::too_many() const {
    const std::size_t oldest = raw(holders_.front());
    const FailureCache* const cache = oldest < entries_.size() ? entries_[oldest].cache.get() : nullptr;
    return cache == nullptr || holders_.size() * cache->bytes() > kBytesMax;
}

FailureCache& Failures::own(ClassId id, std::unique_ptr<FailureCache> cache) {
    while (holders_.size() >= kCachesMin && too_many()) {
        entry(holders_.front()).cache.reset();
        holders_.pop_front();
    }
    holders_.push_back(id);
    Entry& holder = entry(id);
    holder.cache = std::move(cache);
    return *holder.cache;
}

FailureCache& Failures::of(ClassId id) {
    if (raw(id) < entries_.size() && entries_[raw(id)].cache) {
        return *entries_[raw(id)].cache;
    }
    if (classes_[id].references <= 1 && !classes_[id].failed) {
        once_.clear();
        once_.once = true;
        once_of_ = id;
        return once_;
    }
    return own(id, std::make_unique<FailureCache>());
}

void Failures::keep(ClassId id, LastFailure last) {
    classes_[id].failed = true;
    if (once_of_ == id && once_.searched != 0) {
        own(id, std::make_unique<FailureCache>(std::move(once_))).once = false;
        once_.clear();
    }
    once_of_ = kNone<ClassId>;
    entry(id).last = std::move(last);
}

void Failures::class_gone(ClassId id) {
    once_of_ = once_of_ == id ? kNone<ClassId> : once_of_;
    if (raw(id) < entries_.size()) {
        entries_[raw(id)] = {};
    }
}

}  // namespace bayplan
