// The converter's dictionary: texts to ids 1, 2, 3... in order of first use; 0 is the empty text. Ids that nobody has any
// more may be forgotten, and are given to other texts.
//
// Thread: one. Owns the texts.
#pragma once

#include <deque>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <boost/unordered/unordered_flat_map.hpp>

#include "bayplan/pod_spec.h"

namespace bayplan::kube {

class Texts {
public:
    // Longer texts cannot be defined (R-SESSION-26).
    static constexpr std::size_t kLengthMax = 512;

    Text id(std::string_view text) {
        if (text.empty()) {
            return 0;
        }
        if (const auto found = ids_.find(text); found != ids_.end()) {
            return found->second;
        }
        if (free_.empty()) {
            texts_.emplace_back(text);
            const auto id = static_cast<Text>(texts_.size());
            ids_.emplace(std::string_view(texts_.back()), id);
            return id;
        }
        const Text id = free_.back();
        free_.pop_back();
        texts_[id - 1].assign(text);
        ids_.emplace(std::string_view(texts_[id - 1]), id);
        renewed_.push_back(id);
        return id;
    }

    // Nobody has the id any more.
    void forget(Text id) {
        std::string& text = texts_[id - 1];
        ids_.erase(std::string_view(text));
        text = std::string();
        free_.push_back(id);
    }
    // Ids that were given to another text since the last call.
    std::vector<Text> take_renewed() { return std::exchange(renewed_, {}); }

    // 0 if nothing has this text.
    Text find(std::string_view text) const {
        const auto found = ids_.find(text);
        return found == ids_.end() ? 0 : found->second;
    }

    std::string_view text(Text id) const { return id == 0 ? std::string_view() : std::string_view(texts_[id - 1]); }
    bool is_free(Text id) const { return texts_[id - 1].empty(); }
    std::size_t size() const { return texts_.size(); }  // the largest id
    std::size_t in_use() const { return ids_.size(); }

private:
    std::deque<std::string> texts_;  // stays where it is: the map's keys point into it
    boost::unordered_flat_map<std::string_view, Text> ids_;
    std::vector<Text> free_;
    std::vector<Text> renewed_;
};

}  // namespace bayplan::kube
