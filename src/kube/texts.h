// The converter's dictionary: texts to ids 1, 2, 3... in order of first use; 0 is the empty text.
//
// Thread: one. Owns the texts.
#pragma once

#include <deque>
#include <string>
#include <string_view>

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
        texts_.emplace_back(text);
        const auto id = static_cast<Text>(texts_.size());
        ids_.emplace(std::string_view(texts_.back()), id);
        return id;
    }

    // 0 if nothing has this text.
    Text find(std::string_view text) const {
        const auto found = ids_.find(text);
        return found == ids_.end() ? 0 : found->second;
    }

    std::string_view text(Text id) const { return id == 0 ? std::string_view() : std::string_view(texts_[id - 1]); }
    std::size_t size() const { return texts_.size(); }

private:
    std::deque<std::string> texts_;  // stays where it is: the map's keys point into it
    boost::unordered_flat_map<std::string_view, Text> ids_;
};

}  // namespace bayplan::kube
