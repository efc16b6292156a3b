// Terms of pod affinity and anti-affinity: which pods do they mean?
//
// Source: Kubernetes 1.35, framework.AffinityTerm and the InterPodAffinity plugin. There a term of the pod
// that is being placed and a term of a pod that is placed already find their namespaces in different ways;
// both are here.
//
// Thread: NamespaceTable is the engine's; the functions may run anywhere while nobody changes it or interns.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include <boost/unordered/unordered_flat_map.hpp>

#include "bayplan/cluster_object.h"
#include "labels/selector.h"

namespace bayplan {

// Namespaces with their labels, by name. Holds no references of texts: whoever applies objects does.
class NamespaceTable {
public:
    // What was there before, for its texts to be released.
    std::optional<Namespace> apply(Namespace);
    std::optional<Namespace> remove(Text name);
    // Sorted by key; empty for a namespace nobody stated.
    std::span<const Label> labels(Text name) const;

    const boost::unordered_flat_map<Text, Namespace>& all() const { return namespaces_; }

private:
    boost::unordered_flat_map<Text, Namespace> namespaces_;
};

// The namespaces that a term means.
struct NamespaceSet {
    bool all = false;
    std::vector<Text> names;  // sorted by id, distinct
    bool contains(Text name) const;
    bool operator==(const NamespaceSet&) const = default;
};

// For a term of the pod that is being placed (required and preferred ones): its list and the stated
// namespaces that its selector matches; its own namespace if it has neither. `{}` means all.
// `selector_sees_no_labels` is quirk 5 (Kubernetes 1.34 to 1.36): the selector is also held against empty
// labels, so that one of negative requirements only means all namespaces.
NamespaceSet namespaces_of(const PodTerm&, Text own_namespace, const NamespaceTable&, const TextTable&,
                           bool selector_sees_no_labels);

// For a term of a pod that is placed, held against a pod that is being placed: is that one's namespace
// meant? A namespace nobody stated has no labels.
bool means_namespace(const PodTerm&, Text own_namespace, Text other_namespace,
                     std::span<const Label> other_namespace_labels, const TextTable&);

// A pod is meant: its namespace and its labels.
bool term_matches(const PodTerm&, const NamespaceSet&, Text pod_namespace, std::span<const Label> sorted_pod_labels,
                  const TextTable&);

}  // namespace bayplan
