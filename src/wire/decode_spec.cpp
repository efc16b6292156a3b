// A pod's spec, field by field. Thread and owner: the DecodedFrame's.
#include "wire/decode_spec.h"

#include <cstddef>

#include "shim_generated.h"
#include "wire/decode_claims.h"
#include "wire/decode_terms.h"

namespace bayplan::wire {
namespace {

// Fields::labels hands out spans of these over the wire's own bytes.
static_assert(offsetof(Label, key) == 0 && offsetof(Label, value) == 4);

bool read_toleration(const fbs::Toleration& toleration, const Where& where, Fields& fields, Toleration& out) {
    out.key = toleration.key();
    out.exists = toleration.op() == fbs::TolerationOperator::exists;
    out.value = toleration.value();
    out.effect = static_cast<TaintEffect>(toleration.effect());
    return fields.known(toleration.op(), fbs::TolerationOperator::equal, fbs::TolerationOperator::exists,
                        where.at("op")) &&
           fields.known(out.effect, TaintEffect::any, TaintEffect::no_execute, where.at("effect"));
}

bool read_port(const fbs::HostPort& port, const Where& where, Fields& fields, HostPort& out) {
    out.port = port.port();
    out.protocol = static_cast<Protocol>(port.protocol());
    out.address = port.address();
    return fields.known(out.protocol, Protocol::tcp, Protocol::sctp, where.at("protocol"));
}

bool read_volume(const fbs::PodVolume& volume, const Where& where, Fields& fields, PodVolume& out) {
    out.kind = static_cast<VolumeKind>(volume.kind());
    out.name = volume.name();
    out.driver = volume.driver();
    out.pool = volume.pool();
    out.pod = volume.pod();
    out.read_only = volume.read_only();
    return fields.known(out.kind, VolumeKind::claim, VolumeKind::other, where.at("kind")) &&
           fields.texts(volume.monitors(), where.at("monitors"), out.monitors);
}

bool read_preferred_nodes(const WireList<fbs::NodeTerm>* terms, const Where& where, Fields& fields,
                          std::vector<WeightedNodeTerm>& out) {
    return read_list(terms, where, "preferred_nodes", fields, out,
                     [&](const fbs::NodeTerm& term, const Where& at, WeightedNodeTerm& record) {
                         record.weight = term.weight();
                         return read_node_term(term, at, fields, record.term);
                     });
}

bool read_pod_terms(const WireList<fbs::PodTerm>* terms, const Where& where, const char* name, Fields& fields,
                    std::vector<PodTerm>& out) {
    return read_list(terms, where, name, fields, out, [&](const fbs::PodTerm& term, const Where& at, PodTerm& record) {
        return read_pod_term(term, at, fields, record);
    });
}

bool read_weighted_pod_terms(const WireList<fbs::PodTerm>* terms, const Where& where, const char* name, Fields& fields,
                             std::vector<WeightedPodTerm>& out) {
    return read_list(terms, where, name, fields, out,
                     [&](const fbs::PodTerm& term, const Where& at, WeightedPodTerm& record) {
                         record.weight = term.weight();
                         return read_pod_term(term, at, fields, record.term);
                     });
}

// The pod's terms on nodes.
bool read_node_part(const fbs::PodSpec& spec, const Where& where, Fields& fields, PodSpec& out) {
    return fields.labels(spec.node_selector(), where.at("node_selector"), out.node_selector) &&
           read_node_selector(spec.required_nodes(), where, "required_nodes", fields, out.required_nodes) &&
           read_preferred_nodes(spec.preferred_nodes(), where, fields, out.preferred_nodes) &&
           read_list(spec.tolerations(), where, "tolerations", fields, out.tolerations,
                     [&](const auto& table, const Where& at, Toleration& record) {
                         return read_toleration(table, at, fields, record);
                     });
}

// The pod's terms on other pods.
bool read_pod_part(const fbs::PodSpec& spec, const Where& where, Fields& fields, PodSpec& out) {
    return read_pod_terms(spec.affinity(), where, "affinity", fields, out.affinity) &&
           read_pod_terms(spec.anti_affinity(), where, "anti_affinity", fields, out.anti_affinity) &&
           read_weighted_pod_terms(spec.preferred_affinity(), where, "preferred_affinity", fields,
                                   out.preferred_affinity) &&
           read_weighted_pod_terms(spec.preferred_anti_affinity(), where, "preferred_anti_affinity", fields,
                                   out.preferred_anti_affinity) &&
           read_list(spec.spread(), where, "spread", fields, out.spread,
                     [&](const auto& table, const Where& at, SpreadConstraint& record) {
                         return read_spread(table, at, fields, record);
                     });
}

bool read_own_part(const fbs::PodSpec& spec, const Where& where, Fields& fields, PodSpec& out) {
    out.name_space = spec.name_space();
    out.owner = {spec.owner_kind(), spec.owner_name()};
    return fields.labels(spec.labels(), where.at("labels"), out.labels) &&
           read_list(spec.ports(), where, "ports", fields, out.ports,
                     [&](const auto& table, const Where& at, HostPort& record) {
                         return read_port(table, at, fields, record);
                     }) &&
           read_list(spec.volumes(), where, "volumes", fields, out.volumes,
                     [&](const auto& table, const Where& at, PodVolume& record) {
                         return read_volume(table, at, fields, record);
                     }) &&
           fields.texts(spec.images(), where.at("images"), out.images) &&
           fields.texts(spec.gates(), where.at("gates"), out.gates) &&
           fields.texts(spec.plugins(), where.at("plugins"), out.plugins) &&
           read_pod_claims(spec.resource_claims(), where, fields, out.resource_claims);
}

}  // namespace

bool decode_spec(const fbs::PodSpec& spec, const Where& where, Fields& fields, SpecItem& out) {
    out.number = spec.number();
    return read_own_part(spec, where, fields, out.spec) && read_node_part(spec, where, fields, out.spec) &&
           read_pod_part(spec, where, fields, out.spec);
}

}  // namespace bayplan::wire
