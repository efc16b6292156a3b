// The cheapest victims among the nodes of a block, for an ask on which amounts alone decide and where no budget
// is in force. Most nodes are judged by the columns of PodTails, 64 at a time: on which nodes the removal of a tail of
// their pods makes room, how short a tail does, and which of these nodes may cost less than the best so far. Nodes that
// the columns leave open are judged pod by pod (amount_search.h). Both find exactly what the rules say.
//
// Thread: any number at a time, each its own, while nobody changes the tables.
#pragma once

#include <cstdint>

#include "cluster/node_state.h"
#include "lanes/lane_kernels.h"
#include "preemption/amount_search.h"
#include "preemption/pod_tails.h"

namespace bayplan {

class TailSearch {
public:
    TailSearch(const AmountSearch::Tables& tables, const PodTails& tails, const LaneKernels& kernels,
               const AskClass& ask_class)
        : state_(tables.cluster.node_state),
          tails_(tails),
          kernels_(kernels),
          ask_class_(ask_class),
          exact_(tables, ask_class) {}

    // The cheapest of these nodes of the block takes the place of `best` if it costs less, or as much and has a
    // lower slot. The tails must be up to date.
    void look(std::uint32_t block, std::uint64_t lanes, VictimCandidate& best);

    std::uint64_t judged_by_columns() const { return judged_by_columns_; }
    std::uint64_t judged_by_pods() const { return judged_by_pods_; }

private:
    std::uint64_t below_own_priority(const BlockTails&, std::uint32_t at, std::uint64_t lanes) const;
    std::uint64_t fitting(const BlockTails&, std::uint32_t at, std::uint64_t lanes) const;
    std::uint64_t with_victims(const BlockTails&, std::int64_t count, std::uint64_t lanes) const;
    std::uint64_t promising(const BlockTails&, std::uint32_t at, std::uint64_t lanes, Slot first,
                            const VictimCandidate& best) const;
    bool hopeless(const BlockTails&, std::uint32_t at, Slot, const VictimCandidate& best) const;
    bool all_go(const BlockTails&, std::uint32_t at, std::uint32_t lane) const;
    std::uint64_t apart(const NodeBlock&) const;
    void judge(const BlockTails&, std::uint32_t at, Slot, VictimCandidate& best);
    void judge_pods(Slot, VictimCandidate& best);

    const NodeState& state_;
    const PodTails& tails_;
    const LaneKernels& kernels_;
    const AskClass& ask_class_;
    AmountSearch exact_;
    std::uint64_t judged_by_columns_ = 0;
    std::uint64_t judged_by_pods_ = 0;
};

}  // namespace bayplan
