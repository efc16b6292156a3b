// Victims found by sums of amounts alone; see amount_search.h.
#include "preemption/amount_search.h"

#include <algorithm>

#include "base/check.h"
#include "preemption/pod_tails.h"

namespace bayplan {

AmountSearch::AmountSearch(const Tables& tables, const AskClass& ask_class)
    : tables_(tables),
      ask_class_(ask_class),
      any_gangs_(tables.gangs.any_below(ask_class.priority)),
      free_(ask_class.requests.size()),
      resources_(ask_class.requests.size()),
      room_(ask_class.requests.size()),
      violating_(tables.cluster.asks, tables.budgets),
      short_of_(ask_class.requests.size()) {}

bool AmountSearch::fits_without(std::size_t from) const {
    for (std::size_t k = 0; k < free_.size(); ++k) {
        if (free_[k] + (resources_[k] == nullptr ? 0 : resources_[k]->rest[from]) < 0) {
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
        if (resources_[k] != nullptr && resources_[k]->amount(pod) > room_[k]) {
            return false;
        }
    }
    for (std::size_t k = 0; k < room_.size(); ++k) {
        room_[k] -= resources_[k] == nullptr ? 0 : resources_[k]->amount(pod);
    }
    return true;
}

bool AmountSearch::reprieve(const Node& node, std::size_t from, std::int64_t sum_max) {
    for (std::size_t k = 0; k < room_.size(); ++k) {
        room_[k] = free_[k] + (resources_[k] == nullptr ? 0 : resources_[k]->rest[from]);
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

// Pods that their gangs cannot spare violate, too.
void AmountSearch::add_violating_gangs(const Node& node) {
    GangBudgets::Left of_gangs = tables_.gangs.all();
    for (std::size_t pod = node.first; pod < node.pods->pods.size(); ++pod) {
        if (of_gangs.exceeded_by(node.pods->pods[pod])) {
            violating_.add(*node.pods, pod);
        }
    }
}

// Which pods violate was found.
void AmountSearch::reprieve_by_budgets(const Node& node) {
    for (std::size_t k = 0; k < room_.size(); ++k) {
        room_[k] = free_[k] + (resources_[k] == nullptr ? 0 : resources_[k]->rest[node.first]);
    }
    for (const bool violating : {true, false}) {
        for (std::size_t pod = node.first; pod < node.pods->pods.size(); ++pod) {
            if (violating_.at(pod) == violating && !spare(pod)) {
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

AmountSearch::Node AmountSearch::node_at(Slot slot) const {
    const IndexedPods& pods = tables_.index.made(slot);
    return {slot, &pods, pods.first_below(ask_class_.priority)};
}

// Computes the free amounts less the request, and counts the resources that are short even without
// the pool.
bool AmountSearch::find_room(const Node& node) {
    const NodeBlock& block = tables_.cluster.node_state.block(block_of(node.slot));
    const std::uint32_t lane = lane_of(node.slot);
    bool possible = true;
    for (std::size_t k = 0; k < free_.size(); ++k) {
        const ResourceAmount& request = ask_class_.requests[k];
        resources_[k] = node.pods->find(request.resource);
        free_[k] = block.unused(lane, request.resource) - block.held_from(lane, request.resource, ask_class_.priority) -
                   request.value;
        const bool lacking = lacks(node, k);
        short_of_[k] += lacking ? 1 : 0;
        possible = possible && !lacking;
    }
    return possible;
}

// Even without the pool. Of a node whose room was found.
bool AmountSearch::lacks(const Node& node, std::size_t request) const {
    const IndexedPods::Kind* const pods = resources_[request];
    return free_[request] + (pods == nullptr ? 0 : pods->rest[node.first]) < 0;
}

void AmountSearch::count_refusal(Slot slot, BlockRefusals& refusals) {
    const Node node = node_at(slot);
    if (!node.has_pool()) {
        ++refusals.without_victims;
        return;
    }
    find_room(node);
    for (std::size_t k = 0; k < free_.size(); ++k) {
        refusals.short_of[k] = static_cast<std::uint8_t>(refusals.short_of[k] + (lacks(node, k) ? 1 : 0));
    }
}

std::optional<VictimCost> AmountSearch::cost(Slot slot, const VictimCost* best) {
    const Node node = node_at(slot);
    if (!node.has_pool()) {
        ++without_victims_;
        return std::nullopt;
    }
    if (!find_room(node)) {
        return std::nullopt;
    }
    victims_.clear();
    violations_ = 0;
    violating_.find(*node.pods, node.first);
    if (any_gangs_) {
        add_violating_gangs(node);
    }
    if (violating_.any()) {
        reprieve_by_budgets(node);
        return cost_of(node);
    }
    // A rival that violates budgets loses against this node by that alone.
    const VictimCost* const rival = best != nullptr && best->budget_violations == 0 ? best : nullptr;
    const std::size_t from = first_victim(node);
    const std::int32_t highest = node.pods->priorities[from];
    if (rival != nullptr && highest > rival->highest_priority) {
        return std::nullopt;
    }
    const bool tied = rival != nullptr && highest == rival->highest_priority;
    if (!reprieve(node, from, tied ? rival->priority_sum : INT64_MAX)) {
        return std::nullopt;
    }
    return cost_of(node);
}

NodeVictims AmountSearch::victims(Slot slot) {
    tables_.index.at(slot);
    const std::optional<VictimCost> found = cost(slot, nullptr);
    BP_CHECK(found.has_value());
    NodeVictims result{slot, {}, *found};
    for (const std::size_t pod : victims_) {
        result.victims.push_back(tables_.index.made(slot).pods[pod]);
    }
    return result;
}

void AmountSearch::run(const NodeMask& nodes, std::vector<NodeVictims>* all) {
    VictimCandidate best;
    for_each_slot(nodes, [&](Slot slot) {
        tables_.index.at(slot);
        const bool known = all == nullptr && best.slot != kNone<Slot>;
        const std::optional<VictimCost> found = cost(slot, known ? &best.cost : nullptr);
        if (found) {
            best.take_if_better({slot, *found});
            if (all != nullptr) {
                NodeVictims& one = all->emplace_back(NodeVictims{slot, {}, *found});
                for (const std::size_t pod : victims_) {
                    one.victims.push_back(tables_.index.made(slot).pods[pod]);
                }
            }
        }
    });
    if (best.slot != kNone<Slot>) {
        best_ = AmountSearch(tables_, ask_class_).victims(best.slot);
    }
}

}  // namespace bayplan
