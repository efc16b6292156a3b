// The pipeline: select a batch of asks in order -> propose in parallel, one class each -> commit in order.
//
//   batches_:  [committing][next: its proposals run on the workers][...]   at most `depth`
//
// Selected asks left the pending heap on the assumption that each will be placed. If something comes up
// that belongs before the last of them, they go back and are selected again (cut). A class's cache has
// one owner: a class that is in an unfinished batch is not proposed for a later one; its asks there are
// resolved at commit.
//
// Thread: the engine's, but for propose(), which workers run and which only reads node shards.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "apps/ask_table.h"
#include "apps/class_table.h"
#include "cluster/node_state.h"
#include "engine/engine_options.h"
#include "placement/block_evaluator.h"
#include "placement/cluster_search.h"
#include "placement/column_source.h"
#include "placement/stage_executor.h"
#include "queues/pending_heap.h"

namespace bayplan {

struct PipelineCounters {
    std::uint64_t batches_inline = 0;
    std::uint64_t batches_graph = 0;
    std::uint64_t batches_overlapped = 0;
    std::uint64_t batches_cut = 0;
    std::uint64_t blocks_proposed = 0;     // looked at (again) by proposals
    std::uint64_t proposals = 0;           // made by the executor
    std::uint64_t resolved_at_commit = 0;  // asks whose class was not proposed for their batch
    std::uint64_t blocks_rechecked = 0;    // changed, and got a bound at commit: most from ranges over their nodes
    std::uint64_t blocks_bounded = 0;      // got a bound from their nodes' 16-bit columns at commit
    std::uint64_t blocks_judged = 0;       // judged node by node at commit because their bound was the best
    std::uint64_t searches = 0;            // attempts that looked at cluster-wide counts or scores
};

class Pipeline final : public Proposer {
public:
    struct State {
        AskTable& asks;
        ClassTable& classes;
        PendingHeap& pending;
        NodeState& nodes;
        Topology& topology;
        const KindNames& kinds;
    };

    Pipeline(const EngineOptions&, State, const BlockEvaluator&, ClusterSearch&, std::unique_ptr<StageExecutor>);
    ~Pipeline() override;

    // The next ask to attempt, out of the heap and out of its batch, or kNone. `has_credit(ask)`: asks
    // of which it says no go back to the heap.
    template <typename HasCredit>
    AskId next(HasCredit&& has_credit) {
        for (;;) {
            const AskId id = next_selected();
            if (id == kNone<AskId> || has_credit(id)) {
                return id;
            }
            put_back(id);
        }
    }

    // The best node for the class in the present state; 0 if none is feasible. Brings the cache up to date.
    // `left_out`: nodes that it may not be; null = none.
    NodeKey resolve(ClassId, const NodeMask* left_out = nullptr);

    // An ask became pending; may mean that what is selected is no longer first.
    void on_pending(const PendingKey&);
    // Credit came back: order unknown.
    void on_order_changed();
    // A selected ask is no longer pending (removed, or placed by force); and that is undone.
    void on_selected_gone() { --selected_; }
    void on_selected_back() { ++selected_; }

    std::size_t selected() const { return selected_; }
    template <typename Accept>
    bool any_selected(Accept&& accept) const {
        for (const Batch& batch : batches_) {
            for (std::size_t at = batch.next; at < batch.asks.size(); ++at) {
                if (still_selected(batch, batch.asks[at]) && accept(batch.asks[at].id)) {
                    return true;
                }
            }
        }
        return false;
    }
    const PipelineCounters& counters() const { return counters_; }

    void propose(Proposal&, std::uint32_t worker) noexcept override;

private:
    struct Batch {
        std::uint64_t number = 0;
        std::uint64_t submitted_as = 0;  // executor's number; 0 = no proposals
        std::vector<AskHandle> asks;
        std::size_t next = 0;
        PendingKey last;
    };

    // False if the ask is gone, or was withdrawn since (and perhaps selected again for a later batch).
    bool still_selected(const Batch& batch, AskHandle handle) const {
        const Ask* ask = state_.asks.find(handle);
        return ask != nullptr && ask->state == AskState::selected &&
               state_.asks.waiting(handle.id).selected_in == batch.number;
    }
    AskId next_selected();
    void retire_oldest();
    void put_back(AskId);
    void put_all_back();
    void fill();
    bool select(Batch&);
    void submit_proposals(Batch&);
    std::unique_ptr<ProposalBatch> message();
    std::uint64_t gain_of_proposing(ClassId);
    std::uint64_t judging_ns(ClassId) const;
    bool worth_proposing(const std::vector<ClassId>&);
    std::uint64_t blocks_behind(const ClassEntry&) const;
    void wait_for(std::uint64_t submitted_as);
    bool collect_one();
    ClassCache& cache_for(ClassId);
    void bring_up_to_date(const AskClass&, const NodeMask*, BlockBound&, ClassCache&);
    // Any thread: puts a bound, or if need be the best, of one block or of all that changed in a shard into the
    // cache; and judges blocks until the best of all is exact.
    void look(const AskClass&, const NodeMask*, const ShardSide&, std::uint32_t index, std::uint32_t block, BlockBound&,
              ClassCache&) const noexcept;  // ends with the bound's finish()
    void prove(const AskClass&, const NodeMask*, const ShardSide&, std::uint32_t index, std::uint32_t block, BlockBound&,
               ClassCache&) const noexcept;
    std::uint32_t refresh(const AskClass&, const NodeMask*, const ShardSide&, std::uint32_t shard, BlockBound&,
                          ClassCache&) const noexcept;
    bool by_ranges(const NodeMask*, const BlockBound&, const ClassCache&) const noexcept;
    std::uint32_t refresh_runs(const ShardSide&, std::uint32_t shard, const BlockBound&, ClassCache&,
                               std::uint32_t& looks) const noexcept;
    template <typename LookAt>
    NodeKey settle(BlockBound&, ClassCache&, LookAt&&) const noexcept;
    template <typename LookAt>
    NodeKey refine(NodeKey least, std::size_t count, BlockBound&, ClassCache&, LookAt&&) const noexcept;
    bool few_changes(const ClassCache&) const;
    bool list_changed(const ClassCache&, bool ranges);
    void judge_changed_nodes(const AskClass&, const NodeMask*, ClassCache&);
    void judge_last_changes(const AskClass&, const NodeMask*, ClassCache&);
    void look_at_changed(const AskClass&, const NodeMask*, BlockBound&, ClassCache&);
    Subject subject_of(const AskClass&);

    const EngineOptions options_;
    State state_;
    const BlockEvaluator& evaluator_;
    ClusterSearch& search_;
    std::unique_ptr<StageExecutor> executor_;
    std::vector<Batch> batches_;                   // a few, oldest first
    std::vector<std::vector<AskHandle>> spare_;    // room for asks, from batches that are done
    ProposalBatches spare_messages_;               // likewise
    std::uint64_t last_batch_ = 0;
    std::uint64_t last_submitted_ = 0;
    std::uint64_t last_collected_ = 0;
    std::size_t selected_ = 0;
    bool cut_ = false;
    std::uint64_t committing_ = 0;     // executor's number of the batch that commits; 0 = no proposals
    std::vector<ClassId> proposed_classes_;  // of the batch that is being selected
    ClassCache once_;                  // of classes with one ask
    ColumnSource column_source_;
    std::vector<std::uint64_t> changed_lanes_;  // per block, while columns are brought up to date
    std::vector<std::uint32_t> changed_blocks_;  // likewise: those that changed
    PipelineCounters counters_;
};

}  // namespace bayplan
