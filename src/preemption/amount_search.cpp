#include "preemption/amount_search.h"

#include <algorithm>
#include <map>

#include "base/check.h"

namespace bayplan {

namespace {

// What a victim adds to the sum that nodes are compared by: never negative.
constexpr std::int64_t share_of(std::int32_t priority) { return priority + (std::int64_t{1} << 31); }

}  // namespace

AmountSearch::AmountSearch(const Tables& tables, const AskClass& ask_class)
    : tables_(tables),
      ask_class_(ask_class),
      free_(ask_class.requests.size()),
      kinds_(ask_class.requests.size()),
      room_(ask_class.requests.size()),
      short_of_(ask_class.requests.size()) {}

void AmountSearch::run(std::span<const Slot> slots, std::vector<NodeVictims>* all) {
    for (const Slot slot : slots) {
        judge(slot, all);
    }
}

bool AmountSearch::fits_without(std::size_t from) const {
    for (std::size_t k = 0; k < free_.size(); ++k) {
        if (free_[k] + (kinds_[k] == nullptr ? 0 : kinds_[k]->rest[from]) < 0) {
            return false;
        }
    }
    return true;
}

// All pods before it can stay: without them and it the ask would not fit.
std::size_t AmountSearch::first_victim(const Node& node) const {
    // From the end: few pods go, and the ask does not fit with all of them there.
    std::size_t from = node.pods->pods.size() - 1;
    while (!fits_without(from)) {
        BP_CHECK(from > node.first);
        --from;
    }
    return from;
}

bool AmountSearch::spare(std::size_t pod) {
    for (std::size_t k = 0; k < room_.size(); ++k) {
        if (kinds_[k] != nullptr && kinds_[k]->amounts[pod] > room_[k]) {
            return false;
        }
    }
    for (std::size_t k = 0; k < room_.size(); ++k) {
        room_[k] -= kinds_[k] == nullptr ? 0 : kinds_[k]->amounts[pod];
    }
    return true;
}

bool AmountSearch::reprieve(const Node& node, std::size_t from, std::int64_t sum_max) {
    for (std::size_t k = 0; k < room_.size(); ++k) {
        room_[k] = free_[k] + (kinds_[k] == nullptr ? 0 : kinds_[k]->rest[from]);
    }
    std::int64_t sum = 0;
    for (std::size_t pod = from; pod < node.pods->pods.size(); ++pod) {
        if (!spare(pod)) {
            victims_.push_back(pod);
            sum += share_of(node.pods->priorities[pod]);
            if (sum > sum_max) {
                return false;
            }
        }
    }
    return true;
}

void AmountSearch::reprieve_by_budgets(const Node& node) {
    const std::size_t count = node.pods->pods.size();
    violating_.assign(count, false);
    std::map<const PodBudget*, std::int64_t> left;
    for (std::size_t pod = node.first; pod < count; ++pod) {
        const Ask& ask = tables_.asks[node.pods->pods[pod]];
        for (const PodBudget* budget : tables_.budgets.covering(tables_.specs[ask.spec], ask.key)) {
            violating_[pod] = --left.try_emplace(budget, budget->disruptions_allowed).first->second < 0 || violating_[pod];
        }
    }
    for (std::size_t k = 0; k < room_.size(); ++k) {
        room_[k] = free_[k] + (kinds_[k] == nullptr ? 0 : kinds_[k]->rest[node.first]);
    }
    for (const bool violating : {true, false}) {
        for (std::size_t pod = node.first; pod < count; ++pod) {
            if (violating_[pod] == violating && !spare(pod)) {
                victims_.push_back(pod);
                violations_ += violating ? 1 : 0;
            }
        }
    }
    std::sort(victims_.begin(), victims_.end());
}

VictimCost AmountSearch::cost_of(const Node& node) const {
    VictimCost cost;
    cost.budget_violations = violations_;
    cost.count = static_cast<std::uint32_t>(victims_.size());
    cost.highest_priority = node.pods->priorities[victims_.front()];
    for (const std::size_t pod : victims_) {
        const std::int32_t priority = node.pods->priorities[pod];
        cost.priority_sum += share_of(priority);
        if (priority == cost.highest_priority) {
            cost.earliest_start_ms = std::min(cost.earliest_start_ms, node.pods->starts_ms[pod]);
        }
    }
    return cost;
}

NodeVictims AmountSearch::result(const Node& node, const VictimCost& cost) const {
    NodeVictims found{node.slot, {}, cost};
    for (const std::size_t pod : victims_) {
        found.victims.push_back(node.pods->pods[pod]);
    }
    return found;
}

void AmountSearch::judge(Slot slot, std::vector<NodeVictims>* all) {
    Node node{slot, &tables_.index.at(slot), 0};
    node.first = node.pods->first_below(ask_class_.priority);
    if (node.first == node.pods->pods.size()) {
        ++without_victims_;
        return;
    }
    const NodeBlock& block = tables_.node_state.block(block_of(slot));
    const std::uint32_t lane = lane_of(slot);
    bool possible = true;
    for (std::size_t k = 0; k < free_.size(); ++k) {
        const KindAmount& request = ask_class_.requests[k];
        kinds_[k] = node.pods->find(request.kind);
        const KindColumns* const columns = block.columns(request.kind);
        free_[k] = (columns == nullptr ? 0
                                       : columns->capacity[lane] - columns->used[lane] - columns->foreign[lane]) -
                   block.held_from(lane, request.kind, ask_class_.priority) - request.value;
        const bool enough = free_[k] + (kinds_[k] == nullptr ? 0 : kinds_[k]->rest[node.first]) >= 0;
        short_of_[k] += enough ? 0 : 1;
        possible = possible && enough;
    }
    if (!possible) {
        return;
    }
    victims_.clear();
    violations_ = 0;
    if (tables_.budgets.empty()) {
        const std::size_t from = first_victim(node);
        const bool known = all == nullptr && best_;
        const std::int32_t highest = node.pods->priorities[from];
        if (known && highest > best_->cost.highest_priority) {
            return;
        }
        const bool tied = known && highest == best_->cost.highest_priority;
        if (!reprieve(node, from, tied ? best_->cost.priority_sum : INT64_MAX)) {
            return;
        }
    } else {
        reprieve_by_budgets(node);
    }
    const VictimCost cost = cost_of(node);
    if (all != nullptr) {
        all->push_back(result(node, cost));
    }
    // In order of slots: of equals the first stands.
    if (!best_ || cost.better_than(best_->cost)) {
        best_ = result(node, cost);
    }
}

}  // namespace bayplan
