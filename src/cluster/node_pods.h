// The pods on one node, in no particular order: their ids side by side, for a node has a hundred or so. Where each lies is
// looked for; a node with many more also keeps that, so that a pod that goes costs the same on a node with thousands.
//
// Thread: its owner's.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

#include <boost/unordered/unordered_flat_map.hpp>

#include "base/check.h"
#include "base/ids.h"
#include "base/seeded_hash.h"

namespace bayplan {

class NodePods {
public:
    void insert(AskId id) {
        if (ids_.capacity() == 0) {
            ids_.reserve(kRoomAtFirst);
        }
        ids_.push_back(id);
        if (places_ != nullptr || ids_.size() > kLookedThrough) [[unlikely]] {
            note_last();
        }
    }
    void remove(AskId id) {
        const std::size_t at = places_ == nullptr ? look_for(id) : take_place(id);
        ids_[at] = ids_.back();
        ids_.pop_back();
        if (places_ != nullptr && at < ids_.size()) {
            (*places_)[ids_[at]] = static_cast<std::uint32_t>(at);
        }
        if (ids_.size() * 4 < ids_.capacity() && ids_.capacity() > kRoomKept) {
            std::vector<AskId>(ids_).swap(ids_);
        }
        if (ids_.size() * 2 < kLookedThrough) {
            places_.reset();
        }
    }

    bool empty() const { return ids_.empty(); }
    std::size_t size() const { return ids_.size(); }
    std::size_t bytes() const {
        return ids_.capacity() * sizeof(AskId) +
               (places_ == nullptr ? 0 : places_->bucket_count() * (sizeof(AskId) + sizeof(std::uint32_t)));
    }
    auto begin() const { return ids_.begin(); }
    auto end() const { return ids_.end(); }

private:
    static constexpr std::size_t kRoomAtFirst = 8;  // a vector's own steps to there are four
    static constexpr std::size_t kRoomKept = 32;
    static constexpr std::size_t kLookedThrough = 128;  // more than Kubernetes' default for a node
    using Places = boost::unordered_flat_map<AskId, std::uint32_t, NumberHash>;

    std::size_t look_for(AskId id) const {
        const auto found = std::find(ids_.begin(), ids_.end(), id);
        BP_CHECK(found != ids_.end());
        return static_cast<std::size_t>(found - ids_.begin());
    }
    std::size_t take_place(AskId id) {
        const auto found = places_->find(id);
        BP_CHECK(found != places_->end());
        const std::size_t at = found->second;
        places_->erase(found);
        return at;
    }
    void note_last() {
        std::size_t first = ids_.size() - 1;
        if (places_ == nullptr) {
            places_ = std::make_unique<Places>();
            first = 0;
        }
        for (std::size_t at = first; at < ids_.size(); ++at) {
            places_->emplace(ids_[at], static_cast<std::uint32_t>(at));
        }
    }

    std::vector<AskId> ids_;
    std::unique_ptr<Places> places_;  // null: few pods
};

}  // namespace bayplan
