// Which blocks changed, in order, and which of their nodes: what a cached result must look at again.
//
// Positions count from 1 and never go back; an entry, which tells the node, is kept for the last kEntries positions. Blocks
// by their last change are known for ever.
//
// Thread: the engine's. (Readers on other threads see block versions inside the shards.)
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/ids.h"
#include "cluster/recent_blocks.h"

namespace bayplan {

class ChangeLog {
public:
    static constexpr std::uint64_t kEntries = 1u << 14;

    ChangeLog() : entries_(kEntries) {}

    std::uint64_t append(Slot slot) { return append_entry(raw(slot)); }
    // Any of its nodes may have.
    std::uint64_t append_block(std::uint32_t block) { return append_entry(raw(slot_at(block, 0)) | kWholeBlock); }

    std::uint64_t head() const { return head_; }  // position of the newest entry; 0 = none
    bool reaches_back_to(std::uint64_t position) const { return head_ - position < kEntries; }
    std::uint32_t block_at(std::uint64_t position) const { return block_of(slot_at_position(position)); }
    // Which nodes of the block, a bit each.
    std::uint64_t lanes_at(std::uint64_t position) const {
        return (entries_[position % kEntries] & kWholeBlock) != 0
                   ? ~std::uint64_t{0}
                   : std::uint64_t{1} << lane_of(slot_at_position(position));
    }

    // Blocks that changed after this position, each once, as many as there is room for. Returns their number, or one more
    // than there is room for.
    std::size_t list_blocks_after(std::uint64_t position, std::span<std::uint32_t> into) const {
        return recent_.list_after(position, into);
    }

private:
    static constexpr std::uint32_t kWholeBlock = 1u << 31;

    std::uint64_t append_entry(std::uint32_t entry) {
        ++head_;
        entries_[head_ % kEntries] = entry;
        recent_.put(block_of(static_cast<Slot>(entry & ~kWholeBlock)), head_);
        return head_;
    }
    Slot slot_at_position(std::uint64_t position) const {
        return static_cast<Slot>(entries_[position % kEntries] & ~kWholeBlock);
    }

    std::vector<std::uint32_t> entries_;
    std::uint64_t head_ = 0;
    RecentBlocks recent_;
};

}  // namespace bayplan
