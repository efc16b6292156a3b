// The functions that take a number out of use; see dictionary.h.
//
// Thread: the engine's.
#include "shims/dictionary.h"

#include <utility>

namespace bayplan {

namespace {

constexpr std::size_t kDroppedPerEntry = 2;  // of those left, so that they go faster than others come

}  // namespace

void Dictionary::define(DictId id, std::string_view text) {
    std::string& there = entries_[id].text;
    text_bytes_ += text.size() - there.size();
    there.assign(text);
    drop_left(kDroppedPerEntry);
}

bool Dictionary::forget(DictId id) {
    const auto found = entries_.find(id);
    if (found == entries_.end()) {
        return false;
    }
    give_back(found->second);
    text_bytes_ -= found->second.text.size();
    entries_.erase(found);
    return true;
}

void Dictionary::clear() {
    for (const auto& [id, entry] : entries_) {
        give_back(entry);
    }
    entries_.clear();
    text_bytes_ = 0;
    drop_left(SIZE_MAX);
}

void Dictionary::leave_all() {
    text_bytes_ = 0;
    if (entries_.empty()) {
        return;
    }
    left_count_ += entries_.size();
    left_.push_back(std::exchange(entries_, {}));
    if (left_.size() == 1) {
        next_left_ = left_.front().begin();
    }
}

void Dictionary::drop_left(std::size_t most) {
    for (; most > 0 && left_count_ > 0; --most) {
        give_back(next_left_->second);
        left_.front().erase(next_left_++);
        --left_count_;
        if (left_.front().empty()) {
            left_.pop_front();
            next_left_ = left_.empty() ? Entries::iterator() : left_.front().begin();
        }
    }
}

}  // namespace bayplan
