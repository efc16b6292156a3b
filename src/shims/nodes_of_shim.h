// The nodes of one shim by slot: mentioned by its statement, or new since then; and not mentioned yet (rules/sessions.md).
// To begin a statement costs what the smaller part has.
//
// Thread: the engine's.
#pragma once

#include <set>
#include <utility>

#include "base/check.h"
#include "base/ids.h"

namespace bayplan {

class NodesOfShim {
public:
    void add(Slot slot) { mentioned_.insert(slot); }
    void remove(Slot slot) {
        const bool there = mentioned_.erase(slot) + unmentioned_.erase(slot) == 1;
        BP_CHECK(there);
    }
    void mention(Slot slot) {
        if (auto node = unmentioned_.extract(slot)) {
            mentioned_.insert(std::move(node));
        }
    }
    void mention_none() {
        if (mentioned_.size() > unmentioned_.size()) {
            mentioned_.swap(unmentioned_);
        }
        unmentioned_.merge(mentioned_);
    }

    bool is_mentioned(Slot slot) const { return !unmentioned_.contains(slot); }
    std::size_t size() const { return mentioned_.size() + unmentioned_.size(); }
    const std::set<Slot>& unmentioned() const { return unmentioned_; }
    // The first by slot, or kNone.
    Slot first_unmentioned() const { return unmentioned_.empty() ? kNone<Slot> : *unmentioned_.begin(); }

private:
    std::set<Slot> mentioned_;
    std::set<Slot> unmentioned_;
};

}  // namespace bayplan
