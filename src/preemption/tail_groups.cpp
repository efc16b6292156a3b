// See tail_groups.h.
#include "preemption/tail_groups.h"

#include <algorithm>
#include <array>

#include "base/bits.h"
#include "preemption/amount_search.h"
#include "preemption/pod_tails.h"
#include "preemption/victim_bounds.h"

namespace bayplan {

namespace {

constexpr std::uint64_t kAll = ~std::uint64_t{0};

}  // namespace

TailGroups::Kind::Kind() {
    for (LaneNumbers& lanes : reach) {
        lanes.fill(INT64_MIN);
    }
    for (LaneNumbers& lanes : sure) {
        lanes.fill(INT64_MIN);
    }
    least_lack.fill(INT64_MIN);
}

void TailGroups::keep(std::uint32_t block, const BlockTails& tails, const TailRanges& ranges, std::int64_t hold_floor) {
    static_assert(kTails == TailRanges::kTails);
    const std::uint32_t number = block / kLanes;
    const std::uint32_t lane = block % kLanes;
    while (groups_.size() <= number) {
        groups_.push_back(std::make_unique<Group>());
    }
    Group& group = *groups_[number];
    fill(lane, ranges, group);
    group.hold_floor[lane] = hold_floor;
    group.longer = (group.longer & ~(std::uint64_t{1} << lane)) | std::uint64_t{tails.longer != 0} << lane;
}

void TailGroups::fill(std::uint32_t lane, const TailRanges& ranges, Group& group) {
    for (std::uint32_t at = 0; at < kTails; ++at) {
        group.lowest[at][lane] = ranges.lowest[at];
        group.latest[at][lane] = ranges.latest[at];
    }
    group.resources.resize(std::max(group.resources.size(), ranges.resources.size()));
    for (std::size_t number = 0; number < ranges.resources.size(); ++number) {
        if (!ranges.resources[number]) {
            continue;
        }
        std::unique_ptr<Kind>& kind = group.resources[number];
        if (!kind) {
            kind = std::make_unique<Kind>();
        }
        const TailRanges::Kind& here = *ranges.resources[number];
        for (std::uint32_t at = 0; at < kTails; ++at) {
            kind->reach[at][lane] = here.reach[at];
            kind->sure[at][lane] = here.sure[at];
            kind->least_rest[at][lane] = here.least_rest[at];
        }
        kind->largest[lane] = here.largest;
        kind->least_lack[lane] = here.least_lack;
    }
}

// The tail makes room on some node of the block.
std::uint64_t TailGroups::with_reach(std::span<const Needed> needed, std::uint32_t at, std::uint64_t blocks) const {
    for (const Needed& one : needed) {
        blocks = one.kind == nullptr || blocks == 0
                     ? 0
                     : at_least(kernels_, one.kind->reach[at], kZeroLanes, one.amount, blocks);
    }
    return blocks;
}

// It does on each that has so many pods.
std::uint64_t TailGroups::with_sure(std::span<const Needed> needed, std::uint32_t at, std::uint64_t blocks) const {
    for (const Needed& one : needed) {
        blocks = blocks == 0 ? 0 : at_least(kernels_, one.kind->sure[at], kZeroLanes, one.amount, blocks);
    }
    return blocks;
}

// The latest first victim of any node started before the best's, or as early, all slots coming behind it.
std::uint64_t TailGroups::not_later(std::uint32_t number, const Group& group, std::uint32_t at, std::uint64_t blocks,
                                    const VictimCandidate& best) const {
    const std::uint32_t of_best = block_of(best.slot);
    const std::uint32_t lane = of_best % kLanes;
    const std::uint64_t above = lane == kLanes - 1 ? 0 : kAll << (lane + 1);
    const std::uint64_t behind = number > of_best / kLanes ? kAll : number < of_best / kLanes ? 0 : above;
    const std::int64_t start = best.cost.earliest_start_ms;
    const std::uint64_t as_late = at_least(kernels_, group.latest[at], kZeroLanes, start, blocks);
    const std::uint64_t later =
        start == INT64_MAX ? 0 : at_least(kernels_, group.latest[at], kZeroLanes, start + 1, blocks);
    return blocks & ~later & (behind | ~as_late);
}

bool TailGroups::need_victims(std::span<const Needed> needed, std::uint32_t at, std::uint32_t lane,
                              std::int64_t victims) {
    return bayplan::need_victims(needed.size(), at > 0, victims, [&](std::size_t k) {
        const Kind& kind = *needed[k].kind;
        const std::uint32_t shorter = at == 0 ? 0 : at - 1;
        return VictimBound{needed[k].amount, kind.largest[lane], kind.least_lack[lane], kind.sure[shorter][lane],
                           kind.least_rest[shorter][lane]};
    });
}

// As many victims cost as much as the best's: blocks of `late` may win by starts. More victims cost more.
std::uint64_t TailGroups::cost_more(const Group& group, std::span<const Needed> needed, std::uint32_t at,
                                    std::uint64_t blocks, std::uint64_t late, const VictimCandidate& best) {
    const std::int64_t count = best.cost.count;
    std::uint64_t found = 0;
    for_each_bit(blocks, [&](std::uint32_t lane) {
        const std::int64_t each = share_of(group.lowest[0][lane]);
        const std::int64_t alike = share_of(best.cost.highest_priority) + (count - 1) * each;
        const bool starts_decide = alike >= best.cost.priority_sum && (late >> lane & 1) == 0;
        const bool costs = (starts_decide && need_victims(needed, at, lane, count)) ||
                           (alike + each > best.cost.priority_sum && need_victims(needed, at, lane, count + 1));
        found |= std::uint64_t{costs} << lane;
    });
    return found;
}

// From the shortest tail on: blocks where no node makes room with it go on to the next.
std::uint64_t TailGroups::lost(std::uint32_t number, const AskClass& ask_class, const VictimCandidate& best) const {
    if (number >= groups_.size() || ask_class.requests.size() > BlockRefusals::kRequestsMax) {
        return 0;
    }
    const Group& group = *groups_[number];
    std::array<Needed, BlockRefusals::kRequestsMax> kinds{};
    for (std::size_t at = 0; at < ask_class.requests.size(); ++at) {
        const auto& [resource, amount] = ask_class.requests[at];
        kinds[at] = {raw(resource) < group.resources.size() ? group.resources[raw(resource)].get() : nullptr, amount};
    }
    const std::span<const Needed> needed(kinds.data(), ask_class.requests.size());
    std::uint64_t open = ~at_least(kernels_, kZeroLanes, group.hold_floor, -std::int64_t{ask_class.priority}, kAll);
    std::uint64_t lost = 0;
    for (std::uint32_t at = 0; at < kTails && open != 0; ++at) {
        const std::uint64_t too_important =
            at_least(kernels_, group.lowest[at], kZeroLanes, best.cost.highest_priority + 1, open);
        lost |= too_important;
        open &= ~too_important;
        const std::uint64_t fits = with_reach(needed, at, open);
        if (fits == 0) {
            continue;
        }
        const std::uint64_t important =
            at_least(kernels_, group.lowest[at], kZeroLanes, best.cost.highest_priority, fits);
        const std::uint64_t late = important & ~not_later(number, group, at, important, best);
        const std::uint64_t lose = cost_more(group, needed, at, important, late, best);
        const std::uint64_t whole = with_sure(needed, at, lose);
        lost |= whole;
        open &= ~(fits & ~lose) & ~whole;
    }
    return lost | (open & ~group.longer);
}

}  // namespace bayplan
