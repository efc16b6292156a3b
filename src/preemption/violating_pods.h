// Which pods of a node's pool go against a disruption budget if the whole pool goes (R-PREEMPT-13, R-PREEMPT-14).
//
// Thread: each its own, while nobody changes the tables.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "preemption/budgets.h"
#include "preemption/victim_index.h"

namespace bayplan {

class ViolatingPods {
public:
    ViolatingPods(const AskTable& asks, const Budgets& budgets) : asks_(asks), budgets_(budgets) {}

    // Of the pool that begins with this pod. The index knows what covers the pods.
    void find(const IndexedPods&, std::size_t first);
    // This pod violates for another reason.
    void add(const IndexedPods&, std::size_t pod);
    bool any() const { return any_; }
    bool at(std::size_t pod) const { return marks_[pod] != 0; }
    // Of a pool of all pods: the highest priority of a pod that a violated budget counts. If the pods of this priority and
    // above are left out of the pool, less is violated; for a pool that lacks only higher ones nothing changes.
    std::int32_t highest_tight(const IndexedPods&) const;
    // Pods of the pool that it counts; 0: none.
    const std::vector<std::pair<BudgetId, std::int64_t>>& counts() const { return counts_; }

private:
    std::int64_t& count_of(BudgetId);
    bool tight(BudgetId) const;
    bool not_counted(const IndexedPods&, const IndexedPods::Cover&) const;

    const AskTable& asks_;
    const Budgets& budgets_;
    std::vector<char> marks_;                                // by pod
    std::vector<std::pair<BudgetId, std::int64_t>> counts_;  // few
    bool any_ = false;
};

}  // namespace bayplan
