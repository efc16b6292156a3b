// Requirements, selectors, and the terms made of them. See decode_terms.h.
#include "wire/decode_terms.h"

namespace bayplan::wire {

bool read_requirements(const WireList<fbs::Requirement>* tables, const Where& item, const char* name, Fields& fields,
                       std::vector<LabelRequirement>& out) {
    return read_list(tables, item, name, fields, out,
                     [&](const fbs::Requirement& requirement, const Where& where, LabelRequirement& record) {
                         record.key = requirement.key();
                         record.op = static_cast<LabelOperator>(requirement.op());
                         return fields.known(record.op, LabelOperator::in, LabelOperator::less, where.at("op")) &&
                                fields.texts(requirement.values(), where.at("values"), record.values);
                     });
}

bool read_selector(const fbs::LabelSelector* selector, const Where& item, const char* name, Fields& fields,
                   std::optional<LabelSelector>& out) {
    return selector == nullptr ||
           read_requirements(selector->requirements(), item, name, fields, out.emplace().requirements);
}

bool read_node_term(const fbs::NodeTerm& term, const Where& where, Fields& fields, NodeTerm& out) {
    return read_requirements(term.labels(), where, "labels", fields, out.labels) &&
           read_requirements(term.fields(), where, "fields", fields, out.fields);
}

bool read_node_selector(const fbs::NodeSelector* selector, const Where& item, const char* name, Fields& fields,
                        std::optional<std::vector<NodeTerm>>& out) {
    return selector == nullptr || read_list(selector->terms(), item, name, fields, out.emplace(),
                                            [&](const fbs::NodeTerm& term, const Where& where, NodeTerm& record) {
                                                return read_node_term(term, where, fields, record);
                                            });
}

bool read_pod_term(const fbs::PodTerm& term, const Where& where, Fields& fields, PodTerm& out) {
    out.topology_key = term.topology_key();
    return read_selector(term.selector(), where, "selector", fields, out.selector) &&
           fields.texts(term.namespaces(), where.at("namespaces"), out.namespaces) &&
           read_selector(term.namespace_selector(), where, "namespace_selector", fields, out.namespace_selector);
}

bool read_spread(const fbs::SpreadConstraint& spread, const Where& where, Fields& fields, SpreadConstraint& out) {
    using fbs::InclusionPolicy;
    using fbs::WhenUnsatisfiable;
    out.max_skew = spread.max_skew();
    out.topology_key = spread.topology_key();
    out.hard = spread.when_unsatisfiable() == WhenUnsatisfiable::do_not_schedule;
    out.min_domains = spread.min_domains();
    out.honor_node_affinity = spread.node_affinity_policy() == InclusionPolicy::honor;
    out.honor_node_taints = spread.node_taints_policy() == InclusionPolicy::honor;
    return fields.known(spread.when_unsatisfiable(), WhenUnsatisfiable::do_not_schedule,
                        WhenUnsatisfiable::schedule_anyway, where.at("when_unsatisfiable")) &&
           fields.known(spread.node_affinity_policy(), InclusionPolicy::honor, InclusionPolicy::ignore,
                        where.at("node_affinity_policy")) &&
           fields.known(spread.node_taints_policy(), InclusionPolicy::honor, InclusionPolicy::ignore,
                        where.at("node_taints_policy")) &&
           read_selector(spread.selector(), where, "selector", fields, out.selector) &&
           fields.texts(spread.match_label_keys(), where.at("match_label_keys"), out.match_label_keys);
}

}  // namespace bayplan::wire
