// Disruption budgets (Kubernetes: PodDisruptionBudget): how many of the pods that a selector matches may
// still be disturbed. Preemption counts on what is left and takes from it; the next statement of the object
// sets it anew (R-PREEMPT-13).
//
// Thread: the engine's. Owner: World. Texts are held by the object table.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include <boost/unordered/unordered_flat_map.hpp>

#include "base/text_table.h"
#include "bayplan/cluster_object.h"
#include "bayplan/pod_spec.h"

namespace bayplan {

class Budgets {
public:
    explicit Budgets(const TextTable& texts) : texts_(texts) {}

    void set(const PodBudget&);
    void remove(Text name_space, Text name);
    bool empty() const { return by_namespace_.empty(); }

    // The budgets that cover the pod, valid until one is set or removed. `key` is NAMESPACE/NAME.
    std::vector<PodBudget*> covering(const PodSpec&, std::string_view key);

private:
    bool covers(const PodBudget&, const PodSpec&, std::string_view key) const;

    const TextTable& texts_;
    boost::unordered_flat_map<Text, std::vector<PodBudget>> by_namespace_;  // disruptions_allowed: what is left
};

}  // namespace bayplan
