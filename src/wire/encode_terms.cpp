// Requirements, selectors, and the terms made of them. See encode_terms.h.
#include "wire/encode_terms.h"

namespace bayplan::wire {

ListOffset<fbs::Requirement> put_requirements(FlatBufferBuilder& out, Tables& tables,
                                              const std::vector<LabelRequirement>& requirements) {
    return put_list<fbs::Requirement>(out, tables, requirements, [&](const LabelRequirement& requirement) {
        const auto values = put_ids(out, requirement.values);
        return fbs::CreateRequirement(out, requirement.key, static_cast<fbs::LabelOperator>(requirement.op), values);
    });
}

Offset<fbs::LabelSelector> put_selector(FlatBufferBuilder& out, Tables& tables,
                                        const std::optional<LabelSelector>& selector) {
    if (!selector) {
        return {};
    }
    const auto requirements = put_requirements(out, tables, selector->requirements);
    return fbs::CreateLabelSelector(out, requirements);
}

Offset<fbs::NodeTerm> put_node_term(FlatBufferBuilder& out, Tables& tables, const NodeTerm& term, std::int32_t weight) {
    const auto labels = put_requirements(out, tables, term.labels);
    const auto fields = put_requirements(out, tables, term.fields);
    return fbs::CreateNodeTerm(out, labels, fields, weight);
}

Offset<fbs::NodeSelector> put_node_selector(FlatBufferBuilder& out, Tables& tables,
                                            const std::optional<std::vector<NodeTerm>>& terms) {
    if (!terms) {
        return {};
    }
    const auto list = put_list<fbs::NodeTerm>(
        out, tables, *terms, [&](const NodeTerm& term) { return put_node_term(out, tables, term, 0); });
    return fbs::CreateNodeSelector(out, list);
}

Offset<fbs::PodTerm> put_pod_term(FlatBufferBuilder& out, Tables& tables, const PodTerm& term, std::int32_t weight) {
    const auto selector = put_selector(out, tables, term.selector);
    const auto namespaces = put_ids(out, term.namespaces);
    const auto namespace_selector = put_selector(out, tables, term.namespace_selector);
    return fbs::CreatePodTerm(out, selector, namespaces, namespace_selector, term.topology_key, weight);
}

Offset<fbs::SpreadConstraint> put_spread(FlatBufferBuilder& out, Tables& tables, const SpreadConstraint& spread) {
    const auto policy = [](bool honor) { return honor ? fbs::InclusionPolicy::honor : fbs::InclusionPolicy::ignore; };
    const auto selector = put_selector(out, tables, spread.selector);
    const auto match_label_keys = put_ids(out, spread.match_label_keys);
    return fbs::CreateSpreadConstraint(
        out, spread.max_skew, spread.topology_key,
        spread.hard ? fbs::WhenUnsatisfiable::do_not_schedule : fbs::WhenUnsatisfiable::schedule_anyway, selector,
        match_label_keys, spread.min_domains, policy(spread.honor_node_affinity), policy(spread.honor_node_taints));
}

}  // namespace bayplan::wire
