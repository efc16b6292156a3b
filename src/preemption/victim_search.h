// The pods that would have to go so that an ask may run on a node, and the node where that costs least.
// Source of the rules: rules/preemption.md (the preemption document; Kubernetes 1.35, DefaultPreemption).
//
// Thread: the engine's; see node_trial.h for what else may run meanwhile.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "options/engine_options.h"
#include "preemption/budgets.h"
#include "preemption/gang_budgets.h"
#include "preemption/node_trial.h"
#include "preemption/victim_index.h"

namespace bayplan {

// Cost of a node's victims, by which nodes are compared; less is better.
struct VictimCost {
    std::int32_t budget_violations = 0;
    std::int64_t highest_priority = 0;
    std::int64_t priority_sum = 0;  // of (priority + 2^31)
    std::uint32_t count = 0;
    std::int64_t earliest_start_ms = INT64_MAX;  // among victims of the highest priority; the later the better

    bool better_than(const VictimCost&) const;
};

// The cheapest node so far, by cost alone.
struct VictimCandidate {
    Slot slot = kNone<Slot>;  // kNone: none
    VictimCost cost;

    // Of equals the lower slot stands.
    void take_if_better(const VictimCandidate& other) {
        if (slot == kNone<Slot> || other.cost.better_than(cost) ||
            (raw(other.slot) < raw(slot) && !cost.better_than(other.cost))) {
            *this = other;
        }
    }
};

struct NodeVictims {
    Slot slot = kNone<Slot>;
    std::vector<AskId> victims;  // most important first; then others of gangs that go whole, wherever they run
    VictimCost cost;             // of those on the node
};

// Result for one node.
struct VictimFinding {
    std::optional<NodeVictims> choice;
    std::vector<std::string> reasons;     // why there is none
    std::uint32_t failed_predicates = 0;  // the first that fails without the pool; a bit by its index
    bool is_error = false;                // the reason is an error, which no node's verdict is
};

// Pods that may go from a node, most easily first.
struct VictimOffer {
    std::vector<AskId> pods;
    std::uint32_t needed = 0;      // so many, from the first on, go for the predicates' sake
    std::uint32_t violations = 0;  // of budgets, by these
};

// The pods that may go: of lower priority; or, as a reservation waits for pods to end by themselves, of the same priority too,
// but none of the ask's own gang, and no budget counts.
enum class VictimPool : std::uint8_t { lower, waited_for };

// The ask, whose gang has nodes reserved, may wait for this pod to end.
inline bool may_be_waited_for(const Ask& pod, const Ask& by, const PreemptionOptions& options) {
    return may_be_victim(pod, options) && pod.priority <= by.priority && pod.group != by.group;
}

class VictimSearch {
public:
    VictimSearch(TrialTables tables, Budgets& budgets, const GangBudgets& gangs, const PreemptionOptions& options,
                 VictimPool pool = VictimPool::lower)
        : tables_(tables), budgets_(budgets), gangs_(gangs), options_(options), pool_(pool) {}

    // The ask's own nomination must be lifted.
    VictimFinding on_node(AskId ask, Slot slot) const { return on_node(ask, slot, {}); }
    // The same if these go in any case.
    VictimFinding on_node(AskId, Slot, std::span<const AskHandle> go) const;
    // Where the plugins have not said who goes: at least the pod that goes most easily.
    VictimFinding at_least_on_node(AskId, Slot) const;
    // Of a node on which there is such a finding.
    VictimOffer offer_on(AskId, Slot) const;
    std::size_t pool_size(AskId, Slot) const;
    const TrialTables& tables() const { return tables_; }

private:
    struct PooledPod {
        AskId id = kNone<AskId>;
        bool violating = false;
        bool victim = false;
    };

    bool in_pool(const Ask& pod, const Ask& of) const {
        return pool_ == VictimPool::waited_for ? may_be_waited_for(pod, of, options_)
                                               : may_be_victim(pod, options_) && pod.priority < of.priority;
    }
    std::vector<PooledPod> pool_of(AskId, Slot) const;
    // The pool with its victims; empty: `finding` says why.
    std::vector<PooledPod> judge_pool(AskId, Slot, std::span<const AskHandle> go, VictimFinding& finding) const;
    // From the first to be put back to the last.
    static std::vector<PooledPod*> in_order_of_return(std::vector<PooledPod>&);
    void split_by_budgets(std::vector<PooledPod>&) const;
    NodeVictims result(Slot, const std::vector<PooledPod>&) const;

    const TrialTables tables_;
    Budgets& budgets_;
    const GangBudgets& gangs_;
    const PreemptionOptions& options_;
    const VictimPool pool_;
};

}  // namespace bayplan
