// The columns of PodTails once more for nodes on which disruption budgets are violated, apart for the pods that go against
// no budget and for the violating ones. Violating pods are spared first, so that
//
//   a node does without violation    if the tails of `others` make room: they are all that goes, in their order
//   else all others go but those     that fit in the end beside the violating ones: the tails of `violating`, whose lack is
//                                    what is lacking without any of the others, tell which of these go at least
//
// Nodes of a block without a violated budget have no columns here: PodTails has theirs. Which pods violate hangs on
// what is left of the budgets: a lane is shown anew when that becomes more than the node has pods of the budget.
//
// When it becomes less, more pods violate, on some hundred nodes at once, few of which any search will care for. Such a
// lane is *stale*: it goes on showing fewer violating pods than there are. Victims without violation are among fewer pods
// than it shows, so it gives bounds; a search judges the node by its pods where they leave it open, and wants it shown anew.
//
// Memory: two blocks of tails, where a budget is violated; 16 bytes for each budget in a block.
// Thread: bring_up_to_date: the engine's; the rest: any while nobody does that. Owner: World.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
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
    TailRanges ranges_of_others;
    TailRanges ranges_of_violating;
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
    BudgetTails(const ClusterView& cluster, Budgets& budgets, VictimIndex& index, const LaneKernels& kernels)
        : cluster_(cluster), budgets_(budgets), index_(index), kernels_(kernels), violating_(cluster.asks, budgets) {}

    // As things are now; the index too, of every node whose pods or budgets changed.
    void bring_up_to_date();
    // Null: no budget is violated there.
    const BudgetColumns* block(std::uint32_t number) const {
        return number < blocks_.size() && blocks_[number].columns && blocks_[number].columns->tight != 0
                   ? blocks_[number].columns.get()
                   : nullptr;
    }
    // Nodes of the block whose columns, here or of PodTails, are as before a budget fell.
    std::uint64_t stale(std::uint32_t number) const { return number < stale_.size() ? stale_[number] : 0; }
    // Stale nodes that a search had to judge by their pods: shown as they are from the next time on. While others read, but
    // one call at a time.
    void want(std::span<const Slot> nodes);
    // Blocks where that changed for other reasons than the nodes' own.
    const ChangeLog& log() const { return log_; }

private:
    struct Block {
        std::unique_ptr<BudgetColumns> columns;
        std::array<std::uint64_t, kLanes> versions{};  // of the pods that are shown
        std::uint64_t changed = 0;                     // nodes to be shown anew
        std::uint64_t wanted = 0;                      // of these, nodes that only were stale
    };
    // Where a budget has pods, or had.
    struct Place {
        std::uint32_t block = 0;
        std::uint32_t most = 0;  // pods of a node
        std::uint64_t lanes = 0;
    };
    struct Seen {                       // of a budget
        std::int32_t left = INT32_MIN;  // none is as good as fewer than none: 0
        std::uint64_t disrupted_version = 0;
        std::vector<Place> places;  // by block
    };

    void note_budgets();
    void note_budget(Seen&, std::int32_t left, bool same_pods);
    void note_coverage();
    void note(std::uint32_t block, std::uint64_t lanes);
    void note_stale(std::uint32_t block, std::uint64_t lanes);
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
    const LaneKernels& kernels_;
    ViolatingPods violating_;
    bool in_force_ = false;
    std::vector<Block> blocks_;
    std::vector<std::uint64_t> stale_;  // by block
    std::vector<Seen> seen_;            // by budget
    std::uint64_t position_ = 0;        // of the log of nodes
    std::vector<std::uint32_t> changed_;
    std::vector<std::uint32_t> noted_;  // blocks with nodes to be shown anew
    IndexedPods some_;                  // room for a part of a node's pods
    ChangeLog log_;
};

}  // namespace bayplan
