// Topology spread: which pods does a constraint count? Which constraints has a pod that states none?
//
// Source: Kubernetes 1.35, PodTopologySpread plugin and helper.DefaultSelector.
//
// Thread: PodSetTable is the engine's; the functions may run anywhere while nobody changes it or interns.
#pragma once

#include <optional>
#include <span>
#include <tuple>
#include <vector>

#include <boost/unordered/unordered_flat_map.hpp>

#include "bayplan/cluster_object.h"
#include "labels/known_texts.h"
#include "labels/selector.h"

namespace bayplan {

// Services and controllers by what they select. Holds no references of texts: the code that applies objects holds them.
class PodSetTable {
public:
    // Returns the former pod set, for its texts to be released.
    std::optional<PodSet> apply(PodSet);
    std::optional<PodSet> remove(Text kind, Text name_space, Text name);
    const PodSet* find(Text kind, Text name_space, Text name) const;
    // In no order that matters.
    std::span<const PodSet> of_namespace(Text name_space) const;

private:
    boost::unordered_flat_map<Text, std::vector<PodSet>> by_namespace_;
};

// The constraint's selector AND, for each of its matchLabelKeys that the pod carries, the pod's own value;
// in canonical form. Absent stays absent: counts no pod, and the pod itself is 0.
std::optional<LabelSelector> effective_selector(const SpreadConstraint&, std::span<const Label> sorted_pod_labels);

// As in Kubernetes a selector without requirements counts no pod, though it matches the pod itself (self = 1).
// Ask this first wherever pods are counted; `matches` alone is the rule for self.
inline bool counts_pods(const std::optional<LabelSelector>& effective) {
    return effective.has_value() && !effective->requirements.empty();
}

// AND of the selectors of the services that match the pod and of its controller's; without requirements if
// there is none of either. Canonical form.
LabelSelector default_selector(const PodSpec&, std::span<const Label> sorted_pod_labels, const PodSetTable&,
                               const KnownTexts&, const TextTable&);

// The constraints of a pod that states none, with that selector: hostname skew 3, zone skew 5, both
// ScheduleAnyway; none if the selector has no requirement. The caller asks only if spec.spread is empty.
std::vector<SpreadConstraint> default_constraints(const PodSpec&, std::span<const Label> sorted_pod_labels,
                                                  const PodSetTable&, const KnownTexts&, const TextTable&);

}  // namespace bayplan
