// The predicates about the node itself: unschedulable, name, taints, affinity, ports, resources.
//
// Thread and errors: see kube_predicate.h.
#include <algorithm>

#include "kube_devices.h"
#include "kube_match.h"
#include "kube_predicate.h"

namespace bayplan::oracle {

const std::vector<const KubePod*>& KubeLook::pods_of(const KubeNode& node) const {
    static const std::vector<const KubePod*> none;
    const auto found = pods_on.find(node.name);
    return found == pods_on.end() ? none : found->second;
}

KubeFault unschedulable(const std::string& reason) { return {Verdict::unschedulable, {reason}}; }

KubeFault unresolvable(const std::string& reason) { return {Verdict::unresolvable, {reason}}; }

namespace {

class NodeUnschedulable : public KubePredicate {
public:
    using KubePredicate::KubePredicate;
    KubeMaybeFault filter(const KubeNode& node) override {
        const KubeTaint taint{"node.kubernetes.io/unschedulable", "", TaintEffect::no_schedule};
        if (!node.unschedulable || look_.pod.tolerates_unschedulable ||
            any_tolerates(look_.spec().tolerations, taint)) {
            return std::nullopt;
        }
        return unresolvable("node(s) were unschedulable");
    }
};

class NodeName : public KubePredicate {
public:
    using KubePredicate::KubePredicate;
    KubeMaybeFault filter(const KubeNode& node) override {
        if (look_.pod.required_node.empty() || look_.pod.required_node == node.name) {
            return std::nullopt;
        }
        return unresolvable("node(s) didn't match the requested node name");
    }
};

class TaintToleration : public KubePredicate {
public:
    using KubePredicate::KubePredicate;
    KubeMaybeFault filter(const KubeNode& node) override {
        if (!has_untolerated_taint(look_.spec(), node)) {
            return std::nullopt;
        }
        return unresolvable("node(s) had untolerated taint(s)");
    }
};

class NodeAffinity : public KubePredicate {
public:
    using KubePredicate::KubePredicate;

    KubeMaybeFault prefilter() override {
        const auto names = only_nodes();
        if (names && names->empty()) {
            return unresolvable("pod affinity terms conflict");
        }
        return std::nullopt;
    }

    // Union over the terms of the intersection of their lists of names. A term without such a list
    // leaves every node. All values of a list are read, although a match demands just one value.
    std::optional<std::set<std::string>> only_nodes() override {
        const auto& terms = look_.spec().required_nodes;
        if (!terms || terms->empty()) {
            return std::nullopt;
        }
        std::set<std::string> all;
        for (const KubeNodeTerm& term : *terms) {
            std::optional<std::set<std::string>> names;
            for (const KubeRequirement& field : term.fields) {
                if (field.key != "metadata.name" || field.op != LabelOperator::in) {
                    continue;
                }
                const std::set<std::string> listed(field.values.begin(), field.values.end());
                if (!names) {
                    names = listed;
                } else {
                    std::erase_if(*names, [&](const auto& name) { return !listed.contains(name); });
                }
            }
            if (!names) {
                return std::nullopt;
            }
            all.insert(names->begin(), names->end());
        }
        return all;
    }

    KubeMaybeFault filter(const KubeNode& node) override {
        if (pod_wants_node(look_.spec(), node)) {
            return std::nullopt;
        }
        return unresolvable("node(s) didn't match Pod's node affinity/selector");
    }
};

class NodePorts : public KubePredicate {
public:
    using KubePredicate::KubePredicate;

    KubeMaybeFault filter(const KubeNode& node) override {
        for (const KubePort& wanted : look_.spec().ports) {
            for (const KubePod* pod : look_.pods_of(node)) {
                for (const KubePort& used : pod->spec->ports) {
                    if (wanted.port > 0 && conflict(wanted, used)) {
                        return unschedulable("node(s) didn't have free ports for the requested pod ports");
                    }
                }
            }
        }
        return std::nullopt;
    }

private:
    static bool conflict(const KubePort& a, const KubePort& b) {
        const auto address = [](const KubePort& port) { return port.address.empty() ? "0.0.0.0" : port.address; };
        return a.port == b.port && a.protocol == b.protocol &&
               (address(a) == "0.0.0.0" || address(b) == "0.0.0.0" || address(a) == address(b));
    }
};

class NodeResourcesFit : public KubePredicate {
public:
    using KubePredicate::KubePredicate;

    KubeMaybeFault filter(const KubeNode& node) override {
        KubeFault fault;
        for (const auto& [kind, amount] : look_.pod.requests) {
            if (amount <= 0) {
                continue;
            }
            const std::int64_t capacity = counted_capacity(*look_.state.objects, node.allocatable, kind);
            std::int64_t free = capacity;
            for (const KubePod* pod : look_.pods_of(node)) {
                free -= of(pod->requests, kind);
            }
            const auto held = look_.state.held.find(node.name);
            if (held != look_.state.held.end()) {
                free -= of(held->second, kind);
            }
            if (amount <= free && fits_devices(node, kind, amount)) {
                continue;
            }
            fault.reasons.push_back(kind == "pods" ? "Too many pods" : "Insufficient " + kind);
            if (kind != "pods" && amount > capacity) {
                fault.verdict = Verdict::unresolvable;
            }
        }
        return fault.reasons.empty() ? KubeMaybeFault() : fault;
    }

private:
    bool fits_devices(const KubeNode& node, const std::string& kind, std::int64_t amount) const {
        const auto count = node.devices.find(kind);
        if (count == node.devices.end()) {
            return true;
        }
        std::vector<KubeKept> kept;
        for (const KubeHold& hold : look_.state.holds) {
            if (hold.node == node.name) {
                kept.push_back({hold.kept_from_below, hold.reserved ? 2 : 0, hold.owner, 0, of(hold.amounts, kind)});
            }
        }
        std::vector<const KubePod*> pods;
        for (const KubePod* pod : look_.pods_of(node)) {
            if (pod->stands_in) {
                kept.push_back(
                    {std::int64_t{pod->priority} + 1, 1, pod->group_number, pod->sequence, of(pod->requests, kind)});
            } else {
                pods.push_back(pod);
            }
        }
        return devices_fit(devices_left(count->second, kind, pods, kept, look_.state.options.fullest_device), amount);
    }
};

}  // namespace

KubePredicatePointer kube_node_unschedulable(const KubeLook& look) { return std::make_unique<NodeUnschedulable>(look); }

KubePredicatePointer kube_node_name(const KubeLook& look) { return std::make_unique<NodeName>(look); }

KubePredicatePointer kube_taint_toleration(const KubeLook& look) { return std::make_unique<TaintToleration>(look); }

KubePredicatePointer kube_node_affinity(const KubeLook& look) { return std::make_unique<NodeAffinity>(look); }

KubePredicatePointer kube_node_ports(const KubeLook& look) { return std::make_unique<NodePorts>(look); }

KubePredicatePointer kube_node_resources_fit(const KubeLook& look) { return std::make_unique<NodeResourcesFit>(look); }

}  // namespace bayplan::oracle
