// Which blocks changed, in order: what a cached result must look at again.
//
// Positions count from 1 and never go back; an entry is kept for the last kEntries positions. Who is
// further behind compares block versions instead.
//
// Thread: the engine's. (Readers on other threads see block versions inside the shards.)
#pragma once

#include <cstdint>
#include <vector>

namespace bayplan {

class ChangeLog {
public:
    static constexpr std::uint64_t kEntries = 1u << 14;

    ChangeLog() : blocks_(kEntries) {}

    std::uint64_t append(std::uint32_t block) {
        ++head_;
        blocks_[head_ % kEntries] = block;
        return head_;
    }

    std::uint64_t head() const { return head_; }  // position of the newest entry; 0 = none
    bool reaches_back_to(std::uint64_t position) const { return head_ - position < kEntries; }
    std::uint32_t block_at(std::uint64_t position) const { return blocks_[position % kEntries]; }

private:
    std::vector<std::uint32_t> blocks_;
    std::uint64_t head_ = 0;
};

}  // namespace bayplan
