// The pipeline: select a batch of elements in order -> propose in parallel, one class each -> commit in order.
//
//   batches_:  [committing][next: its proposals run on the workers][...]   at most `depth`
//
// Selected elements were taken from the pending order on the assumption that each will be placed: the order has charged
// them. The order alone decides which element is next; when its version changes, what is selected and not tried yet is
// given back, whole elements, and selected again (cut). A class's cache has
// one owner: a class that is in an unfinished batch is not proposed for a later one; its asks there are
// resolved at commit.
//
// Thread: the engine's, but for propose(), which workers run and which only reads node shards.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "apps/ask_table.h"
#include "apps/class_table.h"
#include "cluster/excluded_nodes.h"
#include "cluster/node_state.h"
#include "options/engine_options.h"
#include "placement/block_evaluator.h"
#include "placement/class_caches.h"
#include "placement/cluster_search.h"
#include "placement/column_source.h"
#include "placement/named_nodes.h"
#include "placement/stage_executor.h"
#include "queues/pending_order.h"

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
    // Tables that it changes (states of asks, caches of classes, the heap, published nodes), and tables that it reads.
    struct State {
        AskTable& asks;
        ClassTable& classes;
        ClassCaches& caches;
        PendingOrder& order;
        NodeState& nodes;
        const ClusterView& cluster;
    };

    Pipeline(const EngineOptions&, State, const BlockEvaluator&, ClusterSearch&, std::unique_ptr<StageExecutor>);
    ~Pipeline() override;

    // The next element to attempt, out of the order and out of its batch, and charged. Its asks are its members that
    // still wait; empty if there is none. Valid until the next call.
    Element next();

    // The best node for an ask of the class in the present state; 0 if none is feasible. Brings the cache up to date.
    // Nodes that are excluded for this ask cost a look at their blocks, where they would be the best.
    NodeKey resolve(ClassId, const ExcludedNodes& = kNoneExcluded);

    // Appends at most `most` nodes, best first, all by the scores of now. Skipped nodes count in the scores of the
    // others; excluded nodes do not. It costs a look at all nodes where other pods have a say or nodes are named; else a few
    // steps a node.
    void next_best(ClassId, const ExcludedNodes& excluded, const ExcludedNodes& skipped, std::size_t most,
                   std::vector<NodeKey>& nodes);

    // A selected ask is no longer pending (removed, or placed by force): its charge ends.
    void forget_selected(AskId id) {
        --selected_;
        state_.order.refund(id);
    }

    // The withdrawal of a selected ask is undone.
    void remember_selected(AskId id) {
        ++selected_;
        state_.order.charge(id);
    }

    // Nothing is selected any more.
    void give_all_back() { put_all_back(); }
    // Asks that are selected and not tried yet.
    std::size_t selected() const { return selected_; }
    // True: next() gives one of them. First it gives back a selection that the order does not stand by any more.
    bool any_selected();
    const PipelineCounters& counters() const { return counters_; }

    void propose(Proposal&, std::uint32_t worker) noexcept override;

