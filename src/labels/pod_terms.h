// Terms of pod affinity and anti-affinity: which pods do they mean?
//
// Source: Kubernetes 1.35, framework.AffinityTerm and the InterPodAffinity plugin. There a term of the pod that is
// being placed (incoming) and a term of a pod that is placed already find their namespaces in different ways; both are
// here.
//
// Thread: the engine's. Holds no references of texts: the code that applies objects and specs holds them.
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "bayplan/pod_spec.h"
#include "labels/selector.h"

namespace bayplan {

// The pods that a pod term means, without its topology key.
struct TermMatch {
    std::vector<Text> namespaces;  // sorted, each once; the pod's own if the term says nothing of namespaces
    std::optional<LabelSelector> namespace_selector;
    std::optional<LabelSelector> selector;
    bool operator==(const TermMatch&) const = default;
};
TermMatch match_of(const PodTerm&, Text own_namespace);
// The only namespace that the term can mean; none: there may be several.
inline Text sole_namespace(const TermMatch& match) {
    return match.namespaces.size() == 1 && !match.namespace_selector ? match.namespaces.front() : kNone<Text>;
}

using Namespaces = std::map<Text, std::vector<Label>>;  // labels sorted by key

class TermMatcher {
public:
    // `negative_selector_fault`: Kubernetes 1.34 to 1.36 hold the namespace selector of an incoming pod's term against
    // no labels as well, so that one of negative requirements only means all namespaces.
    TermMatcher(const TextTable& texts, bool negative_selector_fault)
        : texts_(texts), fault_(negative_selector_fault) {}

    // Null: it is gone. False: that it was already.
    bool set_namespace(Text name, const std::vector<Label>* sorted_labels) {
        const auto found = namespaces_.find(name);
        if (sorted_labels == nullptr) {
            return found != namespaces_.end() && namespaces_.erase(name) == 1;
        }
        if (found != namespaces_.end() && found->second == *sorted_labels) {
            return false;
        }
        namespaces_[name] = *sorted_labels;
        return true;
    }

    // `incoming`: it is a term of the pod that is being placed, and the other one is placed; else the reverse.
    bool means_namespace(const TermMatch&, Text other_namespace, bool incoming) const;
    // Namespace and labels of the other pod.
    bool means(const TermMatch&, const PodSpec& other, bool incoming) const;

private:
    const TextTable& texts_;
    const bool fault_;
    Namespaces namespaces_;
};

}  // namespace bayplan
