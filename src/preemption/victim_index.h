// The pods of a node in the order in which preemption spares them, with running sums of what they request:
// whether a node can be made room on at all, and whose going is the first that costs, is then a matter of a
// few sums, without a look at the pods themselves.
//
//   pods[0..n)          ours, most important first (R-PREEMPT-12), so that those below a
//                       priority are the end of the list
//   resources[k].rest[i]    sum of what pods[i..n) request
//   covers[..]              the budgets whose selectors match pods[i], for each i in order
//
// Made when a search comes to a node whose pods have changed since, or the budgets that cover them. Memory: 16 bytes a pod,
// and 8 for each resource that it requests and each budget that covers it.
// Thread: the engine's. Owner: World.
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "apps/ask_table.h"
#include "apps/class_table.h"
#include "cluster/node_table.h"
#include "options/engine_options.h"
#include "preemption/budgets.h"

namespace bayplan {

// An unknown start counts as now: later than every known one.
inline std::int64_t start_of(const Ask& pod) { return pod.started_ms == 0 ? INT64_MAX : pod.started_ms; }
// True if preemption spares the first of two pods sooner.
bool more_important(const AskTable&, AskId, AskId, VictimOrder);
// R-PREEMPT-7. Of foreign pods none may be a victim, or all but static ones.
inline bool may_be_victim(const Ask& pod, const PreemptionOptions& options) {
    return !pod.foreign || (options.daemonset.foreign_victims && !pod.is_static);
}

struct IndexedPods {
    struct Kind {
        ResourceId resource = kNone<ResourceId>;
        std::vector<std::int64_t> rest;  // one more than pods; the last is 0
        std::int64_t amount(std::size_t pod) const { return rest[pod] - rest[pod + 1]; }
    };
    std::vector<AskId> pods;
    std::vector<std::int32_t> priorities;
    std::vector<std::int64_t> starts_ms;
    std::vector<Kind> resources;
    struct Cover {
        std::uint32_t pod = 0;
        BudgetId budget = kNone<BudgetId>;
    };
    std::vector<Cover> covers;  // by selector: the budget may leave the pod out (Budgets::disrupted)
    std::uint64_t version = UINT64_MAX;
    static constexpr std::uint32_t kNotAsked = UINT32_MAX;
    std::uint32_t coverage = kNotAsked;  // as Budgets::coverage() then; kNotAsked: there were no budgets

    // Index of the first pod below the priority; pods.size() if there is none.
    std::size_t first_below(std::int32_t priority) const;
    const Kind* find(ResourceId) const;  // null: no pod requests any of it
};

class VictimIndex {
public:
    VictimIndex(const AskTable& asks, const ClassTable& classes, const NodeTable& nodes, Budgets& budgets,
                const PreemptionOptions& options)
        : asks_(asks), classes_(classes), nodes_(nodes), budgets_(budgets), options_(options) {}

    // Valid until the node's pods change, or what covers them.
    const IndexedPods& at(Slot);
    // The same where at() was called since they changed. Any thread.
    const IndexedPods& made(Slot slot) const { return nodes_indexed_[raw(slot)]; }

private:
    void make(Slot, IndexedPods&) const;
    void find_covers(IndexedPods&) const;

    const AskTable& asks_;
    const ClassTable& classes_;
    const NodeTable& nodes_;
    Budgets& budgets_;
    const PreemptionOptions options_;
    std::deque<IndexedPods> nodes_indexed_;  // by slot
};

}  // namespace bayplan
