// Which budgets a pod counts in, and what is left of them; see budgets.h.
#include "preemption/budgets.h"

#include <algorithm>

#include "labels/selector.h"

namespace bayplan {

// Source: Kubernetes 1.35, filterPodsWithPDBViolation: an empty selector matches nothing here.
bool Budgets::covers(const PodBudget& budget, const PodSpec& spec) const {
    return spec.name_space == budget.name_space && !spec.labels.empty() && budget.selector &&
           !budget.selector->requirements.empty() && matches(budget.selector, spec.labels, texts_);
}

// Likewise: a pod that the budget's status names is not counted again.
bool Budgets::disrupted(BudgetId id, std::string_view key) const {
    const PodBudget& budget = budgets_[raw(id)].budget;
    const std::string_view name = key.substr(key.find('/') + 1);
    const bool in_namespace =
        key.substr(0, key.size() - name.size()) == std::string(texts_.text(budget.name_space)) + '/';
    return in_namespace && std::any_of(budget.disrupted_pods.begin(), budget.disrupted_pods.end(),
                                       [&](Text disrupted) { return texts_.text(disrupted) == name; });
}

// --- coming and going

std::uint64_t Budgets::key_of(Text name_space, Text name) { return std::uint64_t{name_space} << 32 | name; }

BudgetId Budgets::find(Text name_space, Text name) const {
    const BudgetId* const known = by_name_.value_of(key_of(name_space, name));
    return known == nullptr ? kNone<BudgetId> : *known;
}

template <typename Change>
void Budgets::for_each_spec(Change&& change) {
    for (std::uint32_t number = 0; number < by_spec_.size(); ++number) {
        const auto spec = static_cast<SpecId>(number);
        OfSpecEntry& entry = by_spec_[number];
        if (entry.born != 0 && entry.born == specs_.born(spec) && change(spec, entry.budgets)) {
            note_coverage(spec);
        }
    }
}

void Budgets::note_coverage(SpecId spec) {
    auto& pods = specs_.pods(spec);
    for (AskId id = pods.front(); id != kNone<AskId>; id = pods.next(asks_, id)) {
        const Slot slot = asks_[id].slot;
        coverage_.resize(std::max<std::size_t>(coverage_.size(), raw(slot) + std::size_t{1}));
        covered_anew_.resize(std::max<std::size_t>(covered_anew_.size(), block_of(slot) + std::size_t{1}));
        ++coverage_[raw(slot)];
        covered_anew_[block_of(slot)] |= std::uint64_t{1} << lane_of(slot);
    }
}

void Budgets::add(const PodBudget& budget) {
    BudgetId id;
    if (free_.empty()) {
        id = static_cast<BudgetId>(budgets_.size());
        budgets_.emplace_back();
    } else {
        id = free_.back();
        free_.pop_back();
    }
    budgets_[raw(id)] = {budget, ++disrupted_versions_, ++came_};
    by_namespace_[budget.name_space].emplace(came_, id);
    by_name_.emplace(key_of(budget.name_space, budget.name), id);
    for_each_spec([&](SpecId spec, std::vector<BudgetId>& budgets) {
        const bool covered = covers(budget, specs_[spec]);
        if (covered) {
            budgets.push_back(id);
        }
        return covered;
    });
}

void Budgets::set(const PodBudget& budget) {
    const BudgetId id = find(budget.name_space, budget.name);
    if (id == kNone<BudgetId> || budgets_[raw(id)].budget.selector != budget.selector) {
        remove(budget.name_space, budget.name);
        add(budget);
        return;
    }
    Entry& entry = budgets_[raw(id)];
    if (entry.budget.disrupted_pods != budget.disrupted_pods) {
        entry.disrupted_version = ++disrupted_versions_;
    }
    entry.budget = budget;
}

void Budgets::remove(Text name_space, Text name) {
    const BudgetId id = find(name_space, name);
    if (id == kNone<BudgetId>) {
        return;
    }
    // The selector is not asked: its texts may be other ones' by now.
    for_each_spec([&](SpecId, std::vector<BudgetId>& budgets) { return std::erase(budgets, id) > 0; });
    by_name_.erase(key_of(name_space, name));
    const auto found = by_namespace_.find(name_space);
    found->second.erase(budgets_[raw(id)].came);
    budgets_[raw(id)] = {};
    free_.push_back(id);
    if (found->second.empty()) {
        by_namespace_.erase(found);
    }
}

// --- whom they cover

const std::vector<BudgetId>& Budgets::of_spec(SpecId spec) {
    if (raw(spec) >= by_spec_.size()) {
        by_spec_.resize(raw(spec) + std::size_t{1});
    }
    OfSpecEntry& entry = by_spec_[raw(spec)];
    if (entry.born != specs_.born(spec)) {
        entry.born = specs_.born(spec);
        entry.budgets.clear();
        if (const auto found = by_namespace_.find(specs_[spec].name_space); found != by_namespace_.end()) {
            for (const auto& [came, id] : found->second) {
                if (covers(budgets_[raw(id)].budget, specs_[spec])) entry.budgets.push_back(id);
            }
        }
    }
    return entry.budgets;
}

std::vector<PodBudget*> Budgets::covering(SpecId spec, std::string_view key) {
    std::vector<PodBudget*> found;
    for (const BudgetId id : of_spec(spec)) {
        if (!disrupted(id, key)) {
            found.push_back(&budgets_[raw(id)].budget);
        }
    }
    return found;
}

}  // namespace bayplan
