// Namespaces and pods that terms of pod affinity mean. See pod_terms.h.

#include "labels/pod_terms.h"

#include <algorithm>
#include <utility>

namespace bayplan {

namespace {

bool neither_list_nor_selector(const PodTerm& term) { return term.namespaces.empty() && !term.namespace_selector; }

bool listed(const PodTerm& term, Text name) {
    return std::ranges::find(term.namespaces, name) != term.namespaces.end();
}

}  // namespace

std::optional<Namespace> NamespaceTable::apply(Namespace object) {
    object.labels = sorted_by_key(std::move(object.labels));
    const auto [at, is_new] = namespaces_.try_emplace(object.name);
    std::optional<Namespace> before;
    if (!is_new) {
        before = std::move(at->second);
    }
    at->second = std::move(object);
    return before;
}

std::optional<Namespace> NamespaceTable::remove(Text name) {
    const auto at = namespaces_.find(name);
    if (at == namespaces_.end()) {
        return std::nullopt;
    }
    std::optional<Namespace> before = std::move(at->second);
    namespaces_.erase(at);
    return before;
}

std::span<const Label> NamespaceTable::labels(Text name) const {
    const auto at = namespaces_.find(name);
    return at == namespaces_.end() ? std::span<const Label>() : std::span<const Label>(at->second.labels);
}

bool NamespaceSet::contains(Text name) const { return all || std::ranges::binary_search(names, name); }

NamespaceSet namespaces_of(const PodTerm& term, Text own_namespace, const NamespaceTable& table,
                           const TextTable& texts, bool selector_sees_no_labels) {
    NamespaceSet set;
    if (neither_list_nor_selector(term)) {
        set.names = {own_namespace};
        return set;
    }
    set.names = term.namespaces;
    if (term.namespace_selector) {
        const LabelSelector& selector = *term.namespace_selector;
        set.all = selector.requirements.empty() || (selector_sees_no_labels && matches(selector, {}, texts));
        for (const auto& [name, object] : table.all()) {
            if (matches(selector, object.labels, texts)) {
                set.names.push_back(name);
            }
        }
    }
    if (set.all) {
        set.names.clear();
    }
    std::ranges::sort(set.names);
    set.names.erase(std::unique(set.names.begin(), set.names.end()), set.names.end());
    return set;
}

bool means_namespace(const PodTerm& term, Text own_namespace, Text other_namespace,
                     std::span<const Label> other_namespace_labels, const TextTable& texts) {
    if (neither_list_nor_selector(term)) {
        return own_namespace == other_namespace;
    }
    return listed(term, other_namespace) || matches(term.namespace_selector, other_namespace_labels, texts);
}

bool term_matches(const PodTerm& term, const NamespaceSet& namespaces, Text pod_namespace,
                  std::span<const Label> sorted_pod_labels, const TextTable& texts) {
    return namespaces.contains(pod_namespace) && matches(term.selector, sorted_pod_labels, texts);
}

}  // namespace bayplan
