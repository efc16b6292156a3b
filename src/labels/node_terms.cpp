// nodeSelector and node affinity. See node_terms.h.

#include "labels/node_terms.h"

#include <algorithm>
#include <iterator>

namespace bayplan {

namespace {

bool empty(const NodeTerm& term) { return term.labels.empty() && term.fields.empty(); }

bool label_requirement_parses(const LabelRequirement& requirement, const TextTable& texts) {
    if (!valid_label_key(texts.text(requirement.key))) {
        return false;
    }
    switch (requirement.op) {
        case LabelOperator::in:
        case LabelOperator::not_in:
            if (requirement.values.empty()) {
                return false;
            }
            break;
        case LabelOperator::exists:
        case LabelOperator::does_not_exist: return requirement.values.empty();
        case LabelOperator::greater:
        case LabelOperator::less:
            if (requirement.values.size() != 1 || !decimal_int64(texts.text(requirement.values.front()))) {
                return false;
            }
            break;
        default: return false;
    }
    return std::ranges::all_of(requirement.values, [&](Text value) { return valid_label_value(texts.text(value)); });
}

bool field_requirement_parses(const LabelRequirement& requirement) {
    return (requirement.op == LabelOperator::in || requirement.op == LabelOperator::not_in) &&
           requirement.values.size() == 1;
}

bool field_matches(const LabelRequirement& requirement, Text node_name, const KnownTexts& known) {
    // Other fields than the name are empty.
    const Text have = requirement.key == known.metadata_name ? node_name : Text{0};
    return (requirement.values.front() == have) == (requirement.op == LabelOperator::in);
}

bool term_matches(const NodeTerm& term, std::span<const Label> labels, Text node_name, const KnownTexts& known,
                  const TextTable& texts, Terms terms) {
    if (empty(term) || (terms == Terms::as_stated && !parses(term, texts))) {
        return false;
    }
    const bool by_labels = std::ranges::all_of(
        term.labels, [&](const LabelRequirement& requirement) { return matches(requirement, labels, texts); });
    return by_labels && (node_name == 0 || std::ranges::all_of(term.fields, [&](const LabelRequirement& requirement) {
                             return field_matches(requirement, node_name, known);
                         }));
}

void keep_common_names(std::vector<Text>& names, const std::vector<Text>& others) {
    std::erase_if(names, [&](Text name) { return std::ranges::find(others, name) == others.end(); });
}

}  // namespace

bool parses(const NodeTerm& term, const TextTable& texts) {
    return std::ranges::all_of(
               term.labels,
               [&](const LabelRequirement& requirement) { return label_requirement_parses(requirement, texts); }) &&
           std::ranges::all_of(term.fields, field_requirement_parses);
}

void empty_unparsed(PodSpec& spec, const TextTable& texts) {
    const auto look_at = [&](NodeTerm& term) {
        if (!parses(term, texts)) term = {};
    };
    if (spec.required_nodes) std::ranges::for_each(*spec.required_nodes, look_at);
    for (WeightedNodeTerm& preferred : spec.preferred_nodes) look_at(preferred.term);
}

bool any_term_matches(std::span<const NodeTerm> list, std::span<const Label> node_labels, Text node_name,
                      const KnownTexts& known, const TextTable& texts, Terms terms) {
    return std::ranges::any_of(
        list, [&](const NodeTerm& term) { return term_matches(term, node_labels, node_name, known, texts, terms); });
}

bool required_nodes_match(const PodSpec& spec, const NodeFacts& node, const KnownTexts& known, const TextTable& texts,
                          Terms terms) {
    // The API server checks the selector's values; here they are compared as they are.
    for (const Label& wanted : spec.node_selector) {
        const Label* label = label_of(node.labels, wanted.key);
        if (label == nullptr || label->value != wanted.value) {
            return false;
        }
    }
    return !spec.required_nodes || any_term_matches(*spec.required_nodes, node.labels, node.name, known, texts, terms);
}

std::int64_t preferred_nodes_weight(const PodSpec& spec, const NodeFacts& node, const KnownTexts& known,
                                    const TextTable& texts, Terms terms) {
    std::int64_t sum = 0;
    for (const WeightedNodeTerm& preferred : spec.preferred_nodes) {
        if (preferred.weight != 0 && term_matches(preferred.term, node.labels, node.name, known, texts, terms)) {
            sum += preferred.weight;
        }
    }
    return sum;
}

NodeNameSet names_from_fields(const PodSpec& spec, const KnownTexts& known) {
    if (!spec.required_nodes || spec.required_nodes->empty()) {
        return {};
    }
    NodeNameSet narrowed;
    for (const NodeTerm& term : *spec.required_nodes) {
        std::optional<std::vector<Text>> of_term;
        for (const LabelRequirement& requirement : term.fields) {
            if (requirement.key != known.metadata_name || requirement.op != LabelOperator::in) {
                continue;
            }
            if (of_term) {
                keep_common_names(*of_term, requirement.values);
            } else {
                of_term = requirement.values;
            }
        }
        if (!of_term) {
            return {};  // this term is for all nodes, and terms are ORed
        }
        std::ranges::copy(*of_term, std::back_inserter(narrowed.names));
    }
    std::ranges::sort(narrowed.names);
    narrowed.names.erase(std::unique(narrowed.names.begin(), narrowed.names.end()), narrowed.names.end());
    narrowed.kind = narrowed.names.empty() ? NodeNameSet::Kind::conflict : NodeNameSet::Kind::names;
    return narrowed;
}

}  // namespace bayplan
