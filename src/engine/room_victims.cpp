// The pool below a maximum, and who of it stays; see room_victims.h.
#include "engine/room_victims.h"

#include <algorithm>

#include "apps/ask_state.h"
#include "preemption/victim_index.h"

namespace bayplan {

bool RoomVictims::add(queue_tree::SparePods& spare, queue_tree::QueueId below, RoomNeeded needed, NodeVictims& found) {
    std::vector<AskId> on_node;
    for (const AskId id : found.victims) {
        if (!world_.asks[id].terminating) {
            on_node.push_back(id);
            subtract(held_by(id), needed);
        }
    }
    std::erase_if(needed, [](const auto& one) { return one.second <= 0; });
    collect(spare, below, needed, on_node);
    let_in(spare, on_node);
    RoomNeeded rest = needed;
    for (const Pod& pod : pool_) {
        subtract(held_by(pod.id), rest);
    }
    if (std::ranges::any_of(rest, [](const auto& one) { return one.second > 0; })) {
        return false;
    }
    split_by_budgets(on_node);
    reprieve(std::move(rest));
    for (const Pod& pod : pool_) {
        found.victims.push_back(pod.id);
    }
    return true;
}

bool RoomVictims::asks_for_any(AskId id, const RoomNeeded& needed) const {
    return std::ranges::any_of(held_by(id),
                               [&](const queue_tree::Amount& amount) { return needed.contains(amount.resource); });
}

void RoomVictims::subtract(queue_tree::Request request, RoomNeeded& needed) {
    for (const queue_tree::Amount& amount : request) {
        const auto found = needed.find(amount.resource);
        if (found != needed.end()) {
            found->second -= amount.value;
        }
    }
}

// No ask gets a node in a look; others of these may go.
void RoomVictims::gather() {
    is_gathered_ = true;
    on_nodes_.resize(world_.tree->queues().end());
    for (std::vector<AskId>& asks : on_nodes_) {
        asks.clear();
    }
    for (std::uint32_t number = 0; number < world_.asks.end(); ++number) {
        const AskId id{number};
        if (world_.asks.contains(id) && is_on_node(world_.asks[id].state) &&
            world_.asks[id].application != kNone<ApplicationId>) {
            on_nodes_[raw(leaf_of(id))].push_back(id);
        }
    }
}

void RoomVictims::consider(AskId id, queue_tree::SparePods& spare, const RoomNeeded& needed,
                           const std::vector<AskId>& without) {
    const Ask& pod = world_.asks[id];
    if (is_allocated(pod.state) && !pod.terminating && !pod.foreign && !pod.is_static && !pod.daemonset &&
        spare.may_go(leaf_of(id), pod.priority) && asks_for_any(id, needed) &&
        std::ranges::find(without, id) == without.end()) {
        const int of_owners = pod.originator ? 2 : 1;
        pool_.push_back({id, static_cast<std::uint8_t>(pod.opted_out ? 3 : of_owners)});
    }
}

void RoomVictims::collect(queue_tree::SparePods& spare, queue_tree::QueueId below, const RoomNeeded& needed,
                          const std::vector<AskId>& without) {
    pool_.clear();
    if (needed.empty()) {
        return;
    }
    if (!is_gathered_) {
        gather();
    }
    std::vector<queue_tree::QueueId> queues = {below};
    for (std::size_t at = 0; at < queues.size(); ++at) {
        const std::vector<queue_tree::QueueId>& children = world_.tree->queues()[queues[at]].children;
        queues.insert(queues.end(), children.begin(), children.end());
        for (const AskId id : on_nodes_[raw(queues[at])]) {
            consider(id, spare, needed, without);
        }
    }
    std::ranges::sort(pool_, [&](const Pod& a, const Pod& b) {
        return a.victim_class != b.victim_class
                   ? a.victim_class > b.victim_class
                   : more_important(world_.asks, a.id, b.id, world_.options.preemption.victim_order);
    });
}

// From the least important on, beside those on the node; others are no part of the pool.
void RoomVictims::let_in(queue_tree::SparePods& spare, const std::vector<AskId>& on_node) {
    spare.begin();
    GangBudgets::Left of_gangs = gangs_.all();
    for (const AskId id : on_node) {
        spare.take(leaf_of(id), held_by(id));
        of_gangs.exceeded_by(id);
    }
    std::vector<Pod> let_in;
    for (auto pod = pool_.rbegin(); pod != pool_.rend(); ++pod) {
        if (of_gangs.can_spare(pod->id) && spare.take(leaf_of(pod->id), held_by(pod->id))) {
            of_gangs.exceeded_by(pod->id);
            let_in.push_back(*pod);
        }
    }
    std::ranges::reverse(let_in);
    pool_ = std::move(let_in);
}

// The least important first, as where a queue shrinks.
void RoomVictims::split_by_budgets(const std::vector<AskId>& on_node) {
    if (world_.budgets.empty()) {
        return;
    }
    std::map<const PodBudget*, std::int64_t> left;
    const auto takes_too_much = [&](AskId id) {
        bool too_much = false;
        for (const PodBudget* budget :
             world_.budgets.covering(world_.classes.spec_of(world_.asks[id]), world_.asks.key(id))) {
            too_much = --left.try_emplace(budget, budget->disruptions_allowed).first->second < 0 || too_much;
        }
        return too_much;
    };
    for (const AskId id : on_node) {
        takes_too_much(id);
    }
    for (auto pod = pool_.rbegin(); pod != pool_.rend(); ++pod) {
        pod->violating = takes_too_much(pod->id);
    }
}

// `rest`: what is needed beside all of them; below 0: so much more goes.
void RoomVictims::reprieve(RoomNeeded rest) {
    for (const bool violating : {true, false}) {
        std::erase_if(pool_, [&](const Pod& pod) {
            const queue_tree::Request request = held_by(pod.id);
            const bool is_needed = std::ranges::any_of(request, [&](const queue_tree::Amount& amount) {
                const auto found = rest.find(amount.resource);
                return found != rest.end() && found->second + amount.value > 0;
            });
            if (pod.violating != violating || is_needed) {
                return false;
            }
            for (const queue_tree::Amount& amount : request) {
                const auto found = rest.find(amount.resource);
                if (found != rest.end()) {
                    found->second += amount.value;
                }
            }
            return true;
        });
    }
}

}  // namespace bayplan
