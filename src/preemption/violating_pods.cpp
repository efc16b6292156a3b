// Counting a node's pods by budget, most important first; see violating_pods.h.
#include "preemption/violating_pods.h"

#include <algorithm>

namespace bayplan {

std::int64_t& ViolatingPods::count_of(BudgetId budget) {
    const auto found =
        std::find_if(counts_.begin(), counts_.end(), [&](const auto& one) { return one.first == budget; });
    return found != counts_.end() ? found->second : counts_.emplace_back(budget, 0).second;
}

bool ViolatingPods::tight(BudgetId budget) const {
    return std::any_of(counts_.begin(), counts_.end(),
                       [&](const auto& one) { return one.first == budget && one.second > budgets_.left(budget); });
}

void ViolatingPods::add(const IndexedPods& pods, std::size_t pod) {
    marks_.resize(pods.pods.size(), 0);
    marks_[pod] = 1;
    any_ = true;
}

bool ViolatingPods::not_counted(const IndexedPods& pods, const IndexedPods::Cover& cover) const {
    return budgets_.names_disrupted(cover.budget) && budgets_.disrupted(cover.budget, asks_.key(pods.pods[cover.pod]));
}

std::int32_t ViolatingPods::highest_tight(const IndexedPods& pods) const {
    for (const IndexedPods::Cover& cover : pods.covers) {
        if (tight(cover.budget) && !not_counted(pods, cover)) {
            return pods.priorities[cover.pod];
        }
    }
    return INT32_MIN;
}

void ViolatingPods::find(const IndexedPods& pods, std::size_t first) {
    counts_.clear();
    marks_.clear();
    any_ = false;
    if (pods.covers.empty() || budgets_.empty()) {
        return;
    }
    marks_.assign(pods.pods.size(), 0);
    for (const IndexedPods::Cover& cover : pods.covers) {
        if (cover.pod < first || not_counted(pods, cover)) {
            continue;
        }
        if (++count_of(cover.budget) > budgets_.left(cover.budget)) {
            marks_[cover.pod] = 1;
            any_ = true;
        }
    }
}

}  // namespace bayplan
