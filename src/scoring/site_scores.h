// The part of a score that a search site by site uses: nodes of a site lie in the same domains, but for keys that are looked
// at node by node (hostname, racks). So their raw scores differ only by numbers of the nodes themselves, and a
// site with the least and the most of these numbers tells the extremes without a look at its nodes.
//
// Thread: the engine's. Found anew in each attempt; pointers hold for so long.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/ids.h"

namespace bayplan {

// Numbers by slot, none below 0, that count so much each.
struct NodeNumbers {
    const std::int32_t* by_slot = nullptr;
    std::size_t slots = 0;  // so many; the rest is 0
    std::int64_t weight = 0;
};

// A site with feasible nodes; any slot of it stands for it.
struct FeasibleSite {
    Slot slot{};
    std::uint64_t nodes = 0;  // feasible ones
};
using FeasibleSites = std::span<const FeasibleSite>;

inline constexpr std::size_t kSoftConstraintsMax = 16;  // a search site by site is for pods with no more

// Of an attempt: what each soft spread constraint counts.
struct SpreadWeights {
    std::array<double, kSoftConstraintsMax> of{};
    std::vector<bool> seen;  // room to find them: by domain
    std::int64_t counted =
        0;  // domains of ClusterScore::counted_key() that feasible nodes lie in that are not left out
};

}  // namespace bayplan
