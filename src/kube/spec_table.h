// Pod specs by content: the pods of one template share one number.
//
// Thread: one. Owns the specs; they stay where they are.
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include <boost/unordered/unordered_flat_map.hpp>

#include "bayplan/messages.h"

namespace bayplan::kube {

class SpecTable {
public:
    // 1, 2, 3... in order of first use.
    SpecNumber number(PodSpec&&);

    const std::deque<SpecItem>& records() const { return records_; }

private:
    std::deque<SpecItem> records_;
    // By the hash of the content; of equal hashes the next one stands in `next_`.
    boost::unordered_flat_map<std::uint64_t, SpecNumber> first_;
    std::vector<SpecNumber> next_;
    std::vector<std::uint32_t> words_;  // of the spec at hand
};

// The content as words, each list led by its length: equal words, equal specs.
void append_words(const PodSpec&, std::vector<std::uint32_t>&);

}  // namespace bayplan::kube
