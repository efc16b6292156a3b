// Pods of a dump: their requests by Kubernetes' own sums, and what they ask of nodes.
//
// Thread and errors: see kube_json.h.
#include <algorithm>
#include <ctime>

#include "kube_json_fields.h"
#include "kube_json_pod.h"

namespace bayplan::oracle {

namespace {

using json::Element;

const NanoAmounts kScoredDefaults = {{"cpu", Nano(100) * 1'000'000},
                                     {"memory", Nano(200) * 1024 * 1024 * 1'000'000'000}};

struct SumRules {
    bool use_status = false;
    bool pod_level = true;
    NanoAmounts defaults;  // for containers that request nothing of the kind
};

bool is_pod_level(const std::string& kind) {
    return kind == "cpu" || kind == "memory" || kind.starts_with("hugepages-");
}

bool has_pod_level(Element pod) {
    const NanoAmounts requests = json::amounts(pod, "spec.resources.requests");
    return std::any_of(requests.begin(), requests.end(), [](const auto& one) { return is_pod_level(one.first); });
}

bool resize_is_infeasible(Element pod) {
    for (const Element condition : json::list(pod, "status.conditions")) {
        if (json::text(condition, "type") == "PodResizePending" && json::text(condition, "reason") == "Infeasible") {
            return true;
        }
    }
    return false;
}

NanoAmounts of_container(Element pod, Element container, bool look_at_status, const SumRules& rules) {
    NanoAmounts out = json::amounts(container, "resources.requests");
    std::vector<Element> statuses = json::list(pod, "status.containerStatuses");
    for (const Element status : json::list(pod, "status.initContainerStatuses")) {
        statuses.push_back(status);
    }
    for (const Element status : statuses) {
        if (!look_at_status || json::text(status, "name") != json::text(container, "name") ||
            !json::at(status, "resources")) {
            continue;
        }
        if (resize_is_infeasible(pod)) {
            out.clear();
        }
        raise_to(out, json::amounts(status, "resources.requests"));
        raise_to(out, json::amounts(status, "allocatedResources"));
    }
    out.insert(rules.defaults.begin(), rules.defaults.end());
    return out;
}

NanoAmounts sum_of(Element pod, const SumRules& rules) {
    NanoAmounts sum;
    for (const Element container : json::list(pod, "spec.containers")) {
        add_to(sum, of_container(pod, container, rules.use_status, rules));
    }
    NanoAmounts sidecars;
    NanoAmounts starting;
    for (const Element container : json::list(pod, "spec.initContainers")) {
        const bool sidecar = json::text(container, "restartPolicy") == "Always";
        NanoAmounts own = of_container(pod, container, rules.use_status && sidecar, rules);
        if (sidecar) {
            add_to(sum, own);
            add_to(sidecars, own);
            own = sidecars;
        } else {
            add_to(own, sidecars);
        }
        raise_to(starting, own);
    }
    raise_to(sum, starting);
    if (rules.pod_level) {
        for (const auto& [kind, amount] : json::amounts(pod, "spec.resources.requests")) {
            if (is_pod_level(kind)) {
                sum[kind] = amount;
            }
        }
    }
    add_to(sum, json::amounts(pod, "spec.overhead"));
    return sum;
}

void read_requests(Element pod, KubePod& out) {
    const bool placed = !out.node.empty();
    const NanoAmounts requests = sum_of(pod, {placed, true, {}});
    for (const auto& [kind, amount] : requests) {
        if (json::is_tracked(kind)) {
            out.requests[kind] = to_units(kind, amount);
        }
    }
    out.requests["pods"] = 1;
    SumRules on_node{placed, true, kScoredDefaults};
    if (has_pod_level(pod)) {
        std::erase_if(on_node.defaults, [&](const auto& one) { return requests.contains(one.first); });
    }
    NanoAmounts scored = sum_of(pod, on_node);
    out.node_cpu = to_units("cpu", scored["cpu"]);
    out.node_memory = to_units("memory", scored["memory"]);
    // While the pod is judged, this score does not see pod-level requests.
    scored = sum_of(pod, {placed, false, kScoredDefaults});
    out.own_cpu = to_units("cpu", scored["cpu"]);
    out.own_memory = to_units("memory", scored["memory"]);
}

KubePodTerm pod_term(Element term, std::int64_t weight) {
    KubePodTerm out;
    out.weight = weight;
    out.selector = json::selector(term, "labelSelector");
    const auto namespaces = json::texts(term, "namespaces");
    out.namespaces = {namespaces.begin(), namespaces.end()};
    out.namespace_selector = json::selector(term, "namespaceSelector");
    out.topology_key = json::text(term, "topologyKey");
    return out;
}

void read_pod_terms(Element pod, const std::string& kind, std::vector<KubePodTerm>& required,
                    std::vector<KubePodTerm>& preferred) {
    const std::string path = "spec.affinity." + kind;
    for (const Element term : json::list(pod, path + ".requiredDuringSchedulingIgnoredDuringExecution")) {
        required.push_back(pod_term(term, 0));
    }
    for (const Element one : json::list(pod, path + ".preferredDuringSchedulingIgnoredDuringExecution")) {
        preferred.push_back(pod_term(*json::child(one, "podAffinityTerm"), json::number(one, "weight", 0)));
    }
}

void read_node_wishes(Element pod, KubeSpec& out) {
    for (const auto& [key, value] : json::labels(pod, "spec.nodeSelector")) {
        out.node_selector.emplace_back(key, value);
    }
    const std::string path = "spec.affinity.nodeAffinity.";
    const auto required = json::at(pod, path + "requiredDuringSchedulingIgnoredDuringExecution");
    if (required) {
        out.required_nodes = json::node_terms(*required, "nodeSelectorTerms");
    }
    for (const Element one : json::list(pod, path + "preferredDuringSchedulingIgnoredDuringExecution")) {
        out.preferred_nodes.push_back(
            {json::number(one, "weight", 0), json::node_term(*json::child(one, "preference"))});
    }
    for (const Element one : json::list(pod, "spec.tolerations")) {
        out.tolerations.push_back({json::text(one, "key"), json::text(one, "operator") == "Exists",
                                   json::text(one, "value"), taint_effect(json::text(one, "effect"))});
    }
}

void read_spread(Element pod, KubeSpec& out) {
    for (const Element one : json::list(pod, "spec.topologySpreadConstraints")) {
        KubeSpread spread;
        spread.max_skew = json::number(one, "maxSkew", 1);
        spread.topology_key = json::text(one, "topologyKey");
        spread.hard = json::text(one, "whenUnsatisfiable") != "ScheduleAnyway";
        spread.selector = json::selector(one, "labelSelector");
        spread.match_label_keys = json::texts(one, "matchLabelKeys");
        spread.min_domains = json::number(one, "minDomains", 1);
        spread.honor_node_affinity = json::text(one, "nodeAffinityPolicy") != "Ignore";
        spread.honor_node_taints = json::text(one, "nodeTaintsPolicy") == "Honor";
        out.spread.push_back(spread);
    }
}

void read_container(Element container, bool takes_ports, KubeSpec& out) {
    std::string image = json::text(container, "image");
    if (image.rfind(':') == std::string::npos ||
        (image.rfind('/') != std::string::npos && image.rfind(':') < image.rfind('/'))) {
        image += ":latest";
    }
    out.images.push_back(image);
    for (const Element one : json::list(container, "ports")) {
        const std::string protocol = json::text(one, "protocol");
        const int port = int(json::number(one, "hostPort", 0));
        if (takes_ports && port > 0) {
            out.ports.push_back({port,
                                 protocol == "UDP"    ? Protocol::udp
                                 : protocol == "SCTP" ? Protocol::sctp
                                                      : Protocol::tcp,
                                 json::text(one, "hostIP")});
        }
    }
}

std::optional<KubePodVolume> pod_volume(Element one, const std::string& pod_name) {
    struct InTree {
        const char* field;
        const char* name;
        VolumeKind kind;
        const char* driver;
    };
    static constexpr InTree kInTree[] = {
        {"gcePersistentDisk", "pdName", VolumeKind::gce_disk, "pd.csi.storage.gke.io"},
        {"awsElasticBlockStore", "volumeID", VolumeKind::aws_disk, "ebs.csi.aws.com"},
        {"azureDisk", "diskURI", VolumeKind::azure_disk, "disk.csi.azure.com"},
        {"iscsi", "iqn", VolumeKind::iscsi, ""},
        {"rbd", "image", VolumeKind::rbd, ""},
    };
    if (const auto claim = json::child(one, "persistentVolumeClaim")) {
        const std::string name = json::text(*claim, "claimName");
        return KubePodVolume{VolumeKind::claim, name, "", "", {}, false, ""};
    }
    if (json::child(one, "ephemeral")) {
        const std::string name = pod_name + "-" + json::text(one, "name");
        return KubePodVolume{VolumeKind::ephemeral, name, "", "", {}, false, pod_name};
    }
    for (const InTree& kind : kInTree) {
        if (const auto source = json::child(one, kind.field)) {
            const auto monitors = json::texts(*source, "monitors");
            return KubePodVolume{kind.kind,
                                 json::text(*source, kind.name),
                                 kind.driver,
                                 json::text(*source, "pool"),
                                 {monitors.begin(), monitors.end()},
                                 json::flag(*source, "readOnly"),
                                 ""};
        }
    }
    return std::nullopt;
}

// 2026-01-10T08:04:04Z as milliseconds; 0 if there is no such time.
std::int64_t milliseconds(const std::string& text) {
    std::tm parts{};
    if (text.empty() || strptime(text.c_str(), "%Y-%m-%dT%H:%M:%SZ", &parts) == nullptr) {
        return 0;
    }
    return std::int64_t{timegm(&parts)} * 1000;
}

// What preemption looks at, and how far the pod is on its way out.
void read_end(Element pod, KubePod& out) {
    out.key = json::text(pod, "metadata.namespace") + "/" + out.name;
    out.terminating = json::at(pod, "metadata.deletionTimestamp").has_value();
    out.never_preempts = json::text(pod, "spec.preemptionPolicy") == "Never";
    out.started_ms = milliseconds(json::text(pod, "status.startTime"));
    for (const Element condition : json::list(pod, "status.conditions")) {
        out.preempted = out.preempted || (json::text(condition, "type") == "DisruptionTarget" &&
                                          json::text(condition, "status") == "True" &&
                                          json::text(condition, "reason") == "PreemptionByScheduler");
    }
}

}  // namespace

TaintEffect taint_effect(const std::string& text) {
    return text.empty()                 ? TaintEffect::any
           : text == "PreferNoSchedule" ? TaintEffect::prefer_no_schedule
           : text == "NoExecute"        ? TaintEffect::no_execute
                                        : TaintEffect::no_schedule;
}

KubePod read_pod(Element pod) {
    KubePod out;
    out.name = json::text(pod, "metadata.name");
    out.node = json::text(pod, "spec.nodeName");
    out.priority = std::int32_t(json::number(pod, "spec.priority", 0));
    read_end(pod, out);
    read_requests(pod, out);
    KubeSpec spec;
    spec.name_space = json::text(pod, "metadata.namespace");
    spec.labels = json::labels(pod, "metadata.labels");
    read_node_wishes(pod, spec);
    read_pod_terms(pod, "podAffinity", spec.affinity, spec.preferred_affinity);
    read_pod_terms(pod, "podAntiAffinity", spec.anti_affinity, spec.preferred_anti_affinity);
    read_spread(pod, spec);
    for (const Element one : json::list(pod, "spec.initContainers")) {
        read_container(one, json::text(one, "restartPolicy") == "Always", spec);
    }
    for (const Element one : json::list(pod, "spec.containers")) {
        read_container(one, true, spec);
    }
    for (const Element one : json::list(pod, "spec.volumes")) {
        if (const auto volume = pod_volume(one, out.name)) {
            spec.volumes.push_back(*volume);
        }
    }
    for (const Element one : json::list(pod, "spec.schedulingGates")) {
        spec.gates.push_back(json::text(one, "name"));
    }
    for (const Element one : json::list(pod, "metadata.ownerReferences")) {
        if (json::flag(one, "controller")) {
            spec.owner_kind = json::text(one, "kind");
            spec.owner_name = json::text(one, "name");
        }
    }
    out.spec = std::make_shared<const KubeSpec>(std::move(spec));
    return out;
}

}  // namespace bayplan::oracle
