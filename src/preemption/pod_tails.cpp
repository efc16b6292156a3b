// Filling the columns of a block's least important pods; see pod_tails.h.
#include "preemption/pod_tails.h"

#include <algorithm>
#include <bit>
#include <functional>
#include <utility>

#include "base/bits.h"

namespace bayplan {

namespace {

constexpr std::uint32_t kTails = BlockTails::kTails;
constexpr std::uint64_t kAllLanes = ~std::uint64_t{0};
const IndexedPods kNoPods;

// Of columns or of ranges; made if need be.
template <typename Shown>
auto& resource_of(Shown& shown, ResourceId id) {
    if (raw(id) >= shown.resources.size()) {
        shown.resources.resize(raw(id) + 1);
    }
    auto& resource = shown.resources[raw(id)];
    if (!resource) {
        resource = std::make_unique<typename Shown::Kind>();
    }
    return *resource;
}

void show_amounts(const IndexedPods::Kind& pods, std::size_t count, std::uint32_t lane, BlockTails::Kind& resource) {
    std::int64_t least = INT64_MAX;
    for (std::size_t t = 1; t <= std::min<std::size_t>(count, kTails); ++t) {
        const std::size_t first = count - t;
        resource.rest[t - 1][lane] = pods.rest[first];
        resource.least[t - 1][lane] = least;
        least = std::min(least, pods.amount(first));
    }
    for (std::size_t at = 0; at < count; ++at) {
        resource.most[lane] = std::max(resource.most[lane], pods.amount(at));
    }
}

void clear(std::uint32_t lane, BlockTails::Kind& resource) {
    for (std::uint32_t t = 0; t < kTails; ++t) {
        resource.rest[t][lane] = 0;
        resource.least[t][lane] = 0;
    }
    resource.most[lane] = 0;
}

std::int64_t lack_of(const ResourceColumns& columns, std::uint32_t lane) {
    return columns.used[lane] + columns.foreign[lane] + columns.held[lane] - columns.capacity[lane];
}

// Where a value of `lanes` was the extreme and is none any more: mostly another has the same, which ends the look.
template <typename Value, typename Better>
void find_extreme(std::uint64_t lanes, Value&& value, Better&& better, std::int64_t none, std::int64_t& extreme) {
    const std::int64_t before = std::exchange(extreme, none);
    for (; lanes != 0; lanes &= lanes - 1) {
        const std::int64_t one = value(static_cast<std::uint32_t>(std::countr_zero(lanes)));
        if (one == before) {
            extreme = before;
            return;
        }
        extreme = better(one, extreme) ? one : extreme;
    }
}

// The lane's value has become another.
template <typename Value, typename Better>
void keep_extreme(std::uint64_t lanes, std::int64_t was, std::int64_t now, Value&& value, Better&& better,
                  std::int64_t none, std::int64_t& extreme) {
    if (!better(extreme, now)) {
        extreme = now;
    } else if (was == extreme) {
        find_extreme(lanes, value, better, none, extreme);
    }
}

void change_lack(const BlockTails& tails, std::uint32_t lane, std::int64_t now, BlockTails::Kind& resource,
                 TailRanges::Kind& ranges) {
    const std::int64_t was = std::exchange(resource.lack[lane], now);
    const auto lack = [&](std::uint32_t of) { return resource.lack[of]; };
    keep_extreme(kAllLanes, was, now, lack, std::less<>(), INT64_MAX, ranges.least_lack);
    for (std::uint32_t at = 0; at < kTails; ++at) {
        const auto room = [&](std::uint32_t of) { return resource.rest[at][of] - resource.lack[of]; };
        const std::int64_t rest = resource.rest[at][lane];
        if ((tails.at_least[at] >> lane & 1) != 0) {
            keep_extreme(tails.at_least[at], rest - was, rest - now, room, std::greater<>(), INT64_MIN,
                         ranges.reach[at]);
            keep_extreme(tails.at_least[at], rest - was, rest - now, room, std::less<>(), INT64_MAX, ranges.sure[at]);
        }
    }
}

// Of what pods alone change.
void find_amounts(const LaneKernels& kernels, const BlockTails& tails, const BlockTails::Kind& resource,
                  TailRanges::Kind& ranges) {
    ranges.largest = kernels.range(kAllLanes, resource.most.data()).max;
    for (std::uint32_t t = 0; t < kTails; ++t) {
        ranges.least_rest[t] = kernels.range(tails.at_least[t], resource.rest[t].data()).min;
    }
}

}  // namespace

void find_extremes(const LaneKernels& kernels, const BlockTails& tails, TailRanges& ranges) {
    ranges.highest = INT64_MIN;
    for (std::uint32_t t = 0; t < kTails; ++t) {
        const LaneRange priorities = kernels.range(tails.at_least[t], tails.priority[t].data());
        ranges.lowest[t] = priorities.min;
        ranges.highest = std::max(ranges.highest, priorities.max);
        const std::uint64_t lowest = tails.at_least[t] & kernels.equal(tails.priority[t].data(), priorities.min);
        ranges.latest[t] = kernels.range(lowest, tails.start[t].data()).max;
        ranges.newest_of_all[t] = kernels.range(lowest, tails.newest[t].data()).max;
    }
    for (std::size_t number = 0; number < tails.resources.size(); ++number) {
        if (tails.resources[number]) {
            find_amounts(kernels, tails, *tails.resources[number],
                         resource_of(ranges, static_cast<ResourceId>(number)));
        }
    }
}

namespace {

void show_newest(const IndexedPods& pods, std::uint32_t lane, BlockTails& tails) {
    std::int64_t newest = INT64_MIN;
    for (std::size_t at = 0; at < pods.pods.size(); ++at) {
        const bool first = at == 0 || pods.priorities[at] != pods.priorities[at - 1];
        newest = first ? pods.starts_ms[at] : std::max(newest, pods.starts_ms[at]);
        if (const std::size_t tail = pods.pods.size() - at; tail <= kTails) {
            tails.newest[tail - 1][lane] = newest;
        }
    }
}

}  // namespace

void show_pods(const IndexedPods& pods, std::uint32_t lane, BlockTails& tails) {
    const std::uint64_t bit = std::uint64_t{1} << lane;
    for (const auto& resource : tails.resources) {
        if (resource) {
            clear(lane, *resource);
        }
    }
    const std::size_t count = pods.pods.size();
    for (const IndexedPods::Kind& resource : pods.resources) {
        show_amounts(resource, count, lane, resource_of(tails, resource.resource));
    }
    tails.longer = (tails.longer & ~bit) | (count > kTails ? bit : 0);
    show_newest(pods, lane, tails);
    std::int64_t sum = 0;
    for (std::uint32_t t = 1; t <= kTails; ++t) {
        const std::uint32_t at = t - 1;
        tails.at_least[at] = (tails.at_least[at] & ~bit) | (count >= t ? bit : 0);
        if (count < t) {
            tails.priority[at][lane] = BlockTails::kNoPod;
            continue;
        }
        const std::size_t first = count - t;
        const bool same = t > 1 && pods.priorities[first] == pods.priorities[first + 1];
        sum += share_of(pods.priorities[first]);
        tails.priority[at][lane] = pods.priorities[first];
        tails.sum[at][lane] = sum;
        tails.start[at][lane] = pods.starts_ms[first];
        tails.earliest[at][lane] =
            same ? std::min(tails.earliest[at - 1][lane], pods.starts_ms[first]) : pods.starts_ms[first];
    }
}

bool PodTails::update_pods(const NodeBlock& block, std::uint32_t number, std::uint64_t lanes, BlockTails& tails) {
    bool changed = false;
    for_each_bit(lanes, [&](std::uint32_t lane) {
        const Slot slot = slot_at(number, lane);
        const bool present = (block.present >> lane & 1) != 0;
        // Asked for even if the columns show it: a new node may be in the place of one with other pods.
        const IndexedPods& pods = present ? index_.at(slot) : kNoPods;
        const std::uint64_t version = present ? pods.version : 0;
        if (tails.versions[lane] != version) {
            tails.versions[lane] = version;
            show_pods(pods, lane, tails);
            changed = true;
        }
    });
    return changed;
}

void show_lack(const NodeBlock& block, BlockTails& tails) {
    for (std::uint32_t number = 0; number < block.resources.size(); ++number) {
        if (!block.resources[number]) {
            continue;
        }
        const ResourceColumns& columns = *block.resources[number];
        BlockTails::Lanes& lack = resource_of(tails, static_cast<ResourceId>(number)).lack;
        for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
            lack[lane] = lack_of(columns, lane);
        }
    }
}

