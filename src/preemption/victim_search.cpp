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

std::vector<VictimSearch::PooledPod*> VictimSearch::in_order_of_return(std::vector<PooledPod>& pool) {
    std::vector<PooledPod*> order;
    for (const bool violating : {true, false}) {
        for (PooledPod& pod : pool) {
            if (pod.violating == violating) {
                order.push_back(&pod);
            }
        }
    }
    return order;
}

std::vector<VictimSearch::PooledPod> VictimSearch::judge_pool(AskId ask, Slot slot, std::span<const AskHandle> go,
                                                              VictimFinding& finding) const {
    std::vector<PooledPod> pool = pool_of(ask, slot);
    if (pool.empty()) {
        finding = {std::nullopt, {"No preemption victims found for incoming pod"}, 0};
        return {};
    }
    NodeTrial trial(tables_, ask, slot);
    for (const PooledPod& pod : pool) {
        trial.take_off(pod.id);
    }
    if (PredicateSet::Failure failure = trial.judge(); failure.refusal.verdict != Verdict::feasible) {
        finding = {std::nullopt, std::move(failure.refusal.reasons), 1u << failure.predicate,
                   failure.refusal.ends == AttemptEnd::in_an_error};
        return {};
    }
    split_by_budgets(pool);
    for (PooledPod* const pod : in_order_of_return(pool)) {
        pod->victim = std::ranges::find(go, tables_.asks.handle(pod->id)) != go.end();
        if (pod->victim) {
            continue;
        }
        trial.put_back(pod->id);
        if (!trial.passes()) {
            trial.take_off(pod->id);
            pod->victim = true;
        }
    }
    return pool;
}

VictimFinding VictimSearch::on_node(AskId ask, Slot slot, std::span<const AskHandle> go) const {
    VictimFinding finding;
    const std::vector<PooledPod> pool = judge_pool(ask, slot, go, finding);
    if (!pool.empty()) {
        finding.choice = result(slot, pool);
    }
    return finding;
}

VictimFinding VictimSearch::at_least_on_node(AskId ask, Slot slot) const {
    VictimFinding finding;
    std::vector<PooledPod> pool = judge_pool(ask, slot, {}, finding);
    if (!pool.empty()) {
        if (std::ranges::none_of(pool, &PooledPod::victim)) {
            in_order_of_return(pool).back()->victim = true;
        }
        finding.choice = result(slot, pool);
    }
    return finding;
}

VictimOffer VictimSearch::offer_on(AskId ask, Slot slot) const {
    VictimFinding finding;
    std::vector<PooledPod> pool = judge_pool(ask, slot, {}, finding);
    BP_CHECK(!pool.empty());
    const std::vector<PooledPod*> order = in_order_of_return(pool);
    VictimOffer offer;
    offer.violations = static_cast<std::uint32_t>(result(slot, pool).cost.budget_violations);
    for (const bool victim : {true, false}) {
        for (auto pod = order.rbegin(); pod != order.rend(); ++pod) {
            if ((*pod)->victim == victim) {
                offer.pods.push_back((*pod)->id);
            }
        }
        if (victim) {
            offer.needed = static_cast<std::uint32_t>(offer.pods.size());
        }
    }
    return offer;
}

std::size_t VictimSearch::pool_size(AskId ask, Slot slot) const { return pool_of(ask, slot).size(); }

}  // namespace bayplan