private:
    struct Selected {
        AskHandle ask;
        std::uint64_t element = 0;  // within its batch; asks of one element follow each other
    };
    struct Batch {
        std::uint64_t number = 0;
        std::uint64_t submitted_as = 0;  // executor's number; 0 = no proposals
        std::vector<Selected> asks;
        std::size_t next = 0;
    };

    // False if the ask is gone, or was withdrawn since (and perhaps selected again for a later batch).
    bool still_selected(const Batch& batch, AskHandle handle) const {
        const Ask* ask = state_.asks.find(handle);
        return ask != nullptr && ask->state == AskState::selected &&
               state_.asks.waiting(handle.id).selected_in == batch.number;
    }
    bool make_ready();
    void retire_oldest();
    void put_back(const Batch&, std::size_t first, std::size_t end);
    void put_all_back();
    void fill();
    bool select(Batch&);
    void submit_proposals(Batch&);
    std::unique_ptr<ProposalBatch> message();
    std::uint64_t gain_of_proposing(ClassId);
    std::uint64_t judging_ns(ClassId) const;
    bool suits_proposal(ClassId) const;
    bool worth_proposing(const std::vector<ClassId>&);
    std::uint64_t blocks_behind(const ClassCache*) const;
    void wait_for(std::uint64_t submitted_as);
    bool collect_one();
    ClassCache& cache_for(ClassId);
    void bring_up_to_date(const AskClass&, const NodeMask*, BlockBound&, ClassCache&);
    // Any thread: puts a bound, or if need be the best, of one block or of all that changed in a shard into the
    // cache; and judges blocks until the best of all is exact.
    void look(const AskClass&, const NodeMask*, const ShardSide&, std::uint32_t index, std::uint32_t block, BlockBound&,
              ClassCache&) const noexcept;  // ends with the bound's finish()
    void prove(const AskClass&, const NodeMask*, const ShardSide&, std::uint32_t index, std::uint32_t block,
               BlockBound&, ClassCache&) const noexcept;
    // `ranges`: rough bounds will do where there are ranges.
    std::uint32_t refresh(const AskClass&, const NodeMask*, const ShardSide&, std::uint32_t shard, bool ranges,
                          BlockBound&, ClassCache&) const noexcept;
    bool by_ranges(const NodeMask*, const BlockBound&, const ClassCache&) const noexcept;
    std::uint32_t refresh_runs(const ShardSide&, std::uint32_t shard, const BlockBound&, ClassCache&,
                               std::uint32_t& looks) const noexcept;
    template <typename LookAt>
    NodeKey settle(BlockBound&, ClassCache&, LookAt&&) const noexcept;
    template <typename LookAt>
    NodeKey refine(NodeKey least, std::size_t count, BlockBound&, ClassCache&, LookAt&&) const noexcept;
    void bound_in_mask(const AskClass&, BlockBound&);
    NodeKey best_in_mask(const Subject&, const ExcludedNodes&);
    NodeKey settle_at_commit(const AskClass&, const NodeMask*, BlockBound&, ClassCache&);
    template <typename Each>
    void in_order(ClassId, const ExcludedNodes&, Each&& each);
    struct KnownBlock;
    KnownBlock& know(const std::shared_ptr<const AskClass>&, std::uint32_t block);
    NodeKey best_of_others(const std::shared_ptr<const AskClass>&, std::uint32_t block, std::uint64_t others,
                           ClassCache&);
    void put_aside_as_before(const std::shared_ptr<const AskClass>&, const NodeMask*, const ExcludedNodes&,
                             ClassCache&);
    bool few_changes(const ClassCache&) const;
    bool list_changed(const ClassCache&, bool ranges);
    void judge_changed_nodes(const AskClass&, const NodeMask*, ClassCache&);
    void judge_last_changes(const AskClass&, const NodeMask*, ClassCache&);
    void look_at_changed(const AskClass&, const NodeMask*, BlockBound&, ClassCache&);

    const EngineOptions options_;
    State state_;
    const BlockEvaluator& evaluator_;
    ClusterSearch& search_;
    NamedNodes named_;
    std::unique_ptr<StageExecutor> executor_;
    std::vector<Batch> batches_;                // a few, oldest first
    std::vector<std::vector<Selected>> spare_;  // room for asks, from batches that are done
    std::vector<AskId> element_;                // the element that is tried, or put back
    ProposalBatches spare_messages_;            // likewise
    std::uint64_t last_batch_ = 0;
    std::uint64_t last_submitted_ = 0;
    std::uint64_t last_collected_ = 0;
    std::size_t selected_ = 0;
    std::uint64_t version_ = 0;              // of the order, when what is selected was right
    std::uint64_t committing_ = 0;           // executor's number of the batch that commits; 0 = no proposals
    std::vector<ClassId> proposed_classes_;  // of the batch that is being selected
    std::uint64_t looks_until_ = 0;          // a number of ClusterFacts::looks(): then no more plans are made ahead
    ClassCache once_;                        // of classes with one ask
    NodeMask mask_;                          // of the search under way, where other pods' say is a mask
    ColumnSource column_source_;
    std::vector<std::uint64_t> changed_lanes_;   // per block, while columns are brought up to date
    std::vector<std::uint32_t> changed_blocks_;  // likewise: blocks that changed
    ExcludedNodes given_;                        // nodes that a search has found and goes on beside
    std::vector<NodeKey> put_aside_;  // cached keys of excluded nodes, while the best beside them is searched for
    // Verdicts and scores of all nodes of the last few blocks whose best node was excluded.
    struct KnownBlock {
        std::shared_ptr<const AskClass> ask_class;  // held, so that no other can be taken for it
        std::uint32_t block = ClassCache::kNoBlock;
        std::uint64_t version = 0;  // of the block
        std::uint64_t feasible = 0;
        // The best of the nodes that some asks do not exclude (`among`), as the last of these asks found it.
        std::uint64_t among = 0;
        NodeKey best = 0;
        LaneScores scores{};
    };
    std::array<KnownBlock, 4> known_blocks_;
    std::size_t next_known_ = 0;
    std::size_t last_known_ = 0;  // was asked for last
    PipelineCounters counters_;
};

}  // namespace bayplan
