// Namespaces and pods that terms of pod affinity mean. See pod_terms.h.

#include "labels/pod_terms.h"

#include <algorithm>
#include <span>

namespace bayplan {

TermMatch match_of(const PodTerm& term, Text own_namespace) {
    TermMatch match{term.namespaces, term.namespace_selector, term.selector};
    if (match.namespaces.empty() && !match.namespace_selector) {
        match.namespaces.push_back(own_namespace);
    }
    std::sort(match.namespaces.begin(), match.namespaces.end());
    match.namespaces.erase(std::unique(match.namespaces.begin(), match.namespaces.end()), match.namespaces.end());
    return match;
}

bool TermMatcher::means_namespace(const TermMatch& match, Text other_namespace, bool incoming) const {
    if (std::binary_search(match.namespaces.begin(), match.namespaces.end(), other_namespace)) {
        return true;
    }
    if (!match.namespace_selector) {
        return false;
    }
    if (incoming && fault_ && matches(*match.namespace_selector, std::span<const Label>{}, texts_)) {
        return true;
    }
    const auto found = namespaces_.find(other_namespace);
    if (found == namespaces_.end()) {
        // An incoming pod's term means stated namespaces (all of them without requirements, stated or not);
        // a placed pod's is held against the other pod's namespace, which then has no labels.
        return incoming ? match.namespace_selector->requirements.empty()
                        : matches(*match.namespace_selector, std::span<const Label>{}, texts_);
    }
    return matches(*match.namespace_selector, found->second, texts_);
}

bool TermMatcher::means(const TermMatch& match, const PodSpec& other, bool incoming) const {
    return match.selector && means_namespace(match, other.name_space, incoming) &&
           matches(*match.selector, other.labels, texts_);
}

}  // namespace bayplan
