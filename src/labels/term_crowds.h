// The pod terms of a shim's specs, by the label that each is found by. As many as one label finds have a limit
// (rules/limits.md), for a pod that has the label is held against all of them.
//
// Thread: the engine's. Owner: Shim.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/split_map.h"
#include "labels/term_index.h"

namespace bayplan {

class TermCrowds {
public:
    // Terms have numbers, equal ones of one spec too. A term counts once, however many specs have it.
    void add(std::uint32_t term, const TermMatch& match) {
        Known& known = known_[term];
        if (known.times++ == 0) {
            known.by = index_.choose(match).by;
            index_.add(match, known.by, term);
        }
    }
    void remove(std::uint32_t term, const TermMatch& match) {
        const auto known = known_.find(term);
        if (--known->second.times == 0) {
            index_.remove(match, known->second.by, term);
            known_.erase(known);
        }
    }
    // A new term would be found beside so many others, or more.
    bool is_full(const TermMatch& match, std::size_t most) const { return index_.choose(match).others >= most; }
    bool has(std::uint32_t term) const { return times(term) > 0; }
    std::uint32_t times(std::uint32_t term) const {
        const auto known = known_.find(term);
        return known == known_.end() ? 0 : known->second.times;
    }
    std::size_t size() const { return known_.size(); }

private:
    using Index = TermIndex<std::uint32_t>;
    struct Known {
        std::uint32_t times = 0;  // specs that have it
        Index::FoundBy by;
    };

    Index index_;
    SplitMap<std::uint32_t, Known, NumberHash> known_;
};

}  // namespace bayplan
