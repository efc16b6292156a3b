// Of the pipeline what brings caches up to date: a class's proposal on a worker, and the search at commit.
//
//   refresh, look_at_changed   blocks that changed get a bound: rough from ranges, or fine from lanes
//   settle                     the best bound is made fine, then exact, until the best of all is exact
#include <algorithm>
#include <array>
#include <utility>

#include "placement/pipeline.h"
#include "placement/whole_look.h"

namespace bayplan {

namespace {

// In a cluster of no more blocks most that changed since a class was here are among the best, and rough bounds would
// all be made fine. (One run costs next to nothing.)
constexpr std::uint32_t kInVainUpTo = 128;

constexpr std::size_t kRefinedAtOnce = 64;

}  // namespace

void Pipeline::look(const AskClass& spec, const NodeMask* mask, const ShardSide& side, std::uint32_t index,
                    std::uint32_t block, BlockBound& bound, ClassCache& cache) const noexcept {
    const std::uint64_t allowed = BlockEvaluator::allowed(block, mask);
    if (allowed == 0 && !cache.columns()) {
        cache.set_bound(block, 0);
        return;
    }
    // Columns are for searches that need every node's score.
    if (cache.columns() || !bound.put(side.bounds, index, block, allowed, cache)) {
        evaluator_.look(spec, side.blocks[index], block, mask, cache);
    }
}

void Pipeline::prove(const AskClass& spec, const NodeMask* mask, const ShardSide& side, std::uint32_t index,
                     std::uint32_t block, BlockBound& bound, ClassCache& cache) const noexcept {
    const NodeBlock& nodes = side.blocks[index];
    nodes.prefetch();
    std::uint64_t reaching =
        bound.reaching(side.bounds, index, BlockEvaluator::allowed(block, mask), score_of(cache.best_in(block)));
    // Bounds know little of holds: where these keep the ask off all the nodes, it is found at once, not eight by eight.
    if ((reaching & nodes.holding) != 0 && evaluator_.predicates().filter(spec, nodes, nodes.present & reaching) == 0) {
        reaching = 0;
    }
    evaluator_.prove(spec, nodes, block, mask, reaching, cache);
}

bool Pipeline::by_ranges(const NodeMask* mask, const BlockBound& bound, const ClassCache& cache) const noexcept {
    const std::uint32_t blocks = cache.block_count();
    const bool in_vain = cache.position() != ClassCache::kNever && kBlocksOfRun < blocks && blocks <= kInVainUpTo;
    return mask == nullptr && !cache.columns() && !in_vain && bound.by_ranges();
}

std::uint32_t Pipeline::refresh(const AskClass& spec, const NodeMask* mask, const ShardSide& side, std::uint32_t shard,
                                bool ranges, BlockBound& bound, ClassCache& cache) const noexcept {
    std::uint32_t looks = 0;
    std::uint32_t index = ranges ? refresh_runs(side, shard, bound, cache, looks) : 0;
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

// look_at(block, exactly): for a bound, or at its nodes. Rough bounds are made fine best first, first one, then ever more at
// a time: what is found spares the others.
template <typename LookAt>
NodeKey Pipeline::settle(BlockBound& bound, ClassCache& cache, LookAt&& look_at) const noexcept {
    NodeKey found = 0;
    std::size_t at_a_time = 1;
    for (;;) {
        const NodeKey top = cache.top(evaluator_.kernels());
        const std::uint32_t block = block_of(slot_of(top));
        if (top == 0 || cache.exact(block)) {
            return top;
        }
        if (cache.rough(block)) {
            const NodeKey least = std::clamp(found, least_key(score_of(top)), top - 1);
            found = std::max(found, refine(least, at_a_time, bound, cache, look_at));
            at_a_time = std::min(at_a_time * 4, kRefinedAtOnce);
        } else {
            look_at(block, true);
            found = std::max(found, cache.best_in(block));
        }
    }
}

// Of the blocks with rough bounds above `least` so many. Returns the best of their keys.
template <typename LookAt>
NodeKey Pipeline::refine(NodeKey least, std::size_t count, BlockBound& bound, ClassCache& cache,
                         LookAt&& look_at) const noexcept {
    std::array<std::uint32_t, kRefinedAtOnce> blocks;
    std::array<NodeKey, kRefinedAtOnce> rough;
    count = cache.list_rough_above(least, {blocks.data(), count});
    for (std::size_t at = 0; at < count; ++at) {
        rough[at] = cache.best_in(blocks[at]);
        look_at(blocks[at], false);
    }
    bound.finish(cache);
    NodeKey best = 0;
    for (std::size_t at = 0; at < count; ++at) {
        // Floats are now and then nearer to the truth than 16 bits.
        if (rough[at] < cache.best_in(blocks[at])) {
            cache.set_bound(blocks[at], rough[at]);
        }
        best = std::max(best, cache.best_in(blocks[at]));
    }
    return best;
}

// --- proposing

void Pipeline::propose(Proposal& proposal, std::uint32_t worker) noexcept {
    ClassCache& cache = *proposal.cache;
    cache.resize(proposal.block_count);
    ReaderSlot& me = state_.nodes.reader(worker);
    BlockBound bound = evaluator_.bound_for(*proposal.spec);
    for (std::uint32_t number = 0; number < state_.nodes.shard_count(); ++number) {
        state_.nodes.shard(number).read(me, [&](const ShardSide& side) {
            const NodeMask* const mask = proposal.mask.get();
            proposal.looks += refresh(*proposal.spec, mask, side, number, by_ranges(mask, bound, cache), bound, cache);
        });
    }
    cache.set_position(proposal.position);
    settle(bound, cache, [&](std::uint32_t block, bool exactly) {
        state_.nodes.shard(state_.nodes.shard_of(block)).read(me, [&](const ShardSide& side) {
            const std::uint32_t index = state_.nodes.index_in_shard(block);
            if (exactly) {
                prove(*proposal.spec, proposal.mask.get(), side, index, block, bound, cache);
            } else {
                look(*proposal.spec, proposal.mask.get(), side, index, block, bound, cache);
                bound.finish(cache);
            }
        });
    });
}

// --- resolving at commit

// A class of one ask is hardly asked for again, unless it fails: its cache need not be kept.
ClassCache& Pipeline::cache_for(ClassId id) {
    const ClassEntry& entry = state_.classes[id];
    if (entry.references > 1 || entry.failed || state_.caches.find(id) != nullptr) {
        return state_.caches.use(id);
    }
    once_.clear();
    return once_;
}

// All nodes of a block, judged for the class: mostly an ask alike has been here, and nothing has changed since.
Pipeline::KnownBlock& Pipeline::know(const std::shared_ptr<const AskClass>& ask_class, std::uint32_t number) {
    const std::uint64_t version = state_.nodes.version(number);
    for (std::size_t at = 0; at < known_blocks_.size(); ++at) {
        KnownBlock& known = known_blocks_[at];
        if (known.block == number && known.version == version && known.ask_class == ask_class) {
            last_known_ = at;
            return known;
        }
    }
    last_known_ = next_known_++ % known_blocks_.size();
    KnownBlock& fresh = known_blocks_[last_known_];
    fresh.ask_class = ask_class;
    fresh.block = number;
    fresh.version = version;
    fresh.feasible = evaluator_.judge_all(*ask_class, state_.nodes.block(number), fresh.scores);
    fresh.among = 0;
    fresh.best = 0;
    ++counters_.blocks_judged;
    return fresh;
}

// The best of these nodes of a block; for the block that was judged last every node's score is known.
NodeKey Pipeline::best_of_others(const std::shared_ptr<const AskClass>& ask_class, std::uint32_t number,
                                 std::uint64_t others, ClassCache& cache) {
    if (const ClassCache::LastLook& last = cache.last_look(); last.block == number && last.stale == 0) {
        return evaluator_.best_of(last.feasible & others, last.scores, number);
    }
    KnownBlock& known = know(ask_class, number);
    if (known.among != others) {
        known.among = others;
        known.best = evaluator_.best_of(known.feasible & others, known.scores, number);
    }
    return known.best;
}

// Mostly the ask before, of the same class, excluded the same nodes: its answer for their block stands while the block
// does, and spares the search that would only find the excluded node.
void Pipeline::put_aside_as_before(const std::shared_ptr<const AskClass>& ask_class, const NodeMask* mask,
                                   const ExcludedNodes& excluded, ClassCache& cache) {
    const KnownBlock& known = known_blocks_[last_known_];
    if (known.ask_class != ask_class || known.block >= cache.block_count() || !cache.exact(known.block) ||
        known.version != state_.nodes.version(known.block) ||
        known.among != (BlockEvaluator::allowed(known.block, mask) & ~excluded.in_block(known.block))) {
        return;
    }
    if (const NodeKey best = cache.best_in(known.block); best != 0) {
        put_aside_.push_back(best);
        cache.set_aside(known.block, known.best);
    }
}

NodeKey Pipeline::settle_at_commit(const AskClass& spec, const NodeMask* mask, BlockBound& bound, ClassCache& cache) {
    return settle(bound, cache, [&](std::uint32_t block, bool exactly) {
        const ShardSide& side = state_.nodes.side_of(block);
        const std::uint32_t index = state_.nodes.index_in_shard(block);
        if (exactly) {
            prove(spec, mask, side, index, block, bound, cache);
            ++counters_.blocks_judged;
        } else {
            look(spec, mask, side, index, block, bound, cache);
        }
    });
}

// Bounds of all blocks for a search in the mask. Ranges bound more nodes than the mask has, so never too low.
void Pipeline::bound_in_mask(const AskClass& spec, BlockBound& bound) {
    once_.clear();
    once_.resize(state_.nodes.block_count());
    const bool ranges = bound.by_ranges();
    for (std::uint32_t number = 0; number < state_.nodes.shard_count(); ++number) {
        refresh(spec, &mask_, state_.nodes.shard(number).back(), number, ranges, bound, once_);
    }
    once_.set_position(state_.nodes.log().head());
    for (std::uint32_t block = 0; ranges && block < mask_.size(); ++block) {
        if (mask_[block] == 0) {
            once_.set_bound(block, 0);
        }
    }
}

// Where other pods' say is a mask of nodes: the best of these by their own columns. Nodes that the mask has in vain are taken
// out of it when they are found. Nothing is kept: other pods' say may be another one next time.
NodeKey Pipeline::best_in_mask(const Subject& subject, const ExcludedNodes& excluded) {
    const NodeMask* allowed = state_.cluster.topology.signatures().mask(subject.plan.signature).get();
    mask_.resize(state_.nodes.block_count());
    for (std::uint32_t block = 0; block < mask_.size(); ++block) {
        mask_[block] = BlockEvaluator::allowed(block, allowed);
    }
    excluded.for_each_block([&](std::uint32_t block, std::uint64_t lanes) { mask_[block] &= ~lanes; });
    const bool all_pass = search_.narrow(subject, mask_);
    BlockBound bound = evaluator_.bound_for(subject.ask_class);
    bound_in_mask(subject.ask_class, bound);
    NodeKey best = settle_at_commit(subject.ask_class, &mask_, bound, once_);
    while (best != 0 && !all_pass && search_.refused(subject, best)) {
        const std::uint32_t block = block_of(slot_of(best));
        mask_[block] &= ~bit_of(slot_of(best));
        once_.note_changed(block, bit_of(slot_of(best)));
        look(subject.ask_class, &mask_, state_.nodes.side_of(block), state_.nodes.index_in_shard(block), block, bound,
             once_);
        bound.finish(once_);
        best = settle_at_commit(subject.ask_class, &mask_, bound, once_);
    }
    counters_.blocks_bounded += bound.bounded();
    return best;
}

// Calls each(key) for the best node, and for the next ones until it returns false. Where other pods have a say, or nodes are
// named, only once, for the best node; with 0 if there is none.
template <typename Each>
void Pipeline::in_order(ClassId id, const ExcludedNodes& excluded, Each&& each) {
    const ClassEntry& entry = state_.classes[id];
    const ClassCaches::Entry& caches = state_.caches[id];
    const Subject subject = subject_of(state_.cluster, *entry.spec);
    counters_.resolved_at_commit += committing_ == 0 || caches.last_proposal != committing_ ? 1 : 0;
    if (named_.suits(subject.ask_class, subject.plan)) {
        each(named_.find(subject, state_.nodes, excluded));
        return;
    }
    if (search_.narrows(subject)) {
        ++counters_.searches;
        each(best_in_mask(subject, excluded));
        return;
    }
    if (caches.proposed_in != 0) {
        wait_for(caches.proposed_in);
    }
    ClassCache& cache = cache_for(id);
    const NodeMask* mask = state_.cluster.topology.signatures().mask(subject.plan.signature).get();
    const bool depends_on_pods = search_.depends_on_pods(subject);
    // Columns that are filled stay: what other pods decide for a class comes and goes with other pods.
    cache.want_columns(depends_on_pods || (cache.columns() && cache.position() != ClassCache::kNever));
    if (cache.columns()) {
        column_source_.fill(id, *entry.spec, cache);
    }
    BlockBound bound = evaluator_.bound_for(*entry.spec);
    bring_up_to_date(*entry.spec, mask, bound, cache);
    if (depends_on_pods) {
        ++counters_.searches;
        each(search_.find(subject, cache, excluded));
        return;
    }
    if (!excluded.empty()) {
        put_aside_as_before(entry.spec, mask, excluded, cache);
    }
    given_.clear();
    NodeKey best = settle_at_commit(*entry.spec, mask, bound, cache);
    while (best != 0) {
        if (!excluded.contains(slot_of(best))) {
            if (!each(best)) {
                break;
            }
            given_.add(slot_of(best));
        }
        const std::uint32_t block = block_of(slot_of(best));
        const std::uint64_t others =
            BlockEvaluator::allowed(block, mask) & ~excluded.in_block(block) & ~given_.in_block(block);
        put_aside_.push_back(best);
        cache.set_aside(block, best_of_others(entry.spec, block, others, cache));
        best = settle_at_commit(*entry.spec, mask, bound, cache);
    }
    // To the class they are the best still; of a block the first was.
    for (auto aside = put_aside_.rbegin(); aside != put_aside_.rend(); ++aside) {
        cache.come_back(block_of(slot_of(*aside)), *aside);
    }
    put_aside_.clear();
    counters_.blocks_bounded += bound.bounded();
}

NodeKey Pipeline::resolve(ClassId id, const ExcludedNodes& excluded) {
    NodeKey first = 0;
    in_order(id, excluded, [&](NodeKey best) {
        first = best;
        return false;
    });
    return first;
}

void Pipeline::next_best(ClassId id, const ExcludedNodes& excluded, const ExcludedNodes& skipped, std::size_t most,
                         std::vector<NodeKey>& nodes) {
    const Subject subject = subject_of(state_.cluster, *state_.classes[id].spec);
    if (named_.suits(subject.ask_class, subject.plan) || search_.narrows(subject) || search_.depends_on_pods(subject)) {
        ClassCache cache;
        look_at_all(subject, evaluator_, cache);
        search_.best_few(subject, cache, excluded, skipped, most, nodes);
        return;
    }
    std::size_t found = 0;
    in_order(id, excluded, [&](NodeKey best) {
        if (found < most && !skipped.contains(slot_of(best))) {
            nodes.push_back(best);
            ++found;
        }
        return found < most;
    });
}

}  // namespace bayplan
