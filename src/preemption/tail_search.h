// The cheapest victims among the nodes of a block, for an ask on which amounts alone decide.
// Most nodes are judged by the columns of PodTails, 64 at a time: on which nodes the removal of a tail of
// their pods makes room, how short a tail does, and which of these nodes may cost less than the best so far. Nodes that
// the columns leave open are judged pod by pod (amount_search.h). Both find exactly what the rules say.
//
// Where disruption budgets are violated the columns of BudgetTails take their place, in two looks: nodes that make room
// without violation, and, only if there are none, the others by the tails of their violating pods, which tell at least how
// many of these go, and of which priority the first is.
//
// Thread: any number at a time, each its own, while nobody changes the tables.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "cluster/node_state.h"
#include "lanes/lane_kernels.h"
#include "preemption/amount_search.h"
#include "preemption/budget_tails.h"
#include "preemption/pod_tails.h"

namespace bayplan {

class TailSearch {
public:
    TailSearch(const AmountSearch::Tables& tables, const PodTails& tails, const BudgetTails& budget_tails,
               const LaneKernels& kernels, const AskClass& ask_class)
        : state_(tables.cluster.node_state),
          tails_(tails),
          budget_tails_(budget_tails),
          kernels_(kernels),
          ask_class_(ask_class),
          any_budgets_(!tables.budgets.empty()),
          exact_(tables, ask_class) {}

    // The cheapest of these nodes of the block takes the place of `best` if it costs less, or as much and has a
    // lower slot. The tails must be up to date. From block to block `best` stays, becomes better, or begins anew with none.
    void look(std::uint32_t block, std::uint64_t lanes, VictimCandidate& best) {
        look_without_violation(block, lanes, best);
        look_with_violation(block, lanes, best);
    }
    // The halves of it: the second after the first, of the same nodes and with its best, or that of more nodes.
    void look_without_violation(std::uint32_t block, std::uint64_t lanes, VictimCandidate& best);
    void look_with_violation(std::uint32_t block, std::uint64_t lanes, VictimCandidate& best);

    // Why these nodes of the block, on none of which room can be made, have no victims.
    BlockRefusals refusals(std::uint32_t block, std::uint64_t lanes);

    std::uint64_t judged_by_columns() const { return judged_by_columns_; }
    std::uint64_t judged_by_pods() const { return judged_by_pods_; }
    // For BudgetTails::want().
    std::span<const Slot> wanted() const { return wanted_; }

private:
    // The columns that a look goes through.
    struct Look {
        const BlockTails& tails;
        const TailRanges& ranges;
        Slot first = kNone<Slot>;  // of the block
        bool violating = false;    // only violating pods are in the tails; others may have to go beside
        std::uint64_t complete = ~std::uint64_t{0};  // nodes whose victims are all in the tails
        std::uint64_t rough = 0;                     // nodes where others have to stay: the tails give bounds alone
        std::uint64_t stale = 0;  // nodes where pods of the tails may violate: victims are among fewer pods
    };

    std::uint64_t below_own_priority(const Look&, std::uint32_t at, std::uint64_t lanes) const;
    std::uint64_t fitting(const Look&, std::uint32_t at, std::uint64_t lanes) const;
    std::uint64_t with_victims(const Look&, std::int64_t count, std::uint64_t lanes) const;
    std::uint64_t promising(const Look&, std::uint32_t at, std::uint64_t lanes, const VictimCandidate& best) const;
    bool need_victims(const Look&, std::uint32_t at, std::int64_t count) const;
    bool starts_decide(const Look&, std::uint32_t at, const VictimCandidate& best) const;
    bool all_lose(const Look&, std::uint32_t at, const VictimCandidate& best) const;
    std::uint64_t not_later(const Look&, std::uint32_t at, std::uint64_t lanes, const VictimCandidate& best) const;
    std::uint64_t cheaper_alike(const Look&, std::uint32_t at, std::uint64_t lanes, const VictimCandidate& best) const;
    bool needs_others(const Look&, std::uint32_t at, std::uint32_t lane, std::int64_t count) const;
    bool hopeless(const Look&, std::uint32_t at, Slot, const VictimCandidate& best) const;
    bool all_go(const BlockTails&, std::uint32_t at, std::uint32_t lane) const;
    std::uint64_t at_or_above(const BlockTails::Lanes& priorities, std::uint64_t lanes) const;
    std::uint64_t apart(std::uint32_t block, const BudgetColumns*) const;
    bool is_lost(std::uint32_t block, const VictimCandidate& best);
    void look_through(const Look&, std::uint64_t lanes, VictimCandidate& best);
    void judge(const Look&, std::uint32_t at, Slot, VictimCandidate& best);
    void judge_pods(Slot, VictimCandidate& best);

    const NodeState& state_;
    const PodTails& tails_;
    const BudgetTails& budget_tails_;
    const LaneKernels& kernels_;
    const AskClass& ask_class_;
    bool any_budgets_;
    std::uint32_t group_ = UINT32_MAX;  // the last that was asked about, of which these blocks are lost
    std::uint64_t lost_ = 0;
    AmountSearch exact_;
    std::uint64_t judged_by_columns_ = 0;
    std::uint64_t judged_by_pods_ = 0;
    std::vector<Slot> wanted_;
};

}  // namespace bayplan
