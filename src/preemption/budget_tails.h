// The columns of PodTails once more for nodes on which disruption budgets are violated, apart for the pods that go against
// no budget and for the violating ones. Violating pods are spared first, so that
//
//   a node does without violation    if the tails of `others` make room: they are all that goes, in their order
//   else all others go but those     that fit in the end beside the violating ones: the tails of `violating`, whose lack is
//                                    what is lacking without any of the others, tell which of these go at least
//
// Nodes of a block without a violated budget have no columns here: PodTails has theirs. Which pods violate hangs on
// what is left of the budgets: a lane is shown anew when that becomes more or less than the node has pods of the budget.
//
// Memory: two blocks of tails, where a budget is violated; 16 bytes for each budget in a block.
// Thread: bring_up_to_date: the engine's; the rest: any while nobody does that. Owner: World.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "cluster/change_log.h"
#include "preemption/budgets.h"
#include "preemption/pod_tails.h"
#include "preemption/violating_pods.h"
#include "topology/cluster_view.h"

namespace bayplan {

struct BudgetColumns {
    BlockTails others;
    BlockTails violating;
    std::uint64_t tight = 0;  // nodes with violating pods, as bits
    std::uint64_t mixed = 0;  // tight nodes with others, too
    // Of a tight node: true for pools of all pods below a priority that is higher than this.
    alignas(64) BlockTails::Lanes highest{};
    std::int64_t highest_of_all = INT64_MIN;
    alignas(64) BlockTails::Lanes highest_other{};  // of its other pods
    std::vector<BlockTails::Lanes> sums;            // by ResourceId: what the others of a tight node come to
};

class BudgetTails {
public:
    BudgetTails(const ClusterView& cluster, Budgets& budgets, VictimIndex& index)
        : cluster_(cluster), budgets_(budgets), index_(index), violating_(cluster.asks, budgets) {}

    // As things are now; the index too, of every node whose pods or budgets changed.
    void bring_up_to_date();
    // Null: no budget is violated there.
    const BudgetColumns* block(std::uint32_t number) const {
        return number < blocks_.size() && blocks_[number].columns && blocks_[number].columns->tight != 0
                   ? blocks_[number].columns.get()
                   : nullptr;
    }
    // Blocks where that changed for other reasons than the nodes' own.
    const ChangeLog& log() const { return log_; }

private:
    struct Block {
        std::unique_ptr<BudgetColumns> columns;
        std::array<std::uint64_t, kLanes> versions{};  // of the pods that are shown
        std::uint64_t changed = 0;                     // nodes to be shown anew
    };
    // Where a budget has pods, or had.
    struct Place {
        std::uint32_t block = 0;
        std::uint32_t most = 0;  // pods of a node
        std::uint64_t lanes = 0;
    };
    struct Seen {  // of a budget
        std::int32_t left = INT32_MIN;
        std::uint64_t disrupted_version = 0;
        std::vector<Place> places;  // by block
    };

    void note_budgets();
    void note_coverage();
    void note(std::uint32_t block, std::uint64_t lanes);
    void start_or_stop();
    void update(std::uint32_t number);
    void make_columns(std::uint32_t number);
    void show(std::uint32_t number, std::uint32_t lane);
    void show_tight(const IndexedPods&, std::uint32_t lane, BudgetColumns&);
    void show_place(BudgetId, std::uint32_t block, std::uint32_t lane, std::int64_t pods);
    const IndexedPods& those(const IndexedPods&, bool violating);
    void show_lacks(std::uint32_t number);

    const ClusterView& cluster_;
    Budgets& budgets_;
    VictimIndex& index_;
    ViolatingPods violating_;
    bool in_force_ = false;
    std::vector<Block> blocks_;
    std::vector<Seen> seen_;      // by budget
    std::uint64_t position_ = 0;  // of the log of nodes
    std::vector<std::uint32_t> changed_;
    std::vector<std::uint32_t> noted_;  // blocks with nodes to be shown anew
    IndexedPods some_;                  // room for a part of a node's pods
    ChangeLog log_;
};

}  // namespace bayplan
