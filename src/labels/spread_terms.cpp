// The pods that spread constraints count, and the constraints of pods that state none. See spread_terms.h.

#include "labels/spread_terms.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace bayplan {

namespace {

LabelRequirement equals(Text key, Text value) { return {.key = key, .op = LabelOperator::in, .values = {value}}; }

// Selectors of services and replication controllers are maps: the later value of a key replaces the former.
void merge(std::vector<LabelRequirement>& pairs, const LabelSelector& selector) {
    for (const LabelRequirement& requirement : selector.requirements) {
        const auto at = std::ranges::find(pairs, requirement.key, &LabelRequirement::key);
        if (at != pairs.end()) {
            *at = requirement;
        } else {
            pairs.push_back(requirement);
        }
    }
}

SpreadConstraint default_constraint(Text topology_key, std::int32_t max_skew, const LabelSelector& selector) {
    SpreadConstraint constraint;
    constraint.max_skew = max_skew;
    constraint.topology_key = topology_key;
    constraint.hard = false;
    constraint.selector = selector;
    return constraint;
}

}  // namespace

std::optional<PodSet> PodSetTable::apply(PodSet object) {
    std::vector<PodSet>& sets = by_namespace_[object.name_space];
    for (PodSet& set : sets) {
        if (set.kind == object.kind && set.name == object.name) {
            return std::exchange(set, std::move(object));
        }
    }
    sets.push_back(std::move(object));
    return std::nullopt;
}

std::optional<PodSet> PodSetTable::remove(Text kind, Text name_space, Text name) {
    const auto found = by_namespace_.find(name_space);
    if (found == by_namespace_.end()) {
        return std::nullopt;
    }
    std::vector<PodSet>& sets = found->second;
    const auto at = std::ranges::find_if(sets, [&](const PodSet& set) { return set.kind == kind && set.name == name; });
    if (at == sets.end()) {
        return std::nullopt;
    }
    std::optional<PodSet> before(*at);  // a copy: gcc 12 warns of moving an optional inside an optional
    sets.erase(at);
    if (sets.empty()) {
        by_namespace_.erase(found);
    }
    return before;
}

const PodSet* PodSetTable::find(Text kind, Text name_space, Text name) const {
    for (const PodSet& set : of_namespace(name_space)) {
        if (set.kind == kind && set.name == name) {
            return &set;
        }
    }
    return nullptr;
}

std::span<const PodSet> PodSetTable::of_namespace(Text name_space) const {
    const auto found = by_namespace_.find(name_space);
    return found == by_namespace_.end() ? std::span<const PodSet>() : std::span<const PodSet>(found->second);
}

std::optional<LabelSelector> effective_selector(const SpreadConstraint& constraint,
                                                std::span<const Label> sorted_pod_labels) {
    if (!constraint.selector) {
        return std::nullopt;
    }
    LabelSelector selector = *constraint.selector;
    for (const Text key : constraint.match_label_keys) {
        if (const Label* label = label_of(sorted_pod_labels, key)) {
            selector.requirements.push_back(equals(key, label->value));
        }
    }
    return canonical(std::move(selector));
}

LabelSelector default_selector(const PodSpec& spec, std::span<const Label> sorted_pod_labels, const PodSetTable& table,
                               const KnownTexts& known, const TextTable& texts) {
    LabelSelector selector;
    for (const PodSet& set : table.of_namespace(spec.name_space)) {
        if (set.kind == known.service && matches(set.selector, sorted_pod_labels, texts)) {
            merge(selector.requirements, *set.selector);
        }
    }
    const bool merges = spec.owner.kind == known.replication_controller;
    const bool adds = spec.owner.kind == known.replica_set || spec.owner.kind == known.stateful_set;
    const PodSet* owner = merges || adds ? table.find(spec.owner.kind, spec.name_space, spec.owner.name) : nullptr;
    if (owner != nullptr && owner->selector) {
        if (merges) {
            merge(selector.requirements, *owner->selector);
        } else {
            std::ranges::copy(owner->selector->requirements, std::back_inserter(selector.requirements));
        }
    }
    return canonical(std::move(selector));
}

std::vector<SpreadConstraint> default_constraints(const PodSpec& spec, std::span<const Label> sorted_pod_labels,
                                                  const PodSetTable& table, const KnownTexts& known,
                                                  const TextTable& texts) {
    const LabelSelector selector = default_selector(spec, sorted_pod_labels, table, known, texts);
    if (selector.requirements.empty()) {
        return {};
    }
    return {default_constraint(known.hostname, 3, selector), default_constraint(known.zone, 5, selector)};
}

}  // namespace bayplan
