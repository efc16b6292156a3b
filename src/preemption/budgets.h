// Disruption budgets (Kubernetes: PodDisruptionBudget): how many of the pods that a selector matches may
// still be disturbed. Preemption counts on what is left and takes from it; the next statement of the object
// sets it anew (R-PREEMPT-13).
//
//   of_spec(s)     the budgets whose selector matches pods of the spec: found once, and again only for budgets that come,
//                  go, or get another selector. A new statement of what is left changes nothing of it.
//   coverage(n)    grows if such a change concerns a pod on the node
//
// Thread: the engine's; reads by others while it changes nothing. Owner: World. Texts are held by the object table.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include <boost/unordered/unordered_flat_map.hpp>

#include "apps/ask_table.h"
#include "apps/spec_table.h"
#include "base/ids.h"
#include "base/seeded_hash.h"
#include "base/split_map.h"
#include "base/text_table.h"
#include "bayplan/cluster_object.h"

namespace bayplan {

enum class BudgetId : std::uint32_t {};

class Budgets {
public:
    Budgets(const TextTable& texts, const AskTable& asks, SpecTable& specs)
        : texts_(texts), asks_(asks), specs_(specs) {}

    void set(const PodBudget&);
    void remove(Text name_space, Text name);
    bool empty() const { return by_namespace_.empty(); }

    // By their selectors; true until one comes or goes.
    const std::vector<BudgetId>& of_spec(SpecId);
    // The budgets that cover a pod of the spec, valid until one is set or removed. `key` is NAMESPACE/NAME.
    std::vector<PodBudget*> covering(SpecId, std::string_view key);
    // A budget of the pod's spec does not count the pod: its status names it as disrupted already.
    bool disrupted(BudgetId, std::string_view key) const;
    bool names_disrupted(BudgetId id) const { return !budgets_[raw(id)].budget.disrupted_pods.empty(); }

    // --- by number: below bound(); of a number whose budget was removed nothing is left that matters
    std::uint32_t bound() const { return static_cast<std::uint32_t>(budgets_.size()); }
    std::int32_t left(BudgetId id) const { return budgets_[raw(id)].budget.disruptions_allowed; }
    std::uint64_t disrupted_version(BudgetId id) const { return budgets_[raw(id)].disrupted_version; }

    std::uint32_t coverage(Slot slot) const { return raw(slot) < coverage_.size() ? coverage_[raw(slot)] : 0; }
    // The nodes, by block, whose coverage() grew since the last call.
    std::vector<std::uint64_t> take_covered_anew() { return std::exchange(covered_anew_, {}); }

private:
    struct Entry {
        PodBudget budget;  // disruptions_allowed: what is left
        std::uint64_t disrupted_version = 0;
        std::uint64_t came = 0;  // its number among all that ever came
    };
    struct OfSpecEntry {
        std::uint64_t born = 0;  // of the spec that it was made for; 0: none
        std::vector<BudgetId> budgets;
    };

    static std::uint64_t key_of(Text name_space, Text name);
    BudgetId find(Text name_space, Text name) const;
    bool covers(const PodBudget&, const PodSpec&) const;
    void add(const PodBudget&);
    // For each spec that of_spec() was asked for: `change` says whether it changed what covers its pods.
    template <typename Change>
    void for_each_spec(Change&& change);
    void note_coverage(SpecId);

    const TextTable& texts_;
    const AskTable& asks_;
    SpecTable& specs_;
    std::deque<Entry> budgets_;  // do not move
    std::vector<BudgetId> free_;
    using InNamespace = std::map<std::uint64_t, BudgetId>;  // in the order in which they came
    boost::unordered_flat_map<Text, InNamespace> by_namespace_;
    SplitMap<std::uint64_t, BudgetId, NumberHash> by_name_;  // namespace and name
    std::uint64_t came_ = 0;
    std::vector<OfSpecEntry> by_spec_;
    std::vector<std::uint32_t> coverage_;  // by slot, as far as there was a change
    std::vector<std::uint64_t> covered_anew_;
    std::uint64_t disrupted_versions_ = 0;
};

}  // namespace bayplan
