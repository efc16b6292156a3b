// See pod.h. Source of the rules: Kubernetes 1.35's plugins, each field as they read it.
#include "kube/pod.h"

#include <algorithm>
#include <charconv>
#include <limits>

#include "kube/objects.h"
#include "kube/qos.h"
#include "kube/requests.h"
#include "kube/resource_names.h"
#include "kube/volumes.h"

namespace bayplan::kube {

namespace {

constexpr std::string_view kUnschedulableTaint = "node.kubernetes.io/unschedulable";

std::int32_t weight(Converter& convert, const Value& value) {
    return static_cast<std::int32_t>(convert.reader.integer(value["weight"], 0, 0, kIntMax));
}

void node_affinity(Converter& convert, const Value& value, PodSpec& spec) {
    const Value& required = value["requiredDuringSchedulingIgnoredDuringExecution"];
    if (required.present()) {
        spec.required_nodes = convert.node_terms(required["nodeSelectorTerms"]);
    }
    for (const Value& one : convert.reader.items(value["preferredDuringSchedulingIgnoredDuringExecution"])) {
        spec.preferred_nodes.push_back({weight(convert, one), convert.node_term(one["preference"])});
    }
}

void pod_affinity(Converter& convert, const Value& value, std::vector<PodTerm>& required,
                  std::vector<WeightedPodTerm>& preferred) {
    for (const Value& one : convert.reader.items(value["requiredDuringSchedulingIgnoredDuringExecution"])) {
        required.push_back(convert.pod_term(one));
    }
    for (const Value& one : convert.reader.items(value["preferredDuringSchedulingIgnoredDuringExecution"])) {
        preferred.push_back({weight(convert, one), convert.pod_term(one["podAffinityTerm"])});
    }
}

// Gt and Lt are of an alpha feature that is off: such a toleration tolerates nothing and is left out.
void toleration(Converter& convert, const Value& value, PodSpec& spec) {
    const std::string_view name = convert.reader.text(value["operator"]);
    const Toleration made{convert.text(value["key"]), name == "Exists", convert.text(value["value"]),
                          convert.effect(value["effect"])};
    if (name.empty() || name == "Equal" || name == "Exists") {
        spec.tolerations.push_back(made);
    } else if (name != "Gt" && name != "Lt") {
        convert.reader.fault(value["operator"], "'" + std::string(name) + "' is no operator of a toleration");
    }
}

// A policy's two words: true for Honor.
bool honors(Converter& convert, const Value& value, bool absent) {
    const std::string_view name = convert.reader.text(value);
    if (!name.empty() && name != "Honor" && name != "Ignore") {
        convert.reader.fault(value, "'" + std::string(name) + "' is neither Honor nor Ignore");
    }
    return name.empty() ? absent : name == "Honor";
}

void spread(Converter& convert, const Value& value, PodSpec& spec) {
    Reader& reader = convert.reader;
    SpreadConstraint& made = spec.spread.emplace_back();
    made.max_skew = static_cast<std::int32_t>(reader.integer(value["maxSkew"], 1, 1, kIntMax));
    if (!value["maxSkew"].present()) {
        reader.fault_below(value, "maxSkew", "is missing");
    }
    made.topology_key = convert.needed(value, "topologyKey");
    const std::string_view when = reader.needed(value, "whenUnsatisfiable");
    made.hard = when == "DoNotSchedule";
    if (!when.empty() && !made.hard && when != "ScheduleAnyway") {
        reader.fault(value["whenUnsatisfiable"],
                     "'" + std::string(when) + "' is neither DoNotSchedule nor ScheduleAnyway");
    }
    made.selector = convert.selector(value["labelSelector"]);
    made.match_label_keys = convert.text_list(value["matchLabelKeys"]);
    made.min_domains = static_cast<std::int32_t>(reader.integer(value["minDomains"], 1, 1, kIntMax));
    made.honor_node_affinity = honors(convert, value["nodeAffinityPolicy"], true);
    made.honor_node_taints = honors(convert, value["nodeTaintsPolicy"], false);
}

void host_port(Converter& convert, const Value& value, PodSpec& spec) {
    Reader& reader = convert.reader;
    HostPort made;
    made.port = static_cast<std::uint16_t>(reader.integer(value["hostPort"], 0, 0, 65'535));
    const std::string_view protocol = reader.text(value["protocol"]);
    if (protocol == "UDP") {
        made.protocol = Protocol::udp;
    } else if (protocol == "SCTP") {
        made.protocol = Protocol::sctp;
    } else if (!protocol.empty() && protocol != "TCP") {
        reader.fault(value["protocol"], "'" + std::string(protocol) + "' is none of TCP, UDP, SCTP");
    }
    const Value& address = value["hostIP"];
    made.address = reader.text(address) == "0.0.0.0" ? Text{0} : convert.text(address);
    if (made.port != 0) {
        spec.ports.push_back(made);
    }
}

// A name without a tag means ":latest"; a colon before the last slash is a registry's port.
std::string with_tag(std::string_view image) {
    const std::size_t colon = image.rfind(':');
    const std::size_t slash = image.rfind('/');
    const bool tagged = colon != std::string_view::npos && (slash == std::string_view::npos || colon > slash);
    return std::string(image) + (tagged ? "" : ":latest");
}

// Every container counts as an image, since the score's range grows with their number; a pod none of whose
// containers names an image scores 0 everywhere, which no images at all say shorter.
void containers(Converter& convert, const Value& pod, PodSpec& spec) {
    Reader& reader = convert.reader;
    bool named = false;
    const auto one = [&](const Value& container, bool ports) {
        const std::string_view image = reader.text(container["image"]);
        named = named || !image.empty();
        spec.images.push_back(convert.intern(container["image"], with_tag(image)));
        for (const Value& port : ports ? reader.items(container["ports"]) : std::span<const Value>()) {
            host_port(convert, port, spec);
        }
    };
    for (const Value& container : reader.items(pod["initContainers"])) {
        one(container, reader.text(container["restartPolicy"]) == "Always");
    }
    for (const Value& container : reader.items(pod["containers"])) {
        one(container, true);
    }
    if (!named) {
        spec.images.clear();
    }
}

// The kinds whose selector decides the default spread count only as what they are in their own API group.
PodOwner pod_owner(Converter& convert, const Value& owner) {
    if (!owner.present()) {
        return {};
    }
    const std::string_view kind = convert.reader.text(owner["kind"]);
    const std::string_view version = convert.reader.text(owner["apiVersion"]);
    const bool apps = kind == "ReplicaSet" || kind == "StatefulSet";
    if ((apps && version != "apps/v1") || (kind == "ReplicationController" && version != "v1")) {
        return {};
    }
    return {convert.text(owner["kind"]), convert.text(owner["name"])};
}

// Keys are names joined by a slash, and stand in lines of words and of lists with commas: none of these may be in
// a name. (The API server allows less.)
bool is_object_name(std::string_view name) {
    return std::none_of(name.begin(), name.end(), [](char letter) {
        return letter == '/' || letter == ',' || static_cast<unsigned char>(letter) <= ' ';
    });
}

PodSpec pod_spec(Converter& convert, const Value& pod, std::string_view name) {
    Reader& reader = convert.reader;
    const Value& value = pod["spec"];
    PodSpec spec;
    spec.name_space = convert.intern(pod["metadata"]["namespace"], convert.name_space());
    spec.labels = convert.labels(pod["metadata"]["labels"]);
    spec.node_selector = convert.labels(value["nodeSelector"]);
    const Value& affinity = value["affinity"];
    node_affinity(convert, affinity["nodeAffinity"], spec);
    pod_affinity(convert, affinity["podAffinity"], spec.affinity, spec.preferred_affinity);
    pod_affinity(convert, affinity["podAntiAffinity"], spec.anti_affinity, spec.preferred_anti_affinity);
    for (const Value& one : reader.items(value["tolerations"])) {
        toleration(convert, one, spec);
    }
    for (const Value& one : reader.items(value["topologySpreadConstraints"])) {
        spread(convert, one, spec);
    }
    containers(convert, value, spec);
    spec.volumes = pod_volumes(convert, value["volumes"], name);
    for (const Value& one : reader.items(value["schedulingGates"])) {
        spec.gates.push_back(convert.needed(one, "name"));
    }
    spec.owner = pod_owner(convert, convert.controller(pod["metadata"]));
    spec.resource_claims = pod_resource_claims(convert, pod);
    return spec;
}

void add_amounts(Converter& convert, const PodRequests& requests, ConvertedPod& made) {
    const Value& where = convert.reader.root()["spec"];
    for (const Resource& resource : requests.total) {
        const Rounded rounded =
            resource.name == kCpuName ? thousandths(resource.quantity) : whole_items(resource.quantity);
        if (rounded.cut) {
            convert.reader.remark(
                where, "requests more " + std::string(resource.name) + " than 2^53, which is counted in its place");
        }
        if (rounded.value > 0) {
            made.requests.push_back({convert.intern(where, resource.name), rounded.value});
        }
    }
    made.requests.push_back({convert.texts.id(kPodsName), 1});
    made.ask.node_cpu = thousandths(requests.node_cpu).value;
    made.ask.node_memory = whole_items(requests.node_memory).value;
    made.ask.own_cpu = thousandths(requests.own_cpu).value;
    made.ask.own_memory = whole_items(requests.own_memory).value;
}

bool tolerates_unschedulable(const Converter& convert, const std::vector<Toleration>& tolerations) {
    const Text key = convert.texts.find(kUnschedulableTaint);
    return std::any_of(tolerations.begin(), tolerations.end(), [key](const Toleration& one) {
        const bool effect = one.effect == TaintEffect::any || one.effect == TaintEffect::no_schedule;
        // Without a key every key; an id of 0 for the taint's own means that no toleration names it.
        return effect && (one.key == 0 || one.key == key) && (one.exists || one.value == 0);
    });
}

// Of a pod that is being deleted the metadata says how long it was given.
std::int32_t grace_period_s(Converter& convert, const Value& pod) {
    const Value& deleted = pod["metadata"]["deletionGracePeriodSeconds"];
    const Value& wanted = deleted.present() ? deleted : pod["spec"]["terminationGracePeriodSeconds"];
    return static_cast<std::int32_t>(convert.reader.integer(wanted, -1, 0, kIntMax));
}

// A scheduler's preemption marks its victims with a condition before it deletes them.
bool preempted(Converter& convert, const Value& pod) {
    for (const Value& condition : convert.reader.items(pod["status"]["conditions"])) {
        if (condition["type"].text() == "DisruptionTarget" && condition["status"].text() == "True" &&
            condition["reason"].text() == "PreemptionByScheduler") {
            return true;
        }
    }
    return false;
}

void owners(Converter& convert, const Value& metadata, ConvertedPod& made) {
    Reader& reader = convert.reader;
    made.uid = reader.text(metadata["uid"]);
    made.ask.daemonset = reader.text(convert.controller(metadata)["kind"]) == "DaemonSet";
    for (const Value& owner : reader.items(metadata["ownerReferences"])) {
        const std::string_view kind = reader.text(owner["kind"]);
        made.ask.is_static = made.ask.is_static || kind == "Node";
        if (kind == "Pod") {
            made.owner_pods.emplace_back(reader.text(owner["uid"]));
        }
    }
}

// The labels of a pod group; of each the first prefix counts.
constexpr std::string_view kGroupPrefixes[] = {"pod-group.scheduling.x-k8s.io/", "pod-group.scheduling.sigs.k8s.io/"};

const Value& group_label(const Value& labels, std::string_view name) {
    static const Value kNone;
    for (const std::string_view prefix : kGroupPrefixes) {
        if (const Value& found = labels[std::string(prefix) + std::string(name)]; found.present()) {
            return found;
        }
    }
    return kNone;
}

// A decimal number from 1 to 2^31 - 1; 0: it is none.
std::uint32_t minimum_of(std::string_view text) {
    std::uint32_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    return error == std::errc() && end == text.data() + text.size() && number <= kIntMax ? number : 0;
}

// Where the members of a group lie is said by annotations: the labels of groups have no word for it.
void group_topology(Converter& convert, const Value& annotations, ConvertedPod& made) {
    made.ask.group_topology_key = convert.text(annotations["bayplan.io/pod-group-topology-key"]);
    const Value& mode = annotations["bayplan.io/pod-group-topology-mode"];
    if (made.ask.group_topology_key != 0 && mode.present() && mode.text() != "required") {
        made.ask.group_topology_preferred = mode.text() == "preferred";
        made.topology_mode_fault = !made.ask.group_topology_preferred;
    }
}

void pod_group(Converter& convert, const Value& labels, ConvertedPod& made) {
    const Value& name = group_label(labels, "name");
    if (!name.present()) {
        return;
    }
    const std::uint32_t minimum = minimum_of(group_label(labels, "min-available").text());
    if (name.text().empty()) {
        made.ask.group_fault = GroupFault::no_name;
    } else if (minimum == 0) {
        made.ask.group_fault = GroupFault::no_minimum;
    } else {
        made.ask.group = convert.text(name);
        made.ask.group_min_available = minimum;
        made.ask.group_fault = made.topology_mode_fault ? GroupFault::no_topology_mode : GroupFault::none;
        made.group = std::string(convert.name_space()) + "/" + std::string(name.text());
    }
}

}  // namespace

ConvertedPod convert_pod(Converter& convert) {
    Reader& reader = convert.reader;
    const Value& pod = reader.root();
    const Value& metadata = pod["metadata"];
    const Value& value = pod["spec"];
    ConvertedPod made;
    const std::string_view name = reader.needed(metadata, "name");
    if (!is_object_name(name) || !is_object_name(convert.name_space())) {
        reader.fault_below(
            metadata, "name",
            "'" + std::string(name) + "' in '" + std::string(convert.name_space()) + "' is no name of an object");
    }
    made.key = std::string(convert.name_space()) + "/" + std::string(name);
    if (made.key.size() > Texts::kLengthMax) {
        reader.fault(metadata, "namespace and name are longer than 512 bytes together");
    }
    const std::string_view phase = reader.text(pod["status"]["phase"]);
    made.finished = phase == "Succeeded" || phase == "Failed";
    if (made.finished) {
        return made;
    }
    made.spec = pod_spec(convert, pod, name);
    made.ask.node = convert.text(value["nodeName"]);
    add_amounts(convert, pod_requests(convert, pod, made.ask.node != 0), made);
    made.ask.priority = static_cast<std::int32_t>(
        reader.integer(value["priority"], 0, std::numeric_limits<std::int32_t>::min(), kIntMax));
    made.priority_known = value["priority"].present();
    made.priority_class = reader.text(value["priorityClassName"]);
    made.ask.tolerates_unschedulable = tolerates_unschedulable(convert, made.spec.tolerations);
    made.ask.created_s = reader.seconds(metadata["creationTimestamp"], 0);
    made.ask.started_ms = reader.seconds(pod["status"]["startTime"], 0) * 1'000;
    made.ask.qos = qos_of(convert, pod);
    made.ask.grace_period_s = grace_period_s(convert, pod);
    made.ask.preempted = preempted(convert, pod);
    made.ask.terminating = metadata["deletionTimestamp"].present();
    made.ask.never_preempts = reader.text(value["preemptionPolicy"]) == "Never";
    made.ask.nominated_node = convert.text(pod["status"]["nominatedNodeName"]);
    group_topology(convert, metadata["annotations"], made);
    pod_group(convert, metadata["labels"], made);
    made.scheduler = reader.text(value["schedulerName"]);
    if (made.scheduler.empty()) {
        made.scheduler = "default-scheduler";
    }
    made.stuck = metadata["annotations"][kStuckAnnotation].text() == "true";
    owners(convert, metadata, made);
    for (const char* const where : {"labels", "annotations"}) {
        const Value& said = metadata[where][kAllowPreemption];
        if (said.present() && !made.allows_preemption) {
            made.allows_preemption = said.text() != "false";
        }
    }
    made.ask.never_victim = !made.allows_preemption.value_or(true);
    return made;
}

}  // namespace bayplan::kube
