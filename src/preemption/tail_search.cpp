// Judging 64 nodes at once by their tails; see tail_search.h.
#include "preemption/tail_search.h"

#include <algorithm>
#include <bit>

#include "preemption/victim_bounds.h"

namespace bayplan {

namespace {

constexpr std::uint32_t kCountMax = TailGroups::kCountMax;  // of victims, for bounds by products of amounts

// By ranges: the tail makes room on some node of the block, or on each that has so many pods.
bool some_fit(const AskClass& ask_class, const TailRanges& ranges, std::uint32_t at) {
    return std::all_of(ask_class.requests.begin(), ask_class.requests.end(), [&](const ResourceAmount& request) {
        const TailRanges::Kind* const resource = ranges.resource(request.resource);
        return resource != nullptr && resource->reach[at] >= request.value;
    });
}

bool all_fit(const AskClass& ask_class, const TailRanges& ranges, std::uint32_t at) {
    return std::all_of(ask_class.requests.begin(), ask_class.requests.end(), [&](const ResourceAmount& request) {
        return ranges.resource(request.resource)->sure[at] >= request.value;
    });
}

template <typename Look>
void for_each_lane(std::uint64_t lanes, Look&& look) {
    for (; lanes != 0; lanes &= lanes - 1) {
        look(static_cast<std::uint32_t>(std::countr_zero(lanes)));
    }
}

}  // namespace

// Tails are part of the pool.
std::uint64_t TailSearch::below_own_priority(const Look& look, std::uint32_t at, std::uint64_t lanes) const {
    const BlockTails& tails = look.tails;
    lanes &= tails.at_least[at];
    if (look.ranges.highest < ask_class_.priority || lanes == 0) {
        return lanes;
    }
    return at_least(kernels_, kZeroLanes, tails.priority[at], 1 - std::int64_t{ask_class_.priority}, lanes);
}

// Without the tail the ask fits. All of these nodes have so many pods.
std::uint64_t TailSearch::fitting(const Look& look, std::uint32_t at, std::uint64_t lanes) const {
    for (const ResourceAmount& request : ask_class_.requests) {
        const TailRanges::Kind* const ranges = look.ranges.resource(request.resource);
        if (ranges == nullptr || ranges->reach[at] < request.value || lanes == 0) {
            return 0;
        }
        if (ranges->sure[at] < request.value) {
            const BlockTails::Kind& resource = *look.tails.resource(request.resource);
            lanes = at_least(kernels_, resource.rest[at], resource.lack, request.value, lanes);
        }
    }
    return lanes;
}

// Nodes where fewer victims than this cannot suffice, if all of them are in the tails.
std::uint64_t TailSearch::with_victims(const Look& look, std::int64_t count, std::uint64_t lanes) const {
    std::uint64_t found = 0;
    for (const ResourceAmount& request : ask_class_.requests) {
        const std::int64_t most = (count - 1) * look.ranges.resource(request.resource)->largest;
        found |= at_least(kernels_, look.tails.resource(request.resource)->lack, kZeroLanes, most - request.value + 1,
                          lanes & ~found);
    }
    return found;
}

// The lanes that may be better than the best so far, of nodes whose first victim in the tails is the first of this one.
std::uint64_t TailSearch::promising(const Look& look, std::uint32_t at, std::uint64_t lanes,
                                    const VictimCandidate& best) const {
    const std::int64_t violations = best.cost.budget_violations;
    if (!look.violating) {
        return violations > 0 ? lanes : cheaper_alike(look, at, lanes, best);
    }
    if (violations == 0 || violations > kCountMax) {
        return violations == 0 ? 0 : lanes;
    }
    const std::uint64_t unknown = lanes & look.rough & look.tails.longer;  // victims may lie before the tails
    lanes &= ~unknown;
    const std::uint64_t as_many = with_victims(look, violations, lanes);
    const std::uint64_t alike = as_many & ~with_victims(look, violations + 1, as_many);
    return unknown | (lanes & ~as_many) | (alike == 0 ? 0 : cheaper_alike(look, at, alike, best));
}

// Nodes where one of the most important victims started before the best's, or as early, the node coming behind it. On a stale
// node a pod before the tail may be the first.
std::uint64_t TailSearch::not_later(const Look& look, std::uint32_t at, std::uint64_t lanes,
                                    const VictimCandidate& best) const {
    const std::int64_t latest = best.cost.earliest_start_ms;
    const bool ties_lose = raw(look.first) > raw(best.slot);
    if (ties_lose && latest == INT64_MAX) {
        return lanes;
    }
    const std::int64_t least = latest + (ties_lose ? 1 : 0);
    const std::uint64_t stale = lanes & look.stale;
    const std::uint64_t later = at_least(kernels_, look.tails.start[at], kZeroLanes, least, lanes & ~stale) |
                                (stale == 0 ? 0 : at_least(kernels_, look.tails.newest[at], kZeroLanes, least, stale));
    return lanes & ~later;
}

// Likewise where no fewer budgets are violated than by the best. The first victim's priority is the highest in the tails, and
// none of them, if of that priority, starts later. On a stale node the first victim is that pod or a more important one.
std::uint64_t TailSearch::cheaper_alike(const Look& look, std::uint32_t at, std::uint64_t lanes,
                                        const VictimCandidate& best) const {
    const BlockTails& tails = look.tails;
    const std::int64_t highest = best.cost.highest_priority;
    std::uint64_t equal = lanes;
    if (look.ranges.lowest[at] != highest || look.ranges.highest != highest) {
        lanes = at_least(kernels_, kZeroLanes, tails.priority[at], -highest, lanes);
        equal = lanes & ~at_least(kernels_, kZeroLanes, tails.priority[at], 1 - highest, lanes);
    }
    if (equal == 0 || best.cost.count > kCountMax) {
        return lanes;
    }
    const std::int64_t count = best.cost.count;
    const std::int64_t lowest = share_of(look.ranges.lowest[0]);
    std::uint64_t worse = 0;
    if ((count - 1) * lowest + share_of(highest) >= best.cost.priority_sum) {
        worse = with_victims(look, count, not_later(look, at, equal, best) & ~look.rough);
    }
    if (const std::uint64_t left = equal & ~worse;
        left != 0 && count * lowest + share_of(highest) > best.cost.priority_sum) {
        worse |= with_victims(look, count + 1, left);
    }
    return lanes & ~worse;
}

// Nodes of the block whose first victim is the first of this tail need at least so many: by ranges.
bool TailSearch::need_victims(const Look& look, std::uint32_t at, std::int64_t count) const {
    return bayplan::need_victims(ask_class_.requests.size(), at > 0, count, [&](std::size_t k) {
        const auto& [resource, amount] = ask_class_.requests[k];
        const TailRanges::Kind& ranges = *look.ranges.resource(resource);
        const std::uint32_t shorter = at == 0 ? 0 : at - 1;
        return VictimBound{amount, ranges.largest, ranges.least_lack, ranges.sure[shorter], ranges.least_rest[shorter]};
    });
}

// Likewise: of these nodes only one whose first victim started later than that of the best so far may be better.
bool TailSearch::starts_decide(const Look& look, std::uint32_t at, const VictimCandidate& best) const {
    const std::int64_t others = (best.cost.count - 1) * share_of(look.ranges.lowest[0]);
    return look.ranges.lowest[at] >= best.cost.highest_priority &&
           share_of(best.cost.highest_priority) + others >= best.cost.priority_sum &&
           need_victims(look, at, best.cost.count);
}

// As cheaper_alike(), of all these nodes: none may be better.
bool TailSearch::all_lose(const Look& look, std::uint32_t at, const VictimCandidate& best) const {
    const TailRanges& ranges = look.ranges;
    const std::int64_t latest = best.cost.earliest_start_ms;
    const std::int64_t start = look.stale != 0 ? ranges.newest_of_all[at] : ranges.latest[at];
    const bool starts_lose = start < latest || (start == latest && raw(look.first) > raw(best.slot));
    if (starts_lose && starts_decide(look, at, best)) {
        return true;
    }
    const std::int64_t more = share_of(best.cost.highest_priority) + best.cost.count * share_of(ranges.lowest[0]);
    return ranges.lowest[at] >= best.cost.highest_priority && more > best.cost.priority_sum &&
           need_victims(look, at, best.cost.count + std::int64_t{1});
}

// True if without the tail too little room is left for any of its other pods.
bool TailSearch::all_go(const BlockTails& tails, std::uint32_t at, std::uint32_t lane) const {
    for (const ResourceAmount& request : ask_class_.requests) {
        const BlockTails::Kind& resource = *tails.resource(request.resource);
        if (resource.rest[at][lane] - resource.lack[lane] - request.value < resource.least[at][lane]) {
            return true;
        }
    }
    return false;
}

// True if beside the first victim more than so many others must go, each no larger than the node's largest. The first of the
// tail is the first victim; on a rough or stale node it may be one before the tail, as large as any.
bool TailSearch::needs_others(const Look& look, std::uint32_t at, std::uint32_t lane, std::int64_t count) const {
    const BlockTails& tails = look.tails;
    const bool rough = (look.rough >> lane & 1) != 0;
    const bool stale = (look.stale >> lane & 1) != 0;
    if (rough && (tails.longer >> lane & 1) != 0) {
        return false;
    }
    for (const ResourceAmount& request : ask_class_.requests) {
        const BlockTails::Kind& resource = *tails.resource(request.resource);
        const std::int64_t shorter = at == 0 ? 0 : resource.rest[at - 1][lane];
        const std::int64_t by_first = rough || stale ? resource.most[lane] : resource.rest[at][lane] - shorter;
        const std::int64_t by_others = resource.lack[lane] + request.value - by_first;
        if (by_others > count * resource.most[lane]) {
            return true;
        }
    }
    return false;
}

// As promising(), of one node.
bool TailSearch::hopeless(const Look& look, std::uint32_t at, Slot slot, const VictimCandidate& best) const {
    const BlockTails& tails = look.tails;
    const std::uint32_t lane = lane_of(slot);
    const std::int64_t violations = best.cost.budget_violations;
    if (best.slot == kNone<Slot> || best.cost.count > kCountMax || (!look.violating && violations > 0)) {
        return false;
    }
    if (look.violating && violations > 0) {
        if (needs_others(look, at, lane, violations - 1)) {
            return true;
        }
        if (violations > 1 && !needs_others(look, at, lane, violations - 2)) {
            return false;
        }
    }
    if (tails.priority[at][lane] != best.cost.highest_priority) {
        return tails.priority[at][lane] > best.cost.highest_priority;
    }
    const auto others_max = static_cast<std::int64_t>(best.cost.count) - 1;  // of the best so far
    const std::int64_t each = share_of(tails.priority[0][lane]);
    const std::int64_t first = share_of(best.cost.highest_priority);
    if (first + (others_max + 1) * each > best.cost.priority_sum && needs_others(look, at, lane, others_max)) {
        return true;
    }
    const std::int64_t latest = best.cost.earliest_start_ms;
    const std::int64_t start = (look.stale >> lane & 1) != 0 ? tails.newest[at][lane] : tails.start[at][lane];
    const bool starts_lose =
        (look.rough >> lane & 1) == 0 && (start < latest || (start == latest && raw(slot) > raw(best.slot)));
    return starts_lose && first + others_max * each >= best.cost.priority_sum &&
           (others_max == 0 || needs_others(look, at, lane, others_max - 1));
}

// Nodes whose priority in the list is not below the ask's own.
std::uint64_t TailSearch::at_or_above(const BlockTails::Lanes& priorities, std::uint64_t lanes) const {
    return lanes == 0 ? 0 : at_least(kernels_, priorities, kZeroLanes, ask_class_.priority, lanes);
}

// Nodes that columns say nothing of: with holds that the ask need not respect, all of which `lack` counts; or
// where other pods violate budgets, since some that count are not in the pool.
std::uint64_t TailSearch::apart(std::uint32_t number, const BudgetColumns* columns) const {
    const NodeBlock& block = state_.block(number);
    std::uint64_t lanes = 0;
    if (columns != nullptr && columns->highest_of_all >= ask_class_.priority) {
        lanes = at_or_above(columns->highest, columns->tight);
    }
    if (ask_class_.priority < block.hold_floor) {
        return lanes;
    }
    for (const auto& [lane, list] : block.holds) {
        for (const HeldAmount& hold : *list) {
            lanes |= ask_class_.priority >= hold.kept_from_below ? std::uint64_t{1} << lane : 0;
        }
    }
    return lanes;
}

void TailSearch::judge(const Look& look, std::uint32_t at, Slot slot, VictimCandidate& best) {
    const BlockTails& tails = look.tails;
    const std::uint32_t lane = lane_of(slot);
    if ((look.complete >> lane & 1) == 0 || !all_go(tails, at, lane)) {
        if (!hopeless(look, at, slot, best)) {
            if ((look.stale >> lane & 1) != 0) {
                wanted_.push_back(slot);
            }
            judge_pods(slot, best);
        }
        return;
    }
    ++judged_by_columns_;
    best.take_if_better({slot,
                         {.budget_violations = look.violating ? static_cast<std::int32_t>(at + 1) : 0,
                          .highest_priority = tails.priority[at][lane],
                          .priority_sum = tails.sum[at][lane],
                          .count = at + 1,
                          .earliest_start_ms = tails.earliest[at][lane]}});
}

void TailSearch::judge_pods(Slot slot, VictimCandidate& best) {
    ++judged_by_pods_;
    if (const auto cost = exact_.cost(slot, best.slot == kNone<Slot> ? nullptr : &best.cost)) {
        best.take_if_better({slot, *cost});
    }
}

void TailSearch::look_through(const Look& look, std::uint64_t lanes, VictimCandidate& best) {
    const BlockTails& tails = look.tails;
    const auto by_priority = [&] {  // of the first victim: nothing that comes before it speaks for the node
        return best.slot != kNone<Slot> && !look.violating && best.cost.budget_violations == 0;
    };
    const auto slot_of_lane = [&](std::uint32_t lane) { return static_cast<Slot>(raw(look.first) + lane); };
    std::uint64_t open = lanes;
    // Nodes on which a shorter tail makes room, and which lose, are open still. A longer one costs them more, so they could not
    // win: to leave them out saves looks, a tenth of a search among uneven pods.
    bool some_lost = false;
    for (std::uint32_t at = 0; at < BlockTails::kTails && open != 0; ++at) {
        open = below_own_priority(look, at, open);
        const bool known = by_priority();
        if (known && look.ranges.lowest[at] > best.cost.highest_priority) {
            open = 0;
        }
        if (open == 0 || !some_fit(ask_class_, look.ranges, at)) {
            continue;
        }
        const bool compares = known && best.cost.count <= kCountMax;
        std::uint64_t may_win = open;
        if (compares && all_lose(look, at, best)) {
            may_win = 0;
        } else if (compares && starts_decide(look, at, best)) {
            may_win &= ~not_later(look, at, open, best);
        }
        if (some_lost && may_win != 0) {
            may_win &= ~fitting(look, at - 1, may_win);
        }
        some_lost = may_win != open;
        std::uint64_t fits = fitting(look, at, may_win);
        open = all_fit(ask_class_, look.ranges, at) ? 0 : open & ~fits;
        if (fits != 0 && best.slot != kNone<Slot>) {
            fits = promising(look, at, fits, best);
        }
        for_each_lane(fits, [&](std::uint32_t lane) { judge(look, at, slot_of_lane(lane), best); });
    }
    open &= tails.longer;
    if (some_lost) {
        open &= ~fitting(look, BlockTails::kTails - 1, open);
    }
    for_each_lane(open, [&](std::uint32_t lane) {
        // The node's other pods have no less than the longest tail's priority.
        if (!by_priority() || tails.priority[BlockTails::kTails - 1][lane] <= best.cost.highest_priority) {
            judge_pods(slot_of_lane(lane), best);
        }
    });
}

// Asked once for the blocks of a group (tail_groups.h): where no node is better than the best, none is better than a better one.
bool TailSearch::is_lost(std::uint32_t number, const VictimCandidate& best) {
    const bool known = best.slot != kNone<Slot> && best.cost.budget_violations == 0 && best.cost.count <= kCountMax;
    if (!known || any_budgets_) {
        group_ = UINT32_MAX;
        return false;
    }
    if (number / kLanes != group_) {
        group_ = number / kLanes;
        lost_ = tails_.groups().lost(group_, ask_class_, best);
    }
    return (lost_ >> number % kLanes & 1) != 0;
}

void TailSearch::look_without_violation(std::uint32_t number, std::uint64_t lanes, VictimCandidate& best) {
    if (is_lost(number, best)) {
        return;
    }
    const BudgetColumns* const columns = budget_tails_.block(number);
    const std::uint64_t by_pods = lanes & apart(number, columns);
    const std::uint64_t stale = lanes & ~by_pods & budget_tails_.stale(number);
    look_through({.tails = columns == nullptr ? tails_.block(number) : columns->others,
                  .ranges = columns == nullptr ? tails_.ranges(number) : columns->ranges_of_others,
                  .first = slot_at(number, 0),
                  .complete = ~stale,
                  .stale = stale},
                 lanes & ~by_pods, best);
    for_each_lane(by_pods, [&](std::uint32_t lane) { judge_pods(slot_at(number, lane), best); });
}

void TailSearch::look_with_violation(std::uint32_t number, std::uint64_t lanes, VictimCandidate& best) {
    if (best.slot != kNone<Slot> && best.cost.budget_violations == 0) {
        return;
    }
    const BudgetColumns* const columns = budget_tails_.block(number);
    lanes &= ~apart(number, columns);
    const std::uint64_t stale = lanes & budget_tails_.stale(number);
    for_each_lane(stale, [&](std::uint32_t lane) {
        wanted_.push_back(slot_at(number, lane));
        judge_pods(wanted_.back(), best);
    });
    if (columns == nullptr) {
        return;
    }
    lanes &= columns->tight & ~stale;
    look_through({.tails = columns->violating,
                  .ranges = columns->ranges_of_violating,
                  .first = slot_at(number, 0),
                  .violating = true,
                  .complete = ~columns->mixed,
                  .rough = at_or_above(columns->highest_other, lanes & columns->mixed)},
                 lanes, best);
}

BlockRefusals TailSearch::refusals(std::uint32_t number, std::uint64_t lanes) {
    const std::uint64_t with_pool =
        below_own_priority({.tails = tails_.block(number), .ranges = tails_.ranges(number)}, 0, lanes);
    BlockRefusals refusals;
    refusals.without_victims = static_cast<std::uint8_t>(std::popcount(lanes & ~with_pool));
    for_each_lane(with_pool, [&](std::uint32_t lane) { exact_.count_refusal(slot_at(number, lane), refusals); });
    return refusals;
}

}  // namespace bayplan
