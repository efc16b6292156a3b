// Of the pipeline what brings a class's cache up to date before a search at commit: from the log of nodes that changed, or if
// there are too many of those by all blocks.
//
// Thread: the engine's.
#include <algorithm>
#include <utility>

#include "placement/pipeline.h"

namespace bayplan {

namespace {

// So few changed blocks are judged at once: bounding them first would save nothing.
constexpr std::uint64_t kJudgedAtOnce = 2;

// Bounding one block from its nodes costs as much as so many from their ranges; and what a pass over ranges costs at least.
constexpr std::uint32_t kRangesForOne = 16;
constexpr std::uint32_t kFewChanges = 8;

}  // namespace

// With columns: is looking at the nodes that changed cheaper than at the versions of all blocks?
bool Pipeline::few_changes(const ClassCache& cache) const {
    const ChangeLog& log = state_.nodes.log();
    return log.head() - cache.position() < cache.block_count() && log.reaches_back_to(cache.position());
}

// Lists the blocks that changed, unless there are so many that the ranges, or the versions, of all are cheaper.
bool Pipeline::list_changed(const ClassCache& cache, bool ranges) {
    const std::uint32_t blocks = cache.block_count();
    const std::uint32_t few = ranges ? std::min(blocks, kFewChanges + blocks / kRangesForOne) : blocks;
    const bool never_filled = cache.position() == ClassCache::kNever;
    if ((!ranges && state_.nodes.log().head() - cache.position() >= blocks) || (never_filled && few < blocks)) {
        return false;
    }
    changed_blocks_.resize(few);
    const std::size_t count = state_.nodes.log().list_blocks_after(cache.position(), changed_blocks_);
    const bool all = count <= changed_blocks_.size();
    changed_blocks_.resize(all ? count : 0);
    return all;
}

void Pipeline::bring_up_to_date(const AskClass& spec, const NodeMask* mask, BlockBound& bound, ClassCache& cache) {
    cache.resize(state_.nodes.block_count());
    if (cache.columns() && few_changes(cache)) {
        judge_changed_nodes(spec, mask, cache);
    } else if (!cache.columns() && state_.nodes.log().head() - cache.position() <= kJudgedAtOnce) {
        judge_last_changes(spec, mask, cache);
    } else if (!cache.columns() && list_changed(cache, by_ranges(mask, bound, cache))) {
        look_at_changed(spec, mask, bound, cache);
    } else {
        for (std::uint32_t number = 0; number < state_.nodes.shard_count(); ++number) {
            counters_.blocks_rechecked += refresh(spec, mask, state_.nodes.shard(number).back(), number,
                                                  by_ranges(mask, bound, cache), bound, cache);
        }
    }
    cache.set_position(state_.nodes.log().head());
}

void Pipeline::look_at_changed(const AskClass& spec, const NodeMask* mask, BlockBound& bound, ClassCache& cache) {
    for (const std::uint32_t block : changed_blocks_) {
        cache.note_changed(block, ~std::uint64_t{0});
        look(spec, mask, state_.nodes.side_of(block), state_.nodes.index_in_shard(block), block, bound, cache);
    }
    counters_.blocks_rechecked += changed_blocks_.size();
    bound.finish(cache);
}

// Of a class that comes at once again.
void Pipeline::judge_last_changes(const AskClass& spec, const NodeMask* mask, ClassCache& cache) {
    const ChangeLog& log = state_.nodes.log();
    for (std::uint64_t position = cache.position() + 1; position <= log.head(); ++position) {
        cache.note_changed(log.block_at(position), log.lanes_at(position));
    }
    for (std::uint64_t position = cache.position() + 1; position <= log.head(); ++position) {
        const std::uint32_t block = log.block_at(position);
        if (position < log.head() && block == log.block_at(position + 1)) {
            continue;
        }
        evaluator_.look(spec, state_.nodes.block(block), block, mask, cache);
        ++counters_.blocks_judged;
        ++counters_.blocks_rechecked;
    }
}

// With columns every node's verdict and score is known: only changed nodes are judged, the others' stand.
void Pipeline::judge_changed_nodes(const AskClass& spec, const NodeMask* mask, ClassCache& cache) {
    const ChangeLog& log = state_.nodes.log();
    changed_lanes_.resize(cache.block_count(), 0);
    for (std::uint64_t position = cache.position() + 1; position <= log.head(); ++position) {
        changed_lanes_[log.block_at(position)] |= log.lanes_at(position);
    }
    for (std::uint64_t position = cache.position() + 1; position <= log.head(); ++position) {
        const std::uint32_t block = log.block_at(position);
        if (const std::uint64_t lanes = std::exchange(changed_lanes_[block], 0); lanes != 0) {
            cache.recall(block, lanes);
            evaluator_.look(spec, state_.nodes.block(block), block, mask, cache);
            ++counters_.blocks_judged;
            ++counters_.blocks_rechecked;
        }
    }
}

}  // namespace bayplan
