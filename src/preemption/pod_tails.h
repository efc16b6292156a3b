// Sums over the least important pods of each node, as columns over the 64 nodes of a block: whether a node can be made
// room on by sending away its t least important pods, and what that costs, for 64 nodes at once.
//
//   pods of a node, most important first:   a b c d e f      tails: t=1: f   t=2: e f   t=3: d e f   ...
//
//   resources[k].rest[t-1]    sum over the tail                  priority[t-1]  of its most important pod
//   resources[k].least[t-1]   smallest amount among the others   start[t-1]     of that pod
//   resources[k].most         largest of all pods                earliest[t-1]  among all of that priority
//   resources[k].lack         used + foreign + held - capacity   sum[t-1]       of (priority + 2^31)
//                                                                newest[t-1]    latest start of that pod and pods before it
//                                                                               that have its priority
//
// Longer tails than kTails are not kept; the pods themselves are looked at then (amount_search.h).
// Memory: some 40 KB a block with three resources, 60 MB at 100,000 nodes.
// Thread: bring_up_to_date: the engine's; the rest: any while nobody does that. Owner: World.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "cluster/node_state.h"
#include "lanes/lane_kernels.h"
#include "preemption/tail_groups.h"
#include "preemption/victim_index.h"

namespace bayplan {

// A victim's share of the sum that nodes are compared by: never negative.
constexpr std::int64_t share_of(std::int64_t priority) { return priority + (std::int64_t{1} << 31); }

struct BlockTails {
    static constexpr std::uint32_t kTails = 8;
    // No pod there: a priority above all others.
    static constexpr std::int64_t kNoPod = INT64_MAX;

    using Lanes = LaneNumbers;
    struct Kind {
        alignas(64) std::array<Lanes, kTails> rest{};
        alignas(64) std::array<Lanes, kTails> least{};
        alignas(64) Lanes most{};
        alignas(64) Lanes lack{};
    };

    const Kind* resource(ResourceId id) const {
        return raw(id) < resources.size() ? resources[raw(id)].get() : nullptr;
    }

    std::vector<std::unique_ptr<Kind>> resources;  // by ResourceId; null: nobody here has or requests any
    alignas(64) std::array<Lanes, kTails> priority{};
    alignas(64) std::array<Lanes, kTails> start{};
    alignas(64) std::array<Lanes, kTails> earliest{};
    alignas(64) std::array<Lanes, kTails> sum{};
    alignas(64) std::array<Lanes, kTails> newest{};
    std::array<std::uint64_t, kTails> at_least{};  // nodes with so many pods, as bits
    std::uint64_t longer = 0;                      // nodes with more than kTails pods
    std::array<std::uint64_t, kLanes> versions{};  // pods_version, of the pods that the columns show
};

// Ranges of the columns over the nodes of a block. They lie apart from the columns, block by block: a search
// asks the ranges of every block, and looks at the columns of few.
struct TailRanges {
    static constexpr std::uint32_t kTails = BlockTails::kTails;
    using Tails = std::array<std::int64_t, kTails>;

    struct Kind {
        std::int64_t largest = 0;     // of `most`
        std::int64_t least_lack = 0;  // of `lack`
        // Of rest[t-1] - lack, of nodes with so many pods: none makes more room; each makes so much.
        Tails reach{};
        Tails sure{};
        Tails least_rest{};  // smallest rest[t-1] of nodes with so many pods
    };

    const Kind* resource(ResourceId id) const {
        return raw(id) < resources.size() ? resources[raw(id)].get() : nullptr;
    }

    Tails lowest{};                                // smallest priority[t-1]; kNoPod if no tail is as long
    Tails latest{};                                // largest start[t-1] of the nodes with that priority
    Tails newest_of_all{};                         // likewise newest[t-1]
    std::int64_t highest = INT64_MIN;              // largest priority in any tail
    std::vector<std::unique_ptr<Kind>> resources;  // by ResourceId; null: nobody here has or requests any
};

// The lane shows the tails of these pods.
void show_pods(const IndexedPods&, std::uint32_t lane, BlockTails&);
// Ranges over all lanes, once they show their pods.
void find_extremes(const LaneKernels&, const BlockTails&, TailRanges&);
// `lack` as the nodes are now, all pods that the tails leave out being there.
void show_lack(const NodeBlock&, BlockTails&);
// Ranges of the room that tails make, once `lack` is shown.
void find_reach(const LaneKernels&, const BlockTails&, TailRanges&);
// The same if pods are as they were, and other nodes than these: of what show_lack() changes.
void show_lack_and_reach(const NodeBlock&, std::uint64_t lanes, BlockTails&, TailRanges&);

class PodTails {
public:
    PodTails(const NodeState& state, VictimIndex& index, const LaneKernels& kernels)
        : state_(state), index_(index), kernels_(kernels), groups_(kernels) {}

    // The columns, and the index of every node's pods, as things are now.
    void bring_up_to_date();
    const BlockTails& block(std::uint32_t number) const { return *blocks_[number]; }
    const TailRanges& ranges(std::uint32_t number) const { return ranges_[number]; }
    const TailGroups& groups() const { return groups_; }

private:
    void find_changed_lanes();
    void update(std::uint32_t number, std::uint64_t lanes);
    bool update_pods(const NodeBlock&, std::uint32_t number, std::uint64_t lanes, BlockTails&);

    const NodeState& state_;
    VictimIndex& index_;
    const LaneKernels& kernels_;
    std::vector<std::unique_ptr<BlockTails>> blocks_;
    std::vector<TailRanges> ranges_;  // by block
    TailGroups groups_;
    std::uint64_t position_ = 0;  // of the change log
    std::vector<std::uint32_t> changed_;
    std::vector<std::uint64_t> changed_lanes_;  // by block; of the blocks in changed_
};

}  // namespace bayplan
