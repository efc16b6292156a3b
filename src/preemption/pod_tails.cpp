// Filling the columns of a block's least important pods; see pod_tails.h.
#include "preemption/pod_tails.h"

#include <algorithm>
#include <bit>

namespace bayplan {

namespace {

constexpr std::uint32_t kTails = BlockTails::kTails;
const IndexedPods kNoPods;

void show_amounts(const IndexedPods::Kind& pods, std::size_t count, std::uint32_t lane, BlockTails::Kind& resource) {
    std::int64_t least = INT64_MAX;
    for (std::size_t t = 1; t <= std::min<std::size_t>(count, kTails); ++t) {
        const std::size_t first = count - t;
        resource.rest[t - 1][lane] = pods.rest[first];
        resource.least[t - 1][lane] = least;
        const std::int64_t amount = pods.amount(first);
        least = std::min(least, amount);
        resource.most[lane] = std::max(resource.most[lane], amount);
    }
}

void clear(std::uint32_t lane, BlockTails::Kind& resource) {
    for (std::uint32_t t = 0; t < kTails; ++t) {
        resource.rest[t][lane] = 0;
        resource.least[t][lane] = 0;
    }
    resource.most[lane] = 0;
}

}  // namespace

BlockTails::Kind& resource_of(BlockTails& tails, ResourceId id) {
    if (raw(id) >= tails.resources.size()) {
        tails.resources.resize(raw(id) + 1);
    }
    if (!tails.resources[raw(id)]) {
        tails.resources[raw(id)] = std::make_unique<BlockTails::Kind>();
    }
    return *tails.resources[raw(id)];
}

void find_extremes(BlockTails& tails) {
    tails.highest = INT64_MIN;
    for (std::uint32_t t = 0; t < kTails; ++t) {
        tails.lowest[t] = *std::min_element(tails.priority[t].begin(), tails.priority[t].end());
        for (std::uint64_t left = tails.at_least[t]; left != 0; left &= left - 1) {
            tails.highest =
                std::max(tails.highest, tails.priority[t][static_cast<std::size_t>(std::countr_zero(left))]);
        }
    }
    for (const auto& resource : tails.resources) {
        if (resource) {
            resource->largest = *std::max_element(resource->most.begin(), resource->most.end());
        }
    }
}

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

bool PodTails::update_pods(const NodeBlock& block, std::uint32_t number, BlockTails& tails) {
    bool changed = false;
    for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
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
    }
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
            lack[lane] = columns.used[lane] + columns.foreign[lane] + columns.held[lane] - columns.capacity[lane];
        }
    }
}

void find_reach(BlockTails& tails) {
    for (const auto& resource : tails.resources) {
        for (std::uint32_t t = 0; resource && t < kTails; ++t) {
            std::int64_t reach = INT64_MIN;
            for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
                reach = std::max(reach, resource->rest[t][lane] - resource->lack[lane]);
            }
            resource->reach[t] = reach;
        }
    }
}

void PodTails::update(std::uint32_t number) {
    const NodeBlock& block = state_.block(number);
    BlockTails& tails = *blocks_[number];
    if (update_pods(block, number, tails)) {
        find_extremes(tails);
    }
    show_lack(block, tails);
    find_reach(tails);
}

void PodTails::bring_up_to_date() {
    while (blocks_.size() < state_.block_count()) {
        blocks_.push_back(std::make_unique<BlockTails>());
        blocks_.back()->versions.fill(UINT64_MAX);
    }
    state_.changed_since(position_, changed_);
    for (const std::uint32_t number : changed_) {
        update(number);
    }
    position_ = state_.log().head();
}

}  // namespace bayplan
