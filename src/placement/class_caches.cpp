// Giving classes their caches, and taking them where they use too much; see class_caches.h.
#include "placement/class_caches.h"

#include <utility>

#include "base/check.h"

namespace bayplan {

void ClassCaches::mark_used(ClassId id) {
    Entry& entry = entries_[raw(id)];
    if (entry.in_use_list) {
        use_list_.splice(use_list_.begin(), use_list_, entry.used);
    } else {
        use_list_.push_front(id);
        entry.used = use_list_.begin();
        entry.in_use_list = true;
    }
}

void ClassCaches::give_up(Entry& entry) {
    if (entry.in_use_list) {
        use_list_.erase(entry.used);
        entry.in_use_list = false;
    }
    bytes_ -= std::exchange(entry.bytes, 0);
    if (entry.cache && pool_.size() < kPooledMax && entry.cache->bytes() <= kPooledBytesMax) {
        entry.cache->clear();
        pool_.push_back(std::move(entry.cache));
    }
    entry.cache.reset();
}

void ClassCaches::class_gone(ClassId id) {
    if (raw(id) < entries_.size()) {
        Entry& entry = entries_[raw(id)];
        BP_CHECK_OP(entry.proposed_in, ==, 0u);
        give_up(entry);
        entry = Entry{};
    }
}

void ClassCaches::count_bytes(ClassId id) {
    Entry& entry = entries_[raw(id)];
    const std::size_t bytes = entry.cache->bytes();
    bytes_ += bytes - std::exchange(entry.bytes, bytes);
}

ClassCache& ClassCaches::use(ClassId id) {
    Entry& entry = (*this)[id];
    BP_CHECK_OP(entry.proposed_in, ==, 0u);
    if (entry.cache && !use_list_.empty() && use_list_.front() == id) {
        return *entry.cache;  // the class of the ask before
    }
    if (!use_list_.empty() && use_list_.front() != id) {
        count_bytes(use_list_.front());  // it may have grown while it was used
    }
    if (!entry.cache) {
        if (pool_.empty()) {
            pool_.push_back(std::make_unique<ClassCache>());
        }
        entry.cache = std::move(pool_.back());
        pool_.pop_back();
    }
    mark_used(id);
    while (bytes_ > bytes_max_ && use_list_.size() > 1) {
        give_up(entries_[raw(use_list_.back())]);
    }
    return *entry.cache;
}

std::unique_ptr<ClassCache> ClassCaches::lend(ClassId id, std::uint64_t batch) {
    use(id);
    Entry& entry = entries_[raw(id)];
    // Off the list while it is away, so that it is not given up.
    away_.splice(away_.begin(), use_list_, entry.used);
    entry.in_use_list = false;
    entry.proposed_in = batch;
    classes_.hold(id);
    return std::move(entry.cache);
}

void ClassCaches::take_back(ClassId id, std::unique_ptr<ClassCache> cache) {
    Entry& entry = entries_[raw(id)];
    entry.cache = std::move(cache);
    if (!use_list_.empty()) {
        count_bytes(use_list_.front());  // no longer the list's first: its bytes count now
    }
    entry.proposed_in = 0;
    use_list_.splice(use_list_.begin(), away_, entry.used);
    entry.in_use_list = true;
    count_bytes(id);
    classes_.let_go(id);
}

}  // namespace bayplan
