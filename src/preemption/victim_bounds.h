// How many victims an ask needs at least on the nodes of a block, by ranges of their tails (pod_tails.h).
//
// Thread: pure functions.
#pragma once

#include <cstddef>
#include <cstdint>

namespace bayplan {

// Of one request of the ask, over the block. Of the tail shorter by one than the tail that is asked about, if there is any:
// `sure` and `least_rest`, as TailRanges has them.
struct VictimBound {
    std::int64_t amount;
    std::int64_t largest;
    std::int64_t least_lack;
    std::int64_t sure;
    std::int64_t least_rest;
};

// Nodes on which this tail is the first that makes room need so many victims. Each node has too little room for fewer; or such
// nodes lack more than the shorter tail gives, and, if that leaves only one resource short, more of it than fewer pods give.
// bound(k): of the ask's request k, of so many.
template <typename Bound>
bool need_victims(std::size_t requests, bool has_shorter, std::int64_t victims, Bound&& bound) {
    const std::int64_t fewer = victims - 1;
    std::size_t scarce = 0;  // resources that the shorter tail leaves short
    VictimBound last{};      // of them
    for (std::size_t k = 0; k < requests; ++k) {
        const VictimBound one = bound(k);
        if (fewer * one.largest < one.least_lack + one.amount) {
            return true;
        }
        if (has_shorter && one.sure < one.amount) {
            ++scarce;
            last = one;
        }
    }
    // Without a scarce resource there are no such nodes.
    return has_shorter && (scarce == 0 || (scarce == 1 && fewer * last.largest <= last.least_rest));
}

}  // namespace bayplan