void find_reach(const LaneKernels& kernels, const BlockTails& tails, TailRanges& ranges) {
    for (std::size_t number = 0; number < tails.resources.size(); ++number) {
        if (!tails.resources[number]) {
            continue;
        }
        const BlockTails::Kind& resource = *tails.resources[number];
        TailRanges::Kind& found = resource_of(ranges, static_cast<ResourceId>(number));
        found.least_lack = kernels.range(kAllLanes, resource.lack.data()).min;
        for (std::uint32_t t = 0; t < kTails; ++t) {
            const LaneRange room =
                kernels.range_of_difference(tails.at_least[t], resource.rest[t].data(), resource.lack.data());
            found.reach[t] = room.max;
            found.sure[t] = room.min;
        }
    }
}

void show_lack_and_reach(const NodeBlock& block, std::uint64_t lanes, BlockTails& tails, TailRanges& ranges) {
    for (std::uint32_t number = 0; number < block.resources.size(); ++number) {
        if (!block.resources[number]) {
            continue;
        }
        BlockTails::Kind& resource = resource_of(tails, static_cast<ResourceId>(number));
        TailRanges::Kind& found = resource_of(ranges, static_cast<ResourceId>(number));
        for_each_bit(lanes, [&](std::uint32_t lane) {
            const std::int64_t now = lack_of(*block.resources[number], lane);
            if (now != resource.lack[lane]) {
                change_lack(tails, lane, now, resource, found);
            }
        });
    }
}

