// Nodes and objects of a dump, by kind.
//
// Thread and errors: see kube_json.h.
#include "kube_json.h"

#include <stdexcept>

#include "kube_json_fields.h"
#include "kube_json_pod.h"

namespace bayplan::oracle {

namespace {

using json::Element;

std::string name_of(Element object) { return json::text(object, "metadata.name"); }

std::int64_t storage(Element object, std::string_view path) {
    const NanoAmounts amounts = json::amounts(object, path);
    const auto found = amounts.find("storage");
    return found == amounts.end() ? 0 : to_units("storage", found->second);
}

KubeNode read_node(Element object) {
    KubeNode out;
    out.name = name_of(object);
    out.labels = json::labels(object, "metadata.labels");
    out.unschedulable = json::flag(object, "spec.unschedulable");
    for (const Element one : json::list(object, "spec.taints")) {
        out.taints.push_back(
            {json::text(one, "key"), json::text(one, "value"), taint_effect(json::text(one, "effect"))});
    }
    for (const auto& [kind, amount] : json::amounts(object, "status.allocatable")) {
        if (json::is_tracked(kind)) {
            out.allocatable[kind] = to_units(kind, amount);
        }
    }
    for (const Element one : json::list(object, "status.images")) {
        for (const std::string& image : json::texts(one, "names")) {
            out.images.emplace(image, json::number(one, "sizeBytes", 0));
        }
    }
    return out;
}

KubeClaim read_claim(Element object) {
    KubeClaim out;
    out.name_space = json::text(object, "metadata.namespace");
    out.name = name_of(object);
    const KubeLabels annotations = json::labels(object, "metadata.annotations");
    out.storage_class = json::text(object, "spec.storageClassName");
    if (annotations.contains("volume.beta.kubernetes.io/storage-class")) {
        out.storage_class = annotations.at("volume.beta.kubernetes.io/storage-class");
    }
    out.volume = json::text(object, "spec.volumeName");
    out.bind_completed = annotations.contains("pv.kubernetes.io/bind-completed");
    out.lost = json::text(object, "status.phase") == "Lost";
    out.deleting = json::at(object, "metadata.deletionTimestamp").has_value();
    out.block_mode = json::text(object, "spec.volumeMode") == "Block";
    out.access_modes = json::access_modes(object, "spec.accessModes");
    out.bytes = storage(object, "spec.resources.requests");
    out.selector = json::selector(object, "spec.selector");
    if (annotations.contains("volume.kubernetes.io/selected-node")) {
        out.selected_node = annotations.at("volume.kubernetes.io/selected-node");
    }
    for (const Element one : json::list(object, "metadata.ownerReferences")) {
        if (json::flag(one, "controller")) {
            out.owner_pod = json::text(one, "name");
        }
    }
    return out;
}

KubeVolume read_volume(Element object) {
    KubeVolume out;
    out.name = name_of(object);
    out.labels = json::labels(object, "metadata.labels");
    out.storage_class = json::text(object, "spec.storageClassName");
    out.access_modes = json::access_modes(object, "spec.accessModes");
    out.bytes = storage(object, "spec.capacity");
    out.block_mode = json::text(object, "spec.volumeMode") == "Block";
    out.deleting = json::at(object, "metadata.deletionTimestamp").has_value();
    out.available = json::text(object, "status.phase") == "Available";
    out.claim_has_uid = !json::text(object, "spec.claimRef.uid").empty();
    out.claim_namespace = json::text(object, "spec.claimRef.namespace");
    out.claim = json::text(object, "spec.claimRef.name");
    if (json::at(object, "spec.nodeAffinity.required")) {
        out.nodes = json::node_terms(object, "spec.nodeAffinity.required.nodeSelectorTerms");
    }
    if (json::at(object, "spec.csi")) {
        out.source = VolumeKind::csi;
        out.driver = json::text(object, "spec.csi.driver");
        out.handle = json::text(object, "spec.csi.volumeHandle");
    }
    return out;
}

KubeStorageClass read_class(Element object) {
    KubeStorageClass out;
    out.name = name_of(object);
    out.provisioner = json::text(object, "provisioner");
    const std::string mode = json::text(object, "volumeBindingMode");
    out.has_binding_mode = !mode.empty();
    out.wait_for_first_consumer = mode == "WaitForFirstConsumer";
    for (const Element term : json::list(object, "allowedTopologies")) {
        KubeSelector selector;
        for (const Element one : json::list(term, "matchLabelExpressions")) {
            selector.push_back({json::text(one, "key"), LabelOperator::in, json::texts(one, "values")});
        }
        out.allowed_topologies.push_back(selector);
    }
    return out;
}

KubeCsiNode read_csi_node(Element object) {
    KubeCsiNode out;
    out.node = name_of(object);
    for (const Element one : json::list(object, "spec.drivers")) {
        if (json::at(one, "allocatable.count")) {
            out.limits[json::text(one, "name")] = json::number(one, "allocatable.count", 0);
        }
    }
    return out;
}

KubePodSet read_pod_set(Element object, const std::string& kind) {
    KubePodSet out{kind, json::text(object, "metadata.namespace"), name_of(object), {}};
    if (kind != "Service" && kind != "ReplicationController") {
        out.selector = json::selector(object, "spec.selector");
    } else if (json::at(object, "spec.selector")) {
        out.selector.emplace();
        for (const auto& [key, value] : json::labels(object, "spec.selector")) {
            out.selector->push_back({key, LabelOperator::in, {value}});
        }
    }
    return out;
}

KubeBudget read_budget(Element object) {
    KubeBudget out;
    out.name_space = json::text(object, "metadata.namespace");
    out.name = name_of(object);
    out.selector = json::selector(object, "spec.selector");
    out.allowed = json::number(object, "status.disruptionsAllowed", 0);
    if (const auto disrupted = json::at(object, "status.disruptedPods")) {
        for (const auto& [pod, when] : simdjson::dom::object(*disrupted)) {
            out.disrupted.insert(std::string(pod));
        }
    }
    return out;
}

// Kinds that predicates, scores and preemption do not look at are passed over.
void read_object(Element object, const std::string& kind, KubeObjects& out) {
    const std::string name = name_of(object);
    if (kind == "Namespace") {
        out.namespaces[name] = {name, json::labels(object, "metadata.labels")};
    } else if (kind == "Service" || kind == "ReplicaSet" || kind == "StatefulSet" || kind == "ReplicationController") {
        const KubePodSet set = read_pod_set(object, kind);
        out.pod_sets[{kind, {set.name_space, name}}] = set;
    } else if (kind == "PodDisruptionBudget") {
        const KubeBudget budget = read_budget(object);
        out.budgets[{budget.name_space, name}] = budget;
    } else if (kind == "PersistentVolumeClaim") {
        const KubeClaim claim = read_claim(object);
        out.claims[{claim.name_space, name}] = claim;
    } else if (kind == "PersistentVolume") {
        out.volumes[name] = read_volume(object);
    } else if (kind == "StorageClass") {
        out.classes[name] = read_class(object);
    } else if (kind == "CSINode") {
        out.csi_nodes[name] = read_csi_node(object);
    } else if (kind == "CSIDriver") {
        out.csi_drivers[name] = {name, json::flag(object, "spec.storageCapacity")};
    } else if (kind == "VolumeAttachment") {
        out.attachments[name] = {name, json::text(object, "spec.attacher"), json::text(object, "spec.nodeName"),
                                 json::text(object, "spec.source.persistentVolumeName")};
    }
}

}  // namespace

KubeCluster read_cluster(Element list) {
    KubeCluster out;
    for (const Element object : json::list(list, "items")) {
        const std::string kind = json::text(object, "kind");
        if (kind == "Node") {
            out.nodes.push_back(std::make_unique<KubeNode>(read_node(object)));
        } else if (kind == "Pod") {
            const std::string phase = json::text(object, "status.phase");
            if (phase != "Succeeded" && phase != "Failed") {
                out.pods.push_back(std::make_unique<KubePod>(read_pod(object)));
                const std::string nominated = json::text(object, "status.nominatedNodeName");
                if (out.pods.back()->node.empty() && !nominated.empty()) {
                    out.nominations.push_back({out.pods.back().get(), nominated});
                }
            }
        } else {
            read_object(object, kind, out.objects);
        }
    }
    return out;
}

KubeState KubeCluster::state(const KubeOptions& options) const {
    KubeState out;
    for (const auto& node : nodes) {
        out.nodes.push_back(node.get());
        // Of a snapshot: what the first says that has it.
        out.image_sizes.insert(node->images.begin(), node->images.end());
    }
    for (const auto& pod : pods) {
        if (!pod->node.empty()) {
            out.pods.push_back(pod.get());
        }
    }
    out.nominations = nominations;
    out.objects = &objects;
    out.options = options;
    return out;
}

const KubePod& KubeCluster::pod(const std::string& name_space, const std::string& name) const {
    for (const auto& pod : pods) {
        if (pod->name == name && pod->spec->name_space == name_space) {
            return *pod;
        }
    }
    throw std::invalid_argument("no such pod: " + name_space + "/" + name);
}

}  // namespace bayplan::oracle
