// Which nodes must be shown anew, and their columns; see budget_tails.h.
#include "preemption/budget_tails.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace bayplan {

namespace {

const IndexedPods kNoneIndexed;

void show_nothing(BlockTails& tails) {
    for (auto& priorities : tails.priority) {
        priorities.fill(BlockTails::kNoPod);
    }
}

}  // namespace

void BudgetTails::note(std::uint32_t number, std::uint64_t lanes) {
    if (number >= blocks_.size() || lanes == 0) {
        return;
    }
    if (blocks_[number].changed == 0) {
        noted_.push_back(number);
    }
    blocks_[number].changed |= lanes;
    blocks_[number].wanted &= ~lanes;
}

// The search that found them stale judged them as they are: nobody need look again.
void BudgetTails::want(std::span<const Slot> nodes) {
    for (const Slot slot : nodes) {
        const std::uint64_t bit = std::uint64_t{1} << lane_of(slot);
        if (const std::uint32_t number = block_of(slot); (blocks_[number].changed & bit) == 0) {
            note(number, bit);
            blocks_[number].wanted |= bit;
        }
    }
}

// A victim that a search kept for the block may violate now.
void BudgetTails::note_stale(std::uint32_t number, std::uint64_t lanes) {
    if (number < stale_.size()) {
        stale_[number] |= lanes;
        log_.append_block(number);
    }
}

// Without budgets nothing is kept; the first one makes all be looked at.
void BudgetTails::start_or_stop() {
    if (in_force_ == !budgets_.empty()) {
        return;
    }
    in_force_ = !in_force_;
    for (std::uint32_t number = 0; number < blocks_.size(); ++number) {
        if (block(number) != nullptr) {
            log_.append_block(number);
        }
    }
    blocks_.clear();
    stale_.clear();
    seen_.clear();
    noted_.clear();
    position_ = 0;
}

// A node is concerned if it has more pods of the budget than were or are left, whichever is less.
void BudgetTails::note_budget(Seen& seen, std::int32_t left, bool same_pods) {
    const bool fell = same_pods && left < seen.left;
    const std::int64_t least = same_pods ? std::min(seen.left, left) : INT32_MIN;
    for (const Place& place : seen.places) {
        if (place.most > least) {
            if (fell) {
                note_stale(place.block, place.lanes);
            } else {
                note(place.block, place.lanes);
            }
        }
    }
}

void BudgetTails::note_budgets() {
    seen_.resize(budgets_.bound());
    for (std::uint32_t number = 0; number < seen_.size(); ++number) {
        const auto id = static_cast<BudgetId>(number);
        Seen& seen = seen_[number];
        const std::int32_t left = std::max(budgets_.left(id), 0);
        const std::uint64_t version = budgets_.disrupted_version(id);
        if (seen.disrupted_version != version || seen.left != left) {
            note_budget(seen, left, seen.disrupted_version == version);
            seen.left = left;
            seen.disrupted_version = version;
        }
    }
}

void BudgetTails::note_coverage() {
    const std::vector<std::uint64_t> nodes = budgets_.take_covered_anew();
    for (std::uint32_t number = 0; number < nodes.size(); ++number) {
        note(number, nodes[number]);
    }
}

void BudgetTails::bring_up_to_date() {
    start_or_stop();
    if (!in_force_) {
        return;
    }
    const NodeState& state = cluster_.node_state;
    blocks_.resize(state.block_count());
    stale_.resize(blocks_.size());
    note_budgets();
    note_coverage();
    state.changed_since(position_, changed_);
    position_ = state.log().head();
    for (const std::uint32_t number : changed_) {
        update(number);
    }
    for (const std::uint32_t number : std::exchange(noted_, {})) {
        if (blocks_[number].changed != 0) {
            update(number);
        }
    }
}

// --- one block

void BudgetTails::update(std::uint32_t number) {
    Block& block = blocks_[number];
    const std::uint64_t present = cluster_.node_state.block(number).present;
    for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
        const bool is_there = (present >> lane & 1) != 0;
        const std::uint64_t version = is_there ? index_.at(slot_at(number, lane)).version : 0;
        if (block.versions[lane] != version) {
            block.versions[lane] = version;
            block.changed |= std::uint64_t{1} << lane;
        }
    }
    if ((block.changed & ~std::exchange(block.wanted, 0)) != 0) {
        log_.append_block(number);
    }
    stale_[number] &= ~block.changed;
    for (std::uint64_t left = std::exchange(block.changed, 0); left != 0; left &= left - 1) {
        show(number, static_cast<std::uint32_t>(std::countr_zero(left)));
    }
    if (block.columns) {
        find_extremes(kernels_, block.columns->others, block.columns->ranges_of_others);
        find_extremes(kernels_, block.columns->violating, block.columns->ranges_of_violating);
        show_lacks(number);
    }
}

