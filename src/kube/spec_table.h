// Pod specs by content: the pods of one template share one number.
//
// Thread: one. Owns the specs; they stay where they are.
#pragma once

#include <cstdint>
#include <deque>
#include <span>
#include <utility>
#include <vector>

#include <boost/unordered/unordered_flat_map.hpp>

#include "bayplan/messages.h"

namespace bayplan::kube {

class SpecTable {
public:
    // 1, 2, 3... in order of first use; numbers that were forgotten first.
    SpecNumber number(PodSpec&&);
    // Nobody has the number any more.
    void forget(SpecNumber);
    // Numbers that were given to another spec since the last call.
    std::vector<SpecNumber> take_renewed() { return std::exchange(renewed_, {}); }

    // By number, less 1. The number in a record that was forgotten is 0.
    const std::deque<SpecItem>& records() const { return records_; }
    // Of these numbers; forgotten ones are left out.
    std::vector<SpecItem> items(std::span<const SpecNumber>) const;
    std::size_t in_use() const { return records_.size() - free_.size(); }

private:
    std::uint64_t hash_of(const PodSpec&);

    std::deque<SpecItem> records_;
    // By the hash of the content; of equal hashes the next one stands in `next_`.
    boost::unordered_flat_map<std::uint64_t, SpecNumber> first_;
    std::vector<SpecNumber> next_;
    std::vector<std::uint32_t> words_;  // of the spec at hand
    std::vector<SpecNumber> free_;
    std::vector<SpecNumber> renewed_;
};

// The content as words, each list led by its length: equal words, equal specs.
void append_words(const PodSpec&, std::vector<std::uint32_t>&);

}  // namespace bayplan::kube