void PodTails::update(std::uint32_t number, std::uint64_t lanes) {
    const NodeBlock& block = state_.block(number);
    BlockTails& tails = *blocks_[number];
    if (update_pods(block, number, lanes, tails)) {
        find_extremes(kernels_, tails, ranges_[number]);
        show_lack(block, tails);
        find_reach(kernels_, tails, ranges_[number]);
    } else {
        show_lack_and_reach(block, lanes, tails, ranges_[number]);
    }
    groups_.keep(number, tails, ranges_[number], block.hold_floor);
}

// The pods of other nodes are as they were; asking each of them would cost more than the rest.
void PodTails::find_changed_lanes() {
    const ChangeLog& log = state_.log();
    changed_lanes_.resize(blocks_.size());
    const bool known = log.reaches_back_to(position_);
    for (const std::uint32_t number : changed_) {
        changed_lanes_[number] = known ? 0 : ~std::uint64_t{0};
    }
    for (std::uint64_t position = log.head(); known && position > position_; --position) {
        changed_lanes_[log.block_at(position)] |= log.lanes_at(position);
    }
}

void PodTails::bring_up_to_date() {
    while (blocks_.size() < state_.block_count()) {
        blocks_.push_back(std::make_unique<BlockTails>());
        blocks_.back()->versions.fill(UINT64_MAX);
    }
    ranges_.resize(blocks_.size());
    state_.changed_since(position_, changed_);
    find_changed_lanes();
    for (const std::uint32_t number : changed_) {
        update(number, changed_lanes_[number]);
    }
    position_ = state_.log().head();
}

}  // namespace bayplan
