// Blocks in order of their last change: which of them changed after a position of the change log, each once, in as many
// steps as there are.
//
//   newest_ -> block -> block -> ... -> the block that has not changed for longest
//
// Thread: the engine's. Owner: ChangeLog.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace bayplan {

class RecentBlocks {
public:
    // Positions rise from call to call.
    void put(std::uint32_t block, std::uint64_t position) {
        if (block != newest_) {
            if (block >= links_.size()) {
                links_.resize(block + 1);
            }
            take_out(block);
            links_[block].older = newest_;
            if (newest_ != kEnd) {
                links_[newest_].newer = block;
            }
            newest_ = block;
        }
        links_[block].position = position;
    }

    // Blocks that changed after this position, newest first, as many as there is room for. Returns their number, or the
    // room plus one if there are more.
    std::size_t list_after(std::uint64_t position, std::span<std::uint32_t> into) const {
        std::size_t count = 0;
        for (std::uint32_t block = newest_; block != kEnd && links_[block].position > position;
             block = links_[block].older) {
            if (count == into.size()) {
                return count + 1;
            }
            into[count++] = block;
        }
        return count;
    }

private:
    static constexpr std::uint32_t kEnd = UINT32_MAX;

    struct Link {
        std::uint64_t position = 0;  // 0: never
        std::uint32_t newer = kEnd;
        std::uint32_t older = kEnd;
    };

    void take_out(std::uint32_t block) {
        const Link out = links_[block];
        if (out.newer != kEnd) {
            links_[out.newer].older = out.older;
        }
        if (out.older != kEnd) {
            links_[out.older].newer = out.newer;
        }
        links_[block].newer = kEnd;
    }

    std::vector<Link> links_;  // by block
    std::uint32_t newest_ = kEnd;
};

}  // namespace bayplan
