// Judging 64 nodes at once by their tails; see tail_search.h.
#include "preemption/tail_search.h"

#include <bit>

namespace bayplan {

namespace {

constexpr std::uint32_t kCountMax = 64;  // of victims, for bounds by products of amounts

alignas(64) constexpr BlockTails::Lanes kZeros{};

// The lanes of `lanes` where a - b >= least.
std::uint64_t at_least(const LaneKernels& kernels, const BlockTails::Lanes& a, const BlockTails::Lanes& b,
                       std::int64_t least, std::uint64_t lanes) {
    return kernels.with_room({a.data(), b.data(), kZeros.data(), least}, lanes);
}

template <typename Look>
void for_each_lane(std::uint64_t lanes, Look&& look) {
    for (; lanes != 0; lanes &= lanes - 1) {
        look(static_cast<std::uint32_t>(std::countr_zero(lanes)));
    }
}

}  // namespace

// Tails are part of the pool.
std::uint64_t TailSearch::below_own_priority(const BlockTails& tails, std::uint32_t at, std::uint64_t lanes) const {
    lanes &= tails.at_least[at];
    if (tails.highest < ask_class_.priority || lanes == 0) {
        return lanes;
    }
    return at_least(kernels_, kZeros, tails.priority[at], 1 - std::int64_t{ask_class_.priority}, lanes);
}

// Without the tail the ask fits.
std::uint64_t TailSearch::fitting(const BlockTails& tails, std::uint32_t at, std::uint64_t lanes) const {
    for (const ResourceAmount& request : ask_class_.requests) {
        const BlockTails::Kind* const resource = tails.resource(request.resource);
        if (resource == nullptr || resource->reach[at] < request.value || lanes == 0) {
            return 0;
        }
        lanes = at_least(kernels_, resource->rest[at], resource->lack, request.value, lanes);
    }
    return lanes;
}

// Nodes where fewer victims than this cannot suffice, if all of them are in the tails.
std::uint64_t TailSearch::with_victims(const BlockTails& tails, std::int64_t count, std::uint64_t lanes) const {
    std::uint64_t found = 0;
    for (const ResourceAmount& request : ask_class_.requests) {
        const BlockTails::Kind& resource = *tails.resource(request.resource);
        found |= at_least(kernels_, resource.lack, kZeros, (count - 1) * resource.largest - request.value + 1,
                          lanes & ~found);
    }
    return found;
}

// For nodes whose first victim is the first of this tail: the lanes that may cost no more than the best so far. That
// pod's priority is the highest of the victims, and none of them, if of that priority, starts later.
std::uint64_t TailSearch::promising(const BlockTails& tails, std::uint32_t at, std::uint64_t lanes, Slot first,
                                    const VictimCandidate& best) const {
    const std::int64_t highest = best.cost.highest_priority;
    lanes = at_least(kernels_, kZeros, tails.priority[at], -highest, lanes);
    const std::uint64_t equal = lanes & ~at_least(kernels_, kZeros, tails.priority[at], 1 - highest, lanes);
    if (equal == 0 || best.cost.count > kCountMax) {
        return lanes;
    }
    const std::int64_t count = best.cost.count;
    const std::int64_t lowest = share_of(tails.lowest[0]);
    std::uint64_t worse = 0;
    if ((count - 1) * lowest + share_of(highest) >= best.cost.priority_sum) {
        const std::int64_t latest = best.cost.earliest_start_ms;
        const bool ties_lose = raw(first) > raw(best.slot);
        const bool all_lose = ties_lose && latest == INT64_MAX;
        const std::uint64_t early =
            all_lose ? equal
                     : equal & ~at_least(kernels_, tails.start[at], kZeros, latest + (ties_lose ? 1 : 0), equal);
        worse = with_victims(tails, count, early);
    }
    if (const std::uint64_t left = equal & ~worse;
        left != 0 && count * lowest + share_of(highest) > best.cost.priority_sum) {
        worse |= with_victims(tails, count + 1, left);
    }
    return lanes & ~worse;
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

// As promising(), of one node: its first victim is known, the others are no larger than its largest pod.
bool TailSearch::hopeless(const BlockTails& tails, std::uint32_t at, Slot slot, const VictimCandidate& best) const {
    const std::uint32_t lane = lane_of(slot);
    if (best.slot == kNone<Slot> || best.cost.count > kCountMax ||
        tails.priority[at][lane] != best.cost.highest_priority) {
        return false;
    }
    const auto others_max = static_cast<std::int64_t>(best.cost.count) - 1;  // of the best so far
    bool as_many = others_max == 0;
    bool more = false;
    for (const ResourceAmount& request : ask_class_.requests) {
        const BlockTails::Kind& resource = *tails.resource(request.resource);
        const std::int64_t shorter = at == 0 ? 0 : resource.rest[at - 1][lane];
        const std::int64_t by_others = resource.lack[lane] + request.value - (resource.rest[at][lane] - shorter);
        as_many = as_many || by_others > (others_max - 1) * resource.most[lane];
        more = more || by_others > others_max * resource.most[lane];
    }
    const std::int64_t each = share_of(tails.priority[0][lane]);
    const std::int64_t first = share_of(best.cost.highest_priority);
    if (more && first + (others_max + 1) * each > best.cost.priority_sum) {
        return true;
    }
    const std::int64_t latest = best.cost.earliest_start_ms;
    const bool starts_lose =
        tails.start[at][lane] < latest || (tails.start[at][lane] == latest && raw(slot) > raw(best.slot));
    return as_many && first + others_max * each >= best.cost.priority_sum && starts_lose;
}

// Nodes with holds that the ask need not respect, all of which `lack` counts.
std::uint64_t TailSearch::apart(const NodeBlock& block) const {
    if (ask_class_.priority < block.hold_floor) {
        return 0;
    }
    std::uint64_t lanes = 0;
    for (const auto& [lane, list] : block.holds) {
        for (const HeldAmount& hold : *list) {
            lanes |= ask_class_.priority >= hold.kept_from_below ? std::uint64_t{1} << lane : 0;
        }
    }
    return lanes;
}

void TailSearch::judge(const BlockTails& tails, std::uint32_t at, Slot slot, VictimCandidate& best) {
    const std::uint32_t lane = lane_of(slot);
    if (!all_go(tails, at, lane)) {
        if (!hopeless(tails, at, slot, best)) {
            judge_pods(slot, best);
        }
        return;
    }
    ++judged_by_columns_;
    best.take_if_better({slot,
                         {.budget_violations = 0,
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

void TailSearch::look(std::uint32_t number, std::uint64_t lanes, VictimCandidate& best) {
    const BlockTails& tails = tails_.block(number);
    const std::uint64_t by_pods = lanes & apart(state_.block(number));
    std::uint64_t open = lanes & ~by_pods;
    for (std::uint32_t at = 0; at < BlockTails::kTails && open != 0; ++at) {
        open = below_own_priority(tails, at, open);
        if (best.slot != kNone<Slot> && tails.lowest[at] > best.cost.highest_priority) {
            open = 0;
        }
        std::uint64_t fits = fitting(tails, at, open);
        open &= ~fits;
        if (fits != 0 && best.slot != kNone<Slot>) {
            fits = promising(tails, at, fits, slot_at(number, 0), best);
        }
        for_each_lane(fits, [&](std::uint32_t lane) { judge(tails, at, slot_at(number, lane), best); });
    }
    for_each_lane(open & tails.longer, [&](std::uint32_t lane) {
        // The node's other pods have no less than the longest tail's priority.
        if (best.slot == kNone<Slot> || tails.priority[BlockTails::kTails - 1][lane] <= best.cost.highest_priority) {
            judge_pods(slot_at(number, lane), best);
        }
    });
    for_each_lane(by_pods, [&](std::uint32_t lane) { judge_pods(slot_at(number, lane), best); });
}

}  // namespace bayplan
