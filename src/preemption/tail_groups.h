// Ranges of tails (pod_tails.h) of 64 blocks at a time, as columns in which a lane is a block: for a search that has a best node
// already they tell of most blocks, together, that no node there is better. Blocks of which they do not tell are looked at one by
// one (tail_search.h).
//
// Memory: some 13 KB per resource and 9 KB beside for 64 blocks: 1.2 MB at 100,000 nodes with three resources.
// Thread: keep(): the engine's; the rest: any while nobody does that. Owner: PodTails.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "preemption/tail_lanes.h"
#include "preemption/victim_search.h"

namespace bayplan {

struct BlockTails;
struct TailRanges;

class TailGroups {
public:
    explicit TailGroups(const LaneKernels& kernels) : kernels_(kernels) {}

    // The block as it is now. Asks below the hold floor respect every hold there (NodeBlock).
    void keep(std::uint32_t block, const BlockTails&, const TailRanges&, std::int64_t hold_floor);

    // Blocks of the group, a bit each, on which no node has cheaper victims than these, or as cheap and a lower slot. Amounts
    // alone decide on the ask, no budget is violated anywhere, and the best so far has at most kCountMax victims.
    static constexpr std::int64_t kCountMax = 64;
    std::uint64_t lost(std::uint32_t group, const AskClass&, const VictimCandidate& best) const;

private:
    static constexpr std::uint32_t kTails = 8;
    using Tails = std::array<LaneNumbers, kTails>;
    struct Kind {
        Kind();
        alignas(64) Tails reach;
        alignas(64) Tails sure;
        alignas(64) Tails least_rest{};
        alignas(64) LaneNumbers largest{};
        alignas(64) LaneNumbers least_lack;
    };
    struct Group {
        alignas(64) Tails lowest{};
        alignas(64) Tails latest{};
        alignas(64) LaneNumbers hold_floor{};
        std::uint64_t longer = 0;
        std::vector<std::unique_ptr<Kind>> resources;  // by ResourceId; null: nobody here has or requests any
    };
    // A request of an ask, and the columns of its resource.
    struct Needed {
        const Kind* kind;  // null: nobody here has any
        std::int64_t amount;
    };

    static void fill(std::uint32_t lane, const TailRanges&, Group&);
    std::uint64_t with_reach(std::span<const Needed>, std::uint32_t at, std::uint64_t blocks) const;
    std::uint64_t with_sure(std::span<const Needed>, std::uint32_t at, std::uint64_t blocks) const;
    std::uint64_t not_later(std::uint32_t number, const Group&, std::uint32_t at, std::uint64_t blocks,
                            const VictimCandidate& best) const;
    static bool need_victims(std::span<const Needed>, std::uint32_t at, std::uint32_t lane, std::int64_t victims);
    static std::uint64_t cost_more(const Group&, std::span<const Needed>, std::uint32_t at, std::uint64_t blocks,
                                   std::uint64_t late, const VictimCandidate& best);

    const LaneKernels& kernels_;
    std::vector<std::unique_ptr<Group>> groups_;
};

}  // namespace bayplan
