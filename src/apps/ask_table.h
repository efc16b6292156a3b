// All asks of an engine by dense id; places are used again under a new generation.
//
// Thread: the engine's.
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "apps/ask.h"
#include "base/check.h"

namespace bayplan {

class AskTable {
public:
    AskId add() {
        AskId id;
        if (free_.empty()) {
            asks_.emplace_back();
            id = static_cast<AskId>(asks_.size() - 1);
        } else {
            id = free_.back();
            free_.pop_back();
        }
        return id;
    }

    void remove(AskId id) {
        const std::uint32_t generation = (*this)[id].generation + 1;
        (*this)[id] = Ask{};
        (*this)[id].generation = generation;
        free_.push_back(id);
    }

    Ask& operator[](AskId id) { return asks_[raw(id)]; }
    const Ask& operator[](AskId id) const { return asks_[raw(id)]; }

    AskHandle handle(AskId id) const { return {id, asks_[raw(id)].generation}; }
    // Null if what the handle named is gone.
    Ask* find(AskHandle handle) {
        if (raw(handle.id) >= asks_.size() || asks_[raw(handle.id)].generation != handle.generation ||
            asks_[raw(handle.id)].state == AskState::gone) {
            return nullptr;
        }
        return &asks_[raw(handle.id)];
    }

    std::uint32_t size() const { return static_cast<std::uint32_t>(asks_.size()); }  // free places included

private:
    std::deque<Ask> asks_;  // keys must not move: maps hold views of them
    std::vector<AskId> free_;
};

}  // namespace bayplan
