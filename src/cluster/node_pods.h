// The pods on one node, in no particular order: their ids side by side, for a node has a hundred or so.
//
// Thread: its owner's.
#pragma once

#include <algorithm>
#include <vector>

#include "base/check.h"
#include "base/ids.h"

namespace bayplan {

class NodePods {
public:
    void insert(AskId id) {
        if (ids_.capacity() == 0) {
            ids_.reserve(kRoomAtFirst);
        }
        ids_.push_back(id);
    }
    void remove(AskId id) {
        const auto found = std::find(ids_.begin(), ids_.end(), id);
        BP_CHECK(found != ids_.end());
        *found = ids_.back();
        ids_.pop_back();
        if (ids_.size() * 4 < ids_.capacity() && ids_.capacity() > kRoomKept) {
            std::vector<AskId>(ids_).swap(ids_);
        }
    }

    bool empty() const { return ids_.empty(); }
    std::size_t size() const { return ids_.size(); }
    std::size_t bytes() const { return ids_.capacity() * sizeof(AskId); }
    auto begin() const { return ids_.begin(); }
    auto end() const { return ids_.end(); }

private:
    static constexpr std::size_t kRoomAtFirst = 8;  // a vector's own steps to there are four
    static constexpr std::size_t kRoomKept = 32;

    std::vector<AskId> ids_;
};

}  // namespace bayplan
