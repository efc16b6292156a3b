// Records with their ids spelled out.
//
// Thread and errors: see kube_texts.h.
#include "kube_texts.h"

namespace bayplan::oracle {

namespace {

std::vector<std::string> texts(const std::vector<bayplan::Text>& ids, TextReader& read) {
    std::vector<std::string> out;
    for (const bayplan::Text id : ids) {
        out.push_back(read(id));
    }
    return out;
}

KubeNodeTerm node_term(const NodeTerm& term, TextReader& read) {
    KubeNodeTerm out;
    out.labels = spelled_out(term.labels, read);
    out.fields = spelled_out(term.fields, read);
    return out;
}

KubePodTerm pod_term(const PodTerm& term, std::int64_t weight, TextReader& read) {
    KubePodTerm out;
    out.weight = weight;
    out.selector = spelled_out(term.selector, read);
    const auto namespaces = texts(term.namespaces, read);
    out.namespaces = {namespaces.begin(), namespaces.end()};
    out.namespace_selector = spelled_out(term.namespace_selector, read);
    out.topology_key = read(term.topology_key);
    return out;
}

std::vector<KubePodTerm> pod_terms(const std::vector<PodTerm>& terms, TextReader& read) {
    std::vector<KubePodTerm> out;
    for (const PodTerm& term : terms) {
        out.push_back(pod_term(term, 0, read));
    }
    return out;
}

std::vector<KubePodTerm> pod_terms(const std::vector<WeightedPodTerm>& terms, TextReader& read) {
    std::vector<KubePodTerm> out;
    for (const WeightedPodTerm& term : terms) {
        out.push_back(pod_term(term.term, term.weight, read));
    }
    return out;
}

KubeSpread spread(const SpreadConstraint& one, TextReader& read) {
    KubeSpread out;
    out.max_skew = one.max_skew;
    out.topology_key = read(one.topology_key);
    out.hard = one.hard;
    out.selector = spelled_out(one.selector, read);
    out.match_label_keys = texts(one.match_label_keys, read);
    out.min_domains = one.min_domains;
    out.honor_node_affinity = one.honor_node_affinity;
    out.honor_node_taints = one.honor_node_taints;
    return out;
}

KubePodVolume pod_volume(const PodVolume& one, TextReader& read) {
    KubePodVolume out;
    out.kind = one.kind;
    out.name = read(one.name);
    out.driver = read(one.driver);
    out.pool = read(one.pool);
    const auto monitors = texts(one.monitors, read);
    out.monitors = {monitors.begin(), monitors.end()};
    out.read_only = one.read_only;
    out.pod = read(one.pod);
    return out;
}

}  // namespace

std::string TextReader::operator()(bayplan::Text id) {
    const auto found = dictionary_.find(id);
    if (found != dictionary_.end()) {
        bytes_ += found->second.size();
        return found->second;
    }
    if (id != 0 && !unknown_) {
        unknown_ = id;
    }
    return "";
}

KubeLabels spelled_out(const std::vector<Label>& labels, TextReader& read) {
    KubeLabels out;
    for (const Label& label : labels) {
        const std::string key = read(label.key);
        out[key] = read(label.value);
    }
    return out;
}

KubeSelector spelled_out(const std::vector<LabelRequirement>& requirements, TextReader& read) {
    KubeSelector out;
    for (const LabelRequirement& one : requirements) {
        const std::string key = read(one.key);
        out.push_back({key, one.op, texts(one.values, read)});
    }
    return out;
}

KubeMaybeSelector spelled_out(const std::optional<LabelSelector>& selector, TextReader& read) {
    return selector ? KubeMaybeSelector(spelled_out(selector->requirements, read)) : std::nullopt;
}

std::optional<std::vector<KubeNodeTerm>> spelled_out(const std::optional<std::vector<NodeTerm>>& terms,
                                                     TextReader& read) {
    if (!terms) {
        return std::nullopt;
    }
    std::vector<KubeNodeTerm> out;
    for (const NodeTerm& term : *terms) {
        out.push_back(node_term(term, read));
    }
    return out;
}

KubeSpec spelled_out(const PodSpec& spec, TextReader& read) {
    KubeSpec out;
    out.name_space = read(spec.name_space);
    out.labels = spelled_out(spec.labels, read);
    for (const Label& label : spec.node_selector) {
        const std::string key = read(label.key);
        out.node_selector.emplace_back(key, read(label.value));
    }
    out.required_nodes = spelled_out(spec.required_nodes, read);
    for (const WeightedNodeTerm& one : spec.preferred_nodes) {
        out.preferred_nodes.push_back({one.weight, node_term(one.term, read)});
    }
    for (const Toleration& one : spec.tolerations) {
        const std::string key = read(one.key);
        out.tolerations.push_back({key, one.exists, read(one.value), one.effect});
    }
    out.affinity = pod_terms(spec.affinity, read);
    out.anti_affinity = pod_terms(spec.anti_affinity, read);
    out.preferred_affinity = pod_terms(spec.preferred_affinity, read);
    out.preferred_anti_affinity = pod_terms(spec.preferred_anti_affinity, read);
    for (const SpreadConstraint& one : spec.spread) {
        out.spread.push_back(spread(one, read));
    }
    for (const HostPort& one : spec.ports) {
        out.ports.push_back({one.port, one.protocol, read(one.address)});
    }
    for (const PodVolume& one : spec.volumes) {
        out.volumes.push_back(pod_volume(one, read));
    }
    out.images = texts(spec.images, read);
    out.gates = texts(spec.gates, read);
    out.owner_kind = read(spec.owner.kind);
    out.owner_name = read(spec.owner.name);
    out.plugins = texts(spec.plugins, read);
    for (const PodResourceClaim& one : spec.resource_claims.claims) {
        const std::string entry = read(one.entry);
        out.resource_claims.push_back({entry, one.source, read(one.claim)});
    }
    out.pod = read(spec.resource_claims.pod);
    out.uid = read(spec.resource_claims.uid);
    return out;
}

}  // namespace bayplan::oracle
