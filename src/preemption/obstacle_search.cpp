// The victims on a node with obstacles; see obstacle_search.h.
#include "preemption/obstacle_search.h"

#include <algorithm>
#include <span>

#include "base/check.h"
#include "preemption/pod_tails.h"

namespace bayplan {

// Counts the requests that are short.
bool ObstacleSearch::has_room(Slot slot) {
    const NodeBlock& block = tables_.cluster.node_state.block(block_of(slot));
    const std::uint32_t lane = lane_of(slot);
    bool enough = true;
    for (std::size_t k = 0; k < room_.size(); ++k) {
        const ResourceAmount& request = ask_class_.requests[k];
        resources_[k] = pods_->find(request.resource);
        room_[k] = block.unused(lane, request.resource) - block.held_from(lane, request.resource, ask_class_.priority) -
                   request.value + (resources_[k] == nullptr ? 0 : resources_[k]->rest[first_]);
        refusals_.short_of[k] += room_[k] < 0 ? 1 : 0;
        enough = enough && room_[k] >= 0;
    }
    return enough;
}

bool ObstacleSearch::passes_without_pool(Slot slot) {
    if (first_ == pods_->pods.size()) {
        ++refusals_.without_victims;
        return false;
    }
    const Obstacles::Kinds staying = obstacles_.staying(slot, std::span(pods_->pods).subspan(first_));
    if (staying.ports) {
        ++refusals_.ports;
        return false;
    }
    if (!has_room(slot)) {
        return false;
    }
    if (staying.any()) {
        ++(staying.anti_affinity ? refusals_.anti_affinity : refusals_.of_others);
        return false;
    }
    return true;
}

bool ObstacleSearch::spare(std::size_t pod) {
    for (std::size_t k = 0; k < room_.size(); ++k) {
        if (resources_[k] != nullptr && resources_[k]->amount(pod) > room_[k]) {
            return false;
        }
    }
    for (std::size_t k = 0; k < room_.size(); ++k) {
        room_[k] -= resources_[k] == nullptr ? 0 : resources_[k]->amount(pod);
    }
    return true;
}

bool ObstacleSearch::find_victims(Slot slot) {
    pods_ = &tables_.index.made(slot);
    first_ = pods_->first_below(ask_class_.priority);
    victims_.clear();
    violations_ = 0;
    if (!passes_without_pool(slot)) {
        return false;
    }
    violating_.find(*pods_, first_);
    for (const bool violating : {true, false}) {
        for (std::size_t pod = first_; pod < pods_->pods.size(); ++pod) {
            if ((violating_.any() && violating_.at(pod)) == violating &&
                (obstacles_.is_one(pods_->pods[pod], slot) || !spare(pod))) {
                victims_.push_back(pod);
                violations_ += violating ? 1 : 0;
            }
        }
    }
    std::sort(victims_.begin(), victims_.end());
    BP_CHECK(!victims_.empty());
    return true;
}

VictimCost ObstacleSearch::cost() const {
    VictimCost cost;
    cost.budget_violations = violations_;
    cost.count = static_cast<std::uint32_t>(victims_.size());
    cost.highest_priority = pods_->priorities[victims_.front()];
    for (const std::size_t pod : victims_) {
        cost.priority_sum += share_of(pods_->priorities[pod]);
        if (pods_->priorities[pod] == cost.highest_priority) {
            cost.earliest_start_ms = std::min(cost.earliest_start_ms, pods_->starts_ms[pod]);
        }
    }
    return cost;
}

void ObstacleSearch::judge(Slot slot, VictimCandidate& best) {
    if (find_victims(slot)) {
        best.take_if_better({slot, cost()});
    }
}

NodeVictims ObstacleSearch::victims(Slot slot) {
    BP_CHECK(find_victims(slot));
    NodeVictims found{slot, {}, cost()};
    for (const std::size_t pod : victims_) {
        found.victims.push_back(pods_->pods[pod]);
    }
    return found;
}

}  // namespace bayplan