void BudgetTails::show_place(BudgetId budget, std::uint32_t block, std::uint32_t lane, std::int64_t pods) {
    std::vector<Place>& places = seen_[raw(budget)].places;
    auto at = std::lower_bound(places.begin(), places.end(), block,
                               [](const Place& place, std::uint32_t number) { return place.block < number; });
    if (at == places.end() || at->block != block) {
        at = places.insert(at, {block, 0, 0});
    }
    at->most = std::max(at->most, static_cast<std::uint32_t>(pods));
    at->lanes |= std::uint64_t{1} << lane;
}

// The pods of a node that violate, or the others.
const IndexedPods& BudgetTails::those(const IndexedPods& pods, bool violating) {
    some_.pods.clear();
    some_.priorities.clear();
    some_.starts_ms.clear();
    for (std::size_t at = 0; at < pods.pods.size(); ++at) {
        if (violating_.at(at) == violating) {
            some_.pods.push_back(pods.pods[at]);
            some_.priorities.push_back(pods.priorities[at]);
            some_.starts_ms.push_back(pods.starts_ms[at]);
        }
    }
    some_.resources.resize(pods.resources.size());
    for (std::size_t k = 0; k < pods.resources.size(); ++k) {
        IndexedPods::Kind& resource = some_.resources[k];
        resource.resource = pods.resources[k].resource;
        resource.rest.assign(some_.pods.size() + 1, 0);
        std::size_t left = some_.pods.size();
        for (std::size_t at = pods.pods.size(); at-- > 0;) {
            if (violating_.at(at) == violating) {
                --left;
                resource.rest[left] = resource.rest[left + 1] + pods.resources[k].amount(at);
            }
        }
    }
    return some_;
}

// Nothing was violated on any of its nodes before.
void BudgetTails::make_columns(std::uint32_t number) {
    blocks_[number].columns = std::make_unique<BudgetColumns>();
    BudgetColumns& columns = *blocks_[number].columns;
    show_nothing(columns.violating);
    show_nothing(columns.others);
    columns.highest.fill(INT64_MIN);
    for (std::uint64_t left = cluster_.node_state.block(number).present; left != 0; left &= left - 1) {
        const auto lane = static_cast<std::uint32_t>(std::countr_zero(left));
        show_pods(index_.at(slot_at(number, lane)), lane, columns.others);
    }
}

void BudgetTails::show_tight(const IndexedPods& pods, std::uint32_t lane, BudgetColumns& columns) {
    const std::uint64_t bit = std::uint64_t{1} << lane;
    columns.tight |= bit;
    columns.highest[lane] = violating_.highest_tight(pods);
    const IndexedPods& others = those(pods, false);
    columns.mixed |= others.pods.empty() ? 0 : bit;
    columns.highest_other[lane] = others.pods.empty() ? INT64_MIN : others.priorities.front();
    show_pods(others, lane, columns.others);
    for (const IndexedPods::Kind& resource : others.resources) {
        columns.sums.resize(std::max<std::size_t>(columns.sums.size(), raw(resource.resource) + 1));
        columns.sums[raw(resource.resource)][lane] = resource.rest[0];
    }
    show_pods(those(pods, true), lane, columns.violating);
}

void BudgetTails::show(std::uint32_t number, std::uint32_t lane) {
    const bool is_there = (cluster_.node_state.block(number).present >> lane & 1) != 0;
    const IndexedPods& pods = is_there ? index_.at(slot_at(number, lane)) : kNoneIndexed;
    violating_.find(pods, 0);
    for (const auto& [budget, count] : violating_.counts()) {
        show_place(budget, number, lane, count);
    }
    if (!blocks_[number].columns && !violating_.any()) {
        return;
    }
    if (!blocks_[number].columns) {
        make_columns(number);
    }
    BudgetColumns& columns = *blocks_[number].columns;
    columns.tight &= ~(std::uint64_t{1} << lane);
    columns.mixed &= ~(std::uint64_t{1} << lane);
    columns.highest[lane] = INT64_MIN;
    for (BlockTails::Lanes& sum : columns.sums) {
        sum[lane] = 0;
    }
    if (violating_.any()) {
        show_tight(pods, lane, columns);
    } else {
        show_pods(pods, lane, columns.others);
        show_pods(kNoneIndexed, lane, columns.violating);
    }
    columns.highest_of_all = *std::max_element(columns.highest.begin(), columns.highest.end());
}

void BudgetTails::show_lacks(std::uint32_t number) {
    BudgetColumns& columns = *blocks_[number].columns;
    const NodeBlock& block = cluster_.node_state.block(number);
    show_lack(block, columns.others);
    find_reach(kernels_, columns.others, columns.ranges_of_others);
    show_lack(block, columns.violating);
    for (std::size_t resource = 0; resource < std::min(columns.sums.size(), block.resources.size()); ++resource) {
        for (std::uint32_t lane = 0; block.resources[resource] && lane < kLanes; ++lane) {
            columns.violating.resources[resource]->lack[lane] -= columns.sums[resource][lane];
        }
    }
    find_reach(kernels_, columns.violating, columns.ranges_of_violating);
}

}  // namespace bayplan
