// Raw scores of one plugin for the feasible nodes of one attempt, before normalisation.
//
// A block whose nodes all have the same one (they share a zone, say) keeps a single number; that makes
// most blocks cost as little as one node.
//
// Thread: the engine's. Storage is used again from attempt to attempt.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

#include "base/ids.h"
#include "topology/signatures.h"

namespace bayplan {

// Smallest and largest of some raw scores; min > max if there are none.
struct RawRange {
    std::int64_t min = INT64_MAX;
    std::int64_t max = INT64_MIN;
    bool any() const { return min <= max; }
    void add(std::int64_t raw) {
        min = std::min(min, raw);
        max = std::max(max, raw);
    }
};

class RawScores {
public:
    void reset(std::uint32_t blocks) {
        shared_.assign(blocks, 0);
        uniform_.assign(blocks, 1);
        lanes_.resize(std::size_t{blocks} * kLanes);
        excluded_.assign(blocks, 0);
        range_.assign(blocks, {});
        extremes_ = {};
    }

    void set_shared(std::uint32_t block, std::int64_t value) { shared_[block] = value; }
    std::int64_t shared(std::uint32_t block) const { return shared_[block]; }
    bool uniform(std::uint32_t block) const { return uniform_[block] != 0; }
    // From one number to 64 of their own, each starting from the shared one.
    std::int64_t* lanes(std::uint32_t block) {
        std::int64_t* first = &lanes_[std::size_t{block} * kLanes];
        if (uniform_[block] != 0) {
            std::fill_n(first, kLanes, shared_[block]);
            uniform_[block] = 0;
        }
        return first;
    }
    // Nodes that score 0 and take no part in the extremes.
    void exclude(std::uint32_t block, std::uint64_t lanes) { excluded_[block] |= lanes; }
    std::uint64_t excluded(std::uint32_t block) const { return excluded_[block]; }

    std::int64_t at(std::uint32_t block, std::uint32_t lane) const {
        return uniform_[block] != 0 ? shared_[block] : lanes_[std::size_t{block} * kLanes + lane];
    }

    void find_extremes(const NodeMask& feasible) {
        for (std::uint32_t block = 0; block < feasible.size(); ++block) {
            const std::uint64_t nodes = feasible[block] & ~excluded_[block];
            if (nodes == 0) {
                continue;
            }
            range_[block] = range_in(block, nodes);
            extremes_.add(range_[block].min);
            extremes_.add(range_[block].max);
        }
    }
    // Smallest and largest raw score of a block's feasible nodes, once extremes are found.
    RawRange range(std::uint32_t block) const { return range_[block]; }
    const RawRange& extremes() const { return extremes_; }

private:
    RawRange range_in(std::uint32_t block, std::uint64_t nodes) const {
        if (uniform_[block] != 0) {
            return {shared_[block], shared_[block]};
        }
        const std::int64_t* values = &lanes_[std::size_t{block} * kLanes];
        RawRange range;
        if (nodes == ~std::uint64_t{0}) {
            for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
                range.add(values[lane]);
            }
            return range;
        }
        for (std::uint64_t left = nodes; left != 0; left &= left - 1) {
            range.add(values[std::countr_zero(left)]);
        }
        return range;
    }

    std::vector<std::int64_t> shared_;   // by block
    std::vector<std::uint8_t> uniform_;  // by block
    std::vector<std::int64_t> lanes_;    // by slot, of blocks that are not uniform
    std::vector<std::uint64_t> excluded_;
    std::vector<RawRange> range_;  // by block
    RawRange extremes_;
};

}  // namespace bayplan
