#include "placement/pipeline.h"

#include <thread>
#include <utility>

#include "base/check.h"

namespace bayplan {

namespace {

// What a proposal saves the commit, in ns (bench/README.md): bounding a block, judging it node by node, the few
// that are judged once all are bounded.
constexpr std::uint64_t kBoundNs = 8;
constexpr std::uint64_t kJudgeNs = 100;
constexpr std::uint64_t kSettleNs = 3 * kJudgeNs;
// What it costs: per class, its cache and what it reads travel between cores; per batch, a message and a wake-up.
constexpr std::uint64_t kProposalNs = 1'500;
constexpr std::uint64_t kHandOverNs = 20'000;

// So few changed blocks are judged at once: bounding them first would save nothing.
constexpr std::uint64_t kJudgedAtOnce = 2;

// Bounding one block from its nodes costs as much as so many from their ranges; and what a pass over ranges costs at least.
constexpr std::uint32_t kRangesForOne = 16;
constexpr std::uint32_t kFewChanges = 8;

// Columns that are filled stay: what couples a class comes and goes with other pods.
bool wants_columns(const ClassCache& cache, bool couples) {
    return couples || (cache.columns() && cache.position() != ClassCache::kNever);
}

}  // namespace

Pipeline::Pipeline(const EngineOptions& options, State state, const BlockEvaluator& evaluator,
                   ClusterSearch& search, std::unique_ptr<StageExecutor> executor)
    : options_(options), state_(state), evaluator_(evaluator), search_(search), executor_(std::move(executor)) {
    executor_->start(*this);
}

Pipeline::~Pipeline() {
    wait_for(last_submitted_);
    executor_.reset();  // joins the workers while what they read is still there
}

// --- selecting

AskId Pipeline::next_selected() {
    for (;;) {
        if (cut_) {
            put_all_back();
        }
        while (!batches_.empty()) {
            Batch& batch = batches_.front();
            if (batch.next == batch.asks.size()) {
                retire_oldest();
                continue;
            }
            break;
        }
        if (batches_.empty() || batches_.front().next == 0) {
            fill();
            if (batches_.empty()) {
                return kNone<AskId>;
            }
            wait_for(batches_.front().submitted_as);
            counters_.batches_overlapped += executor_->under_way() > 0 ? 1 : 0;
        }
        Batch& batch = batches_.front();
        committing_ = batch.submitted_as;
        const AskHandle handle = batch.asks[batch.next++];
        if (still_selected(batch, handle)) {
            --selected_;
            return handle.id;
        }
    }
}

void Pipeline::retire_oldest() {
    spare_.push_back(std::move(batches_.front().asks));
    batches_.erase(batches_.begin());
}

void Pipeline::put_back(AskId id) {
    Ask& ask = state_.asks[id];
    ask.state = AskState::pending;
    state_.pending.insert(id);
}

void Pipeline::put_all_back() {
    for (Batch& batch : batches_) {
        for (; batch.next < batch.asks.size(); ++batch.next) {
            if (still_selected(batch, batch.asks[batch.next])) {
                put_back(batch.asks[batch.next].id);
                --selected_;
            }
        }
        ++counters_.batches_cut;
    }
    // Their proposals are still under way; wait_for collects them in order when somebody needs them.
    while (!batches_.empty()) {
        retire_oldest();
    }
    cut_ = false;
}

void Pipeline::on_pending(const PendingKey& key) {
    if (!batches_.empty() && key.comes_before(batches_.back().last)) {
        cut_ = true;
    }
}

void Pipeline::on_order_changed() { cut_ = !batches_.empty(); }

void Pipeline::fill() {
    while (collect_one()) {
    }
    if (state_.nodes.published() != state_.nodes.log().head()) {
        state_.nodes.publish();
    }
    while (batches_.size() < options_.depth) {
        Batch batch;
        batch.number = ++last_batch_;
        if (!select(batch)) {
            spare_.push_back(std::move(batch.asks));
            return;
        }
        submit_proposals(batch);
        batches_.push_back(std::move(batch));
    }
}

bool Pipeline::select(Batch& batch) {
    if (!spare_.empty()) {
        batch.asks = std::move(spare_.back());
        batch.asks.clear();
        spare_.pop_back();
    }
    while (batch.asks.size() < options_.batch) {
        const AskId id = state_.pending.top();
        if (id == kNone<AskId>) {
            break;
        }
        state_.pending.remove(id);
        Waiting& waiting = state_.asks.waiting(id);
        state_.asks[id].state = AskState::selected;
        waiting.selected_in = batch.number;
        batch.last = waiting.key;
        batch.asks.push_back(state_.asks.handle(id));
        ++selected_;
    }
    return !batch.asks.empty();
}

// --- caches

void Pipeline::look(const AskClass& spec, const NodeMask* mask, const ShardSide& side, std::uint32_t index,
                    std::uint32_t block, BlockBound& bound, ClassCache& cache) const noexcept {
    // Columns are for searches that need every node's score.
    if (cache.columns() || !bound.put(side.bounds, index, block, BlockEvaluator::allowed(block, mask), cache)) {
        evaluator_.look(spec, side.blocks[index], block, mask, cache);
    }
}

bool Pipeline::by_ranges(const NodeMask* mask, const BlockBound& bound, const ClassCache& cache) const noexcept {
    return mask == nullptr && !cache.columns() && bound.by_ranges();
}

std::uint32_t Pipeline::refresh(const AskClass& spec, const NodeMask* mask, const ShardSide& side,
                                std::uint32_t shard, BlockBound& bound, ClassCache& cache) const noexcept {
    std::uint32_t looks = 0;
    std::uint32_t index = by_ranges(mask, bound, cache) ? refresh_runs(side, shard, bound, cache, looks) : 0;
    for (; index < side.blocks.size(); ++index) {
        const std::uint32_t block = state_.nodes.block_at(shard, index);
        if (side.versions[index] > cache.position() && block < cache.block_count()) {
            cache.note_changed(block, ~std::uint64_t{0});
            look(spec, mask, side, index, block, bound, cache);
            ++looks;
        }
    }
    bound.finish(cache);
    return looks;
}

// Runs of blocks by their ranges. Returns the index of the first block that is left: a side may have blocks that the
// cache does not know.
std::uint32_t Pipeline::refresh_runs(const ShardSide& side, std::uint32_t shard, const BlockBound& bound,
                                     ClassCache& cache, std::uint32_t& looks) const noexcept {
    static_assert(NodeState::kRun == kBlocksOfRun);
    const auto blocks = static_cast<std::uint32_t>(side.blocks.size());
    BlockRuns runs = {0, state_.nodes.block_at(shard, 0), kBlocksOfRun * state_.nodes.shard_count()};
    for (std::uint32_t end = 0; end < blocks; ++runs.count) {
        end = std::min(end + kBlocksOfRun, blocks);
        if (state_.nodes.block_at(shard, end - 1) >= cache.block_count()) {
            break;
        }
    }
    looks += bound.put_runs(side.bounds.ranges(side.versions.data()), runs, cache);
    const std::uint32_t last = cache.last_look().block;
    if (last < cache.block_count() && state_.nodes.shard_of(last) == shard &&
        state_.nodes.index_in_shard(last) < runs.count * kBlocksOfRun &&
        side.versions[state_.nodes.index_in_shard(last)] > cache.position()) {
        cache.note_changed(last, ~std::uint64_t{0});
    }
    return runs.count * kBlocksOfRun;
}

// look_at(block, judge): node by node, or for a bound. Rough bounds that reach what was found are made finer first.
template <typename LookAt>
NodeKey Pipeline::settle(BlockBound& bound, ClassCache& cache, LookAt&& look_at) const noexcept {
    NodeKey found = 0;
    bool judged = false;
    for (;;) {
        const NodeKey top = cache.top(evaluator_.kernels());
        const std::uint32_t block = block_of(slot_of(top));
        if (top == 0 || cache.exact(block)) {
            return top;
        }
        if (cache.rough(block)) {
            cache.each_rough_above(found == 0 ? top - 1 : std::min(found, top - 1),
                                   [&](std::uint32_t number) { look_at(number, false); });
            bound.finish(cache);
            found = judged ? found : std::max(found, cache.best_in(block));
        } else {
            look_at(block, true);
            found = judged ? std::max(found, cache.best_in(block)) : cache.best_in(block);
            judged = true;
        }
    }
}

// --- proposing

std::uint64_t Pipeline::blocks_behind(const ClassEntry& entry) const {
    const std::uint64_t blocks = state_.nodes.block_count();
    if (!entry.cache || entry.cache->position() == ClassCache::kNever) {
        return blocks;
    }
    return std::min(blocks, state_.nodes.log().head() - entry.cache->position());
}

// What the commit is spared if the class is proposed, less what that costs it.
std::uint64_t Pipeline::gain_of_proposing(const ClassEntry& entry) {
    const bool columns = (entry.cache && entry.cache->columns()) || search_.couples(subject_of(*entry.spec));
    const std::uint64_t ns = blocks_behind(entry) * (columns ? kJudgeNs : kBoundNs) + kSettleNs;
    return ns > kProposalNs ? ns - kProposalNs : 0;
}

bool Pipeline::worth_proposing(const std::vector<ClassId>& classes) {
    switch (options_.path) {
        case BatchPath::inline_: return false;
        case BatchPath::graph: return true;
        case BatchPath::automatic: break;
    }
    std::uint64_t gain = 0;
    for (const ClassId id : classes) {
        gain += gain_of_proposing(state_.classes[id]);
    }
    return gain > kHandOverNs;
}

void Pipeline::submit_proposals(Batch& batch) {
    const std::uint64_t oldest = batches_.empty() ? batch.number : batches_.front().number;
    std::vector<ClassId>& classes = proposed_classes_;
    classes.clear();
    for (const AskHandle& handle : batch.asks) {
        const ClassId id = state_.asks[handle.id].ask_class;
        ClassEntry& entry = state_.classes[id];
        // In an unfinished batch, or away with one that was cut: resolved at commit.
        const bool free = entry.last_batch < oldest && entry.proposed_in == 0;
        if (free) {
            classes.push_back(id);
        }
        entry.last_batch = batch.number;
    }
    if (classes.empty() || !worth_proposing(classes)) {
        ++counters_.batches_inline;
        return;
    }
    std::unique_ptr<ProposalBatch> message = this->message();
    message->number = ++last_submitted_;
    for (const ClassId id : classes) {
        Proposal proposal;
        proposal.ask_class = id;
        proposal.spec = state_.classes[id].spec;
        proposal.cache = state_.classes.lend_cache(id, message->number);
        const Subject subject = subject_of(*proposal.spec);
        proposal.mask = state_.topology.signatures().mask(subject.plan.signature);
        proposal.cache->want_columns(wants_columns(*proposal.cache, search_.couples(subject)));
        state_.classes[id].last_proposal = message->number;
        proposal.position = state_.nodes.published();
        proposal.block_count = state_.nodes.block_count();
        message->proposals.push_back(std::move(proposal));
    }
    batch.submitted_as = message->number;
    ++counters_.batches_graph;
    executor_->submit(std::move(message));
}

std::unique_ptr<ProposalBatch> Pipeline::message() {
    if (spare_messages_.empty()) {
        return std::make_unique<ProposalBatch>();
    }
    std::unique_ptr<ProposalBatch> message = std::move(spare_messages_.back());
    spare_messages_.pop_back();
    return message;
}

void Pipeline::propose(Proposal& proposal, std::uint32_t worker) noexcept {
    ClassCache& cache = *proposal.cache;
    cache.resize(proposal.block_count);
    ReaderSlot& me = state_.nodes.reader(worker);
    BlockBound bound = evaluator_.bound_for(*proposal.spec);
    for (std::uint32_t number = 0; number < state_.nodes.shard_count(); ++number) {
        state_.nodes.shard(number).read(me, [&](const ShardSide& side) {
            proposal.looks += refresh(*proposal.spec, proposal.mask.get(), side, number, bound, cache);
        });
    }
    cache.set_position(proposal.position);
    settle(bound, cache, [&](std::uint32_t block, bool judge) {
        state_.nodes.shard(state_.nodes.shard_of(block)).read(me, [&](const ShardSide& side) {
            const std::uint32_t index = state_.nodes.index_in_shard(block);
            if (judge) {
                evaluator_.look(*proposal.spec, side.blocks[index], block, proposal.mask.get(), cache);
            } else {
                look(*proposal.spec, proposal.mask.get(), side, index, block, bound, cache);
                bound.finish(cache);
            }
        });
    });
}

// --- collecting

bool Pipeline::collect_one() {
    std::unique_ptr<ProposalBatch> batch = executor_->poll();
    if (!batch) {
        return false;
    }
    BP_CHECK_OP(batch->number, ==, last_collected_ + 1);
    last_collected_ = batch->number;
    for (Proposal& proposal : batch->proposals) {
        state_.classes.return_cache(proposal.ask_class, std::move(proposal.cache));
        counters_.blocks_proposed += proposal.looks;
    }
    counters_.proposals += batch->proposals.size();
    batch->proposals.clear();  // lets go of classes and masks
    spare_messages_.push_back(std::move(batch));
    return true;
}

void Pipeline::wait_for(std::uint64_t submitted_as) {
    for (int turns = 0; last_collected_ < submitted_as; ++turns) {
        if (!collect_one() && turns > 64) {
            std::this_thread::yield();  // the workers may need this very CPU
        }
    }
}

// --- resolving at commit

// A class of one ask is hardly asked for again, unless it fails: its cache need not be kept.
ClassCache& Pipeline::cache_for(ClassId id) {
    const ClassEntry& entry = state_.classes[id];
    if (entry.references > 1 || entry.cache || !entry.failure_text.empty()) {
        return state_.classes.cache(id);
    }
    once_.clear();
    return once_;
}

NodeKey Pipeline::resolve(ClassId id, const NodeMask* left_out) {
    ClassEntry& entry = state_.classes[id];
    if (entry.proposed_in != 0) {
        wait_for(entry.proposed_in);
    }
    ClassCache& cache = cache_for(id);
    counters_.resolved_at_commit += committing_ == 0 || entry.last_proposal != committing_ ? 1 : 0;
    const Subject subject = subject_of(*entry.spec);
    const NodeMask* mask = state_.topology.signatures().mask(subject.plan.signature).get();
    const bool couples = left_out != nullptr || search_.couples(subject);
    cache.want_columns(wants_columns(cache, couples));
    BlockBound bound = evaluator_.bound_for(*entry.spec);
    bring_up_to_date(*entry.spec, mask, bound, cache);
    if (!couples) {
        const NodeKey best = settle(bound, cache, [&](std::uint32_t block, bool judge) {
            if (judge) {
                evaluator_.look(*entry.spec, state_.nodes.block(block), block, mask, cache);
                ++counters_.blocks_judged;
            } else {
                look(*entry.spec, mask, state_.nodes.side_of(block), state_.nodes.index_in_shard(block), block, bound,
                     cache);
            }
        });
        counters_.blocks_bounded += bound.bounded();
        return best;
    }
    ++counters_.searches;
    return search_.find(subject, cache, left_out);
}

Subject Pipeline::subject_of(const AskClass& ask_class) {
    return {ask_class, state_.topology.spec(ask_class.spec), state_.topology.plan(ask_class.spec), state_.topology,
            state_.kinds};
}

// Are there so few changes that looking at each block is cheaper than at the ranges, or the versions, of all?
bool Pipeline::one_by_one(const ClassCache& cache, bool ranges) const {
    const ChangeLog& log = state_.nodes.log();
    const std::uint64_t few = ranges ? kFewChanges + cache.block_count() / kRangesForOne : cache.block_count();
    return log.head() - cache.position() < std::min<std::uint64_t>(few, cache.block_count()) &&
           log.reaches_back_to(cache.position());
}

void Pipeline::bring_up_to_date(const AskClass& spec, const NodeMask* mask, BlockBound& bound, ClassCache& cache) {
    cache.resize(state_.nodes.block_count());
    if (one_by_one(cache, by_ranges(mask, bound, cache))) {
        look_at_logged(spec, mask, bound, cache);
    } else {
        for (std::uint32_t number = 0; number < state_.nodes.shard_count(); ++number) {
            counters_.blocks_rechecked +=
                refresh(spec, mask, state_.nodes.shard(number).back(), number, bound, cache);
        }
    }
    cache.set_position(state_.nodes.log().head());
}

void Pipeline::look_at_logged(const AskClass& spec, const NodeMask* mask, BlockBound& bound, ClassCache& cache) {
    const ChangeLog& log = state_.nodes.log();
    for (std::uint64_t position = cache.position() + 1; position <= log.head(); ++position) {
        cache.note_changed(log.block_at(position), log.lanes_at(position));
    }
    seen_.resize(cache.block_count(), 0);
    ++query_;
    // Newest first: a block that changed many times is looked at once.
    for (std::uint64_t position = log.head(); position > cache.position(); --position) {
        const std::uint32_t block = log.block_at(position);
        if (seen_[block] != query_) {
            seen_[block] = query_;
            if (log.head() - cache.position() <= kJudgedAtOnce) {
                evaluator_.look(spec, state_.nodes.block(block), block, mask, cache);
                ++counters_.blocks_judged;
            } else {
                look(spec, mask, state_.nodes.side_of(block), state_.nodes.index_in_shard(block), block, bound, cache);
            }
            ++counters_.blocks_rechecked;
        }
    }
    bound.finish(cache);
}

}  // namespace bayplan
