// Sums of the bounds of all scores of a class; see block_bound.h.
#include "placement/block_bound.h"

#include <algorithm>
#include <bit>
#include <limits>

#include "cluster/resources.h"

namespace bayplan {

BoundRules bound_rules(const PredicateSet& predicates, const ScoreSet& scores, ScorePolicy policy) {
    BoundRules rules;
    rules.known = true;
    rules.resources = predicates.has(PredicateId::node_resources_fit);
    rules.unschedulable = predicates.has(PredicateId::node_unschedulable);
    std::int64_t sum = 0;
    for (const WeightedScore& weighted : scores) {
        sum += weighted.weight;
        // A broken line is not bounded, nor are kinds of an operator's choice: their blocks are all judged.
        if (weighted.id == ScoreId::resources_fit && weighted.score->is_bounded()) {
            rules.allocated = policy == ScorePolicy::least_allocated ? AllocatedScore::least : AllocatedScore::most;
            rules.allocated_weight = static_cast<std::uint16_t>(weighted.weight);
        } else if (weighted.id == ScoreId::balanced_allocation) {
            rules.balanced_weight = static_cast<std::uint16_t>(weighted.weight);
        } else {
            rules.known = false;
        }
    }
    rules.known = rules.known && sum <= kBoundedWeights;
    return rules;
}

BlockBound::BlockBound(const BoundRules& rules, const LaneKernels& kernels, const AskClass& ask_class)
    : rules_(rules),
      kernels_(kernels),
      ask_class_(ask_class),
      // A pod that names its node: the name leaves few blocks to judge.
      known_(rules.known && ask_class.required_node == kNone<NameId>),
      any_node_(!rules.unschedulable || ask_class.tolerates_unschedulable),
      respects_holds_(rules.resources && ask_class.cpu_request > 0),
      cpu_code_(room_code(ask_class.cpu_request)) {
    for (const ResourceAmount& request : ask_class.requests) {
        if (rules.resources && raw(request.resource) > raw(kScoredMemory) &&
            raw(request.resource) < ShardBounds::kBoundedResources) {
            needs_[resources_++] = {request.resource, room_code(request.value), nullptr};
        }
    }
}

namespace {

ShareRange range_of(std::int64_t amount, const CapacitySpan& span) {
    return {std::min(kWhole, share_of(amount, span.max)), share_above(amount, span.min)};
}

// The largest share in use that leaves room. Without a request a node may be fuller than full.
std::uint16_t room_for(std::int64_t request, const ShareRange& range) {
    return request == 0 ? UINT16_MAX : static_cast<std::uint16_t>(kWhole - range.low);
}

}  // namespace

void BlockBound::take_spans(const BlockBounds& block) {
    cpu_ = block.cpu;
    memory_ = block.memory;
    impossible_ = rules_.resources && (ask_class_.cpu_request > cpu_.max || ask_class_.memory_request > memory_.max);
    terms_.cpu = range_of(ask_class_.cpu_request, cpu_);
    terms_.memory = range_of(ask_class_.memory_request, memory_);
    const auto own = [](std::int64_t amount, std::int64_t request, ShareRange of_request, const CapacitySpan& span) {
        return amount == request ? of_request : range_of(amount, span);
    };
    terms_.own_cpu = own(ask_class_.own_cpu, ask_class_.cpu_request, terms_.cpu, cpu_);
    terms_.own_memory = own(ask_class_.own_memory, ask_class_.memory_request, terms_.memory, memory_);
    if (rules_.resources) {
        terms_.cpu_max = room_for(ask_class_.cpu_request, terms_.cpu);
        terms_.memory_max = room_for(ask_class_.memory_request, terms_.memory);
    }
    terms_.allocated = rules_.allocated;
    terms_.allocated_weight = rules_.allocated_weight;
    const bool balances = ask_class_.cpu_request > 0 || ask_class_.memory_request > 0;
    terms_.balanced_weight = balances ? rules_.balanced_weight : 0;
}

std::uint32_t BlockBound::put_runs(const ShareRanges& ranges, const BlockRuns& runs, ClassCache& cache) const {
    constexpr std::uint32_t kRunsMax = 64;
    const RangeTerms terms = range_terms(cache.position());
    std::array<std::uint16_t, kRunsMax> changed;
    std::uint32_t sum = 0;
    for (std::uint32_t done = 0; done < runs.count; done += kRunsMax) {
        const BlockRuns part = {std::min(kRunsMax, runs.count - done), runs.first + done * runs.step, runs.step};
        kernels_.range_bounds(ranges.from(done * kBlocksOfRun), terms, part, cache.keys(), changed.data());
        for (std::uint32_t run = 0; run < part.count; ++run) {
            cache.note_rough(part.first + run * part.step, changed[run]);
            sum += static_cast<std::uint32_t>(std::popcount(changed[run]));
        }
    }
    return sum;
}

RangeTerms BlockBound::range_terms(std::uint64_t version) const {
    // Without a request a node may be fuller than full; but there must be one.
    const auto room_for = [&](std::int64_t request) {
        return request == 0 ? kWhole + 1 : rules_.resources ? kWhole : std::numeric_limits<float>::max();
    };
    const bool balances = ask_class_.cpu_request > 0 || ask_class_.memory_request > 0;
    return {.cpu = static_cast<float>(ask_class_.cpu_request),
            .memory = static_cast<float>(ask_class_.memory_request),
            .own_cpu = static_cast<float>(ask_class_.own_cpu),
            .own_memory = static_cast<float>(ask_class_.own_memory),
            .cpu_max = room_for(ask_class_.cpu_request),
            .memory_max = room_for(ask_class_.memory_request),
            .allocated_weight = static_cast<float>(rules_.allocated_weight),
            .balanced_weight = static_cast<float>(balances ? rules_.balanced_weight : 0),
            .version = version};
}

void BlockBound::enter(const ShardBounds& bounds) {
    bounds_ = &bounds;
    for (std::uint32_t at = 0; at < resources_; ++at) {
        needs_[at].rooms = bounds.rooms(needs_[at].resource);
    }
}

std::uint64_t BlockBound::reaching(const ShardBounds& bounds, std::uint32_t index, std::uint64_t allowed,
                                   std::int64_t score) {
    enter(bounds);
    bounds_ = nullptr;
    const BlockBounds& block = bounds.block(index);
    const std::uint64_t lanes = fitting(bounds, index) & allowed;
    if (!known_ || !block.bounded) {
        return lanes;
    }
    if (block.cpu != cpu_ || block.memory != memory_) {
        take_spans(block);
    }
    const ShareLanes& shares = bounds.shares(index);
    const BoundedBlock one = {&shares, block.apart == 0 ? &shares : &bounds.scored_shares(index), lanes};
    return impossible_ ? 0 : kernels_.reaching(one, terms_, static_cast<std::uint16_t>(score + 1));
}

void BlockBound::flush(ClassCache& cache) {
    std::array<std::uint16_t, kTogether> scores;
    if (impossible_) {
        std::fill_n(scores.begin(), listed_, std::uint16_t{0});
    } else if (listed_ > 0) {
        kernels_.score_bounds(blocks_.data(), listed_, terms_, scores.data());
    }
    for (std::uint32_t at = 0; at < listed_; ++at) {
        cache.set_bound(numbers_[at], scores[at] == 0 ? 0 : make_key(scores[at] - 1, slot_at(numbers_[at], 0)));
    }
    bounded_ += listed_;
    listed_ = 0;
}

}  // namespace bayplan
