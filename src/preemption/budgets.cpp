// Which budgets a pod counts in, and what is left of them; see budgets.h.
#include "preemption/budgets.h"

#include <algorithm>

#include "labels/selector.h"

namespace bayplan {

void Budgets::set(const PodBudget& budget) {
    remove(budget.name_space, budget.name);
    by_namespace_[budget.name_space].push_back(budget);
}

void Budgets::remove(Text name_space, Text name) {
    const auto found = by_namespace_.find(name_space);
    if (found == by_namespace_.end()) {
        return;
    }
    std::erase_if(found->second, [&](const PodBudget& budget) { return budget.name == name; });
    if (found->second.empty()) {
        by_namespace_.erase(found);
    }
}

// Source: Kubernetes 1.35, filterPodsWithPDBViolation: an empty selector matches nothing here, and a pod that
// the budget's status names as disrupted already is not counted again.
bool Budgets::covers(const PodBudget& budget, const PodSpec& spec, std::string_view key) const {
    if (spec.labels.empty() || !budget.selector || budget.selector->requirements.empty() ||
        !matches(budget.selector, spec.labels, texts_)) {
        return false;
    }
    const std::string_view name = key.substr(key.find('/') + 1);
    const bool in_namespace =
        key.substr(0, key.size() - name.size()) == std::string(texts_.text(spec.name_space)) + '/';
    return std::none_of(budget.disrupted_pods.begin(), budget.disrupted_pods.end(),
                        [&](Text disrupted) { return in_namespace && texts_.text(disrupted) == name; });
}

std::vector<PodBudget*> Budgets::covering(const PodSpec& spec, std::string_view key) {
    std::vector<PodBudget*> found;
    if (const auto at = by_namespace_.find(spec.name_space); at != by_namespace_.end()) {
        for (PodBudget& budget : at->second) {
            if (covers(budget, spec, key)) {
                found.push_back(&budget);
            }
        }
    }
    return found;
}

}  // namespace bayplan
