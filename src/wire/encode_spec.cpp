// A pod's spec, field by field. Thread and owner: the Encoder's.
#include "wire/encode_spec.h"

#include "shim_generated.h"
#include "wire/encode_claims.h"
#include "wire/encode_terms.h"

namespace bayplan::wire {
namespace {

auto put_toleration(FlatBufferBuilder& out, const Toleration& toleration) {
    return fbs::CreateToleration(out, toleration.key,
                                 toleration.exists ? fbs::TolerationOperator::exists : fbs::TolerationOperator::equal,
                                 toleration.value, static_cast<fbs::TaintEffect>(toleration.effect));
}

auto put_port(FlatBufferBuilder& out, const HostPort& port) {
    return fbs::CreateHostPort(out, port.port, static_cast<fbs::Protocol>(port.protocol), port.address);
}

auto put_volume(FlatBufferBuilder& out, const PodVolume& volume) {
    const auto monitors = put_ids(out, volume.monitors);
    return fbs::CreatePodVolume(out, static_cast<fbs::VolumeKind>(volume.kind), volume.name, volume.driver, volume.pool,
                                monitors, volume.pod, volume.read_only);
}

// Writes the lists of one spec; an object so that each needs only its name.
struct SpecLists {
    FlatBufferBuilder& out;
    Tables& tables;

    auto preferred_nodes(const std::vector<WeightedNodeTerm>& terms) {
        return put_list<fbs::NodeTerm>(out, tables, terms, [this](const WeightedNodeTerm& one) {
            return put_node_term(out, tables, one.term, one.weight);
        });
    }
    auto pod_terms(const std::vector<PodTerm>& terms) {
        return put_list<fbs::PodTerm>(out, tables, terms,
                                      [this](const PodTerm& term) { return put_pod_term(out, tables, term, 0); });
    }
    auto pod_terms(const std::vector<WeightedPodTerm>& terms) {
        return put_list<fbs::PodTerm>(out, tables, terms, [this](const WeightedPodTerm& one) {
            return put_pod_term(out, tables, one.term, one.weight);
        });
    }
    auto spread(const std::vector<SpreadConstraint>& constraints) {
        return put_list<fbs::SpreadConstraint>(
            out, tables, constraints, [this](const SpreadConstraint& one) { return put_spread(out, tables, one); });
    }
    auto tolerations(const std::vector<Toleration>& all) {
        return put_list<fbs::Toleration>(out, tables, all,
                                         [this](const Toleration& one) { return put_toleration(out, one); });
    }
    auto ports(const std::vector<HostPort>& all) {
        return put_list<fbs::HostPort>(out, tables, all, [this](const HostPort& one) { return put_port(out, one); });
    }
    auto volumes(const std::vector<PodVolume>& all) {
        return put_list<fbs::PodVolume>(out, tables, all,
                                        [this](const PodVolume& one) { return put_volume(out, one); });
    }
};

}  // namespace

Offset<fbs::PodSpec> put_spec(FlatBufferBuilder& out, Tables& tables, const SpecItem& record) {
    const PodSpec& spec = record.spec;
    SpecLists lists{out, tables};
    const auto labels = put_labels(out, spec.labels);
    const auto node_selector = put_labels(out, spec.node_selector);
    const auto required_nodes = put_node_selector(out, tables, spec.required_nodes);
    const auto preferred_nodes = lists.preferred_nodes(spec.preferred_nodes);
    const auto tolerations = lists.tolerations(spec.tolerations);
    const auto affinity = lists.pod_terms(spec.affinity);
    const auto anti_affinity = lists.pod_terms(spec.anti_affinity);
    const auto preferred_affinity = lists.pod_terms(spec.preferred_affinity);
    const auto preferred_anti_affinity = lists.pod_terms(spec.preferred_anti_affinity);
    const auto spread = lists.spread(spec.spread);
    const auto ports = lists.ports(spec.ports);
    const auto volumes = lists.volumes(spec.volumes);
    const auto images = put_ids(out, spec.images);
    const auto gates = put_ids(out, spec.gates);
    const auto plugins = put_ids(out, spec.plugins);
    const auto resource_claims = put_pod_claims(out, tables, spec.resource_claims);
    return fbs::CreatePodSpec(out, record.number, spec.name_space, labels, node_selector, required_nodes,
                              preferred_nodes, tolerations, affinity, anti_affinity, preferred_affinity,
                              preferred_anti_affinity, spread, ports, volumes, images, gates, spec.owner.kind,
                              spec.owner.name, plugins, resource_claims);
}

}  // namespace bayplan::wire
