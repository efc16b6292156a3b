// Reprieve and the choice among nodes; see victim_search.h.
#include "preemption/victim_search.h"

#include <algorithm>
#include <map>

#include "base/check.h"

namespace bayplan {

bool VictimCost::better_than(const VictimCost& other) const {
    if (budget_violations != other.budget_violations) {
        return budget_violations < other.budget_violations;
    }
    if (highest_priority != other.highest_priority) {
        return highest_priority < other.highest_priority;
    }
    if (priority_sum != other.priority_sum) {
        return priority_sum < other.priority_sum;
    }
    if (count != other.count) {
        return count < other.count;
    }
    return earliest_start_ms > other.earliest_start_ms;
}

std::vector<VictimSearch::PooledPod> VictimSearch::pool_of(AskId ask, Slot slot) const {
    std::vector<PooledPod> pool;
    for (const AskId id : tables_.nodes[slot].allocations) {
        if (in_pool(tables_.asks[id], tables_.asks[ask])) {
            pool.push_back({id});
        }
    }
    std::sort(pool.begin(), pool.end(), [&](const PooledPod& a, const PooledPod& b) {
        return more_important(tables_.asks, a.id, b.id, options_.victim_order);
    });
    return pool;
}

void VictimSearch::split_by_budgets(std::vector<PooledPod>& pool) const {
    if (pool_ == VictimPool::waited_for || (budgets_.empty() && gangs_.empty())) {
        return;
    }
    std::map<const PodBudget*, std::int64_t> left;
    GangBudgets::Left of_gangs = gangs_.all();
    for (PooledPod& pod : pool) {
        const SpecId spec = tables_.classes.spec_of(tables_.asks[pod.id]);
        for (const PodBudget* budget : budgets_.covering(spec, tables_.asks.key(pod.id))) {
            const std::int64_t now = --left.try_emplace(budget, budget->disruptions_allowed).first->second;
            pod.violating = pod.violating || now < 0;
        }
        pod.violating = of_gangs.exceeded_by(pod.id) || pod.violating;
    }
}

NodeVictims VictimSearch::result(Slot slot, const std::vector<PooledPod>& pool) const {
    NodeVictims found;
    found.slot = slot;
    for (const PooledPod& pod : pool) {
        if (!pod.victim) {
            continue;
        }
        const Ask& ask = tables_.asks[pod.id];
        if (found.victims.empty()) {
            found.cost.highest_priority = ask.priority;
        }
        if (ask.priority == found.cost.highest_priority) {
            found.cost.earliest_start_ms = std::min(found.cost.earliest_start_ms, start_of(ask));
        }
        found.cost.budget_violations += pod.violating ? 1 : 0;
        found.cost.priority_sum += ask.priority + (std::int64_t{1} << 31);
        ++found.cost.count;
        found.victims.push_back(pod.id);
    }
    return found;
}

VictimFinding VictimSearch::on_node(AskId ask, Slot slot) const {
    std::vector<PooledPod> pool = pool_of(ask, slot);
    if (pool.empty()) {
        return {std::nullopt, {"No preemption victims found for incoming pod"}, 0};
    }
    NodeTrial trial(tables_, ask, slot);
    for (const PooledPod& pod : pool) {
        trial.take_off(pod.id);
    }
    if (PredicateSet::Failure failure = trial.judge(); failure.refusal.verdict != Verdict::feasible) {
        return {std::nullopt, std::move(failure.refusal.reasons), 1u << failure.predicate,
                failure.refusal.ends == AttemptEnd::in_an_error};
    }
    split_by_budgets(pool);
    for (const bool violating : {true, false}) {
        for (PooledPod& pod : pool) {
            if (pod.violating != violating) {
                continue;
            }
            trial.put_back(pod.id);
            if (!trial.passes()) {
                trial.take_off(pod.id);
                pod.victim = true;
            }
        }
    }
    return {result(slot, pool), {}, 0};
}

}  // namespace bayplan
