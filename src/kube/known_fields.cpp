// See known_fields.h.
#include "kube/known_fields.h"

#include <algorithm>
#include <memory>
#include <vector>

#include <boost/unordered/unordered_flat_map.hpp>

#include "base/closest_name.h"

namespace bayplan::kube {

namespace {

// `field` or `field:Type`; fields without a type are not looked into. A list of a type is written like one of it.
struct TypeText {
    std::string_view name;
    std::string_view fields;
};

constexpr std::string_view kVolumeSources =
    " awsElasticBlockStore azureDisk azureFile cephfs cinder configMap csi downwardAPI emptyDir ephemeral fc flexVolume"
    " flocker gcePersistentDisk gitRepo glusterfs hostPath image iscsi local nfs photonPersistentDisk portworxVolume"
    " projected quobyte rbd scaleIO secret storageos vsphereVolume";

constexpr TypeText kTypes[] = {
    {"Pod", "metadata:ObjectMeta spec:PodSpec status"},
    {"Node", "metadata:ObjectMeta spec:NodeSpec status:NodeStatus"},
    {"Namespace", "metadata:ObjectMeta spec status"},
    {"PriorityClass", "metadata:ObjectMeta description globalDefault preemptionPolicy value"},
    {"PodDisruptionBudget", "metadata:ObjectMeta spec:PodDisruptionBudgetSpec status"},
    {"PersistentVolumeClaim", "metadata:ObjectMeta spec:PersistentVolumeClaimSpec status"},
    {"PersistentVolume", "metadata:ObjectMeta spec:PersistentVolumeSpec status"},
    {"StorageClass",
     "metadata:ObjectMeta allowVolumeExpansion allowedTopologies mountOptions parameters provisioner reclaimPolicy"
     " volumeBindingMode"},
    {"CSINode", "metadata:ObjectMeta spec status"},
    {"CSIDriver", "metadata:ObjectMeta spec status"},
    {"CSIStorageCapacity", "metadata:ObjectMeta capacity maximumVolumeSize nodeTopology storageClassName"},
    {"VolumeAttachment", "metadata:ObjectMeta spec status"},
    {"Service", "metadata:ObjectMeta spec status"},
    {"ReplicationController", "metadata:ObjectMeta spec status"},
    {"ReplicaSet", "metadata:ObjectMeta spec status"},
    {"StatefulSet", "metadata:ObjectMeta spec status"},
    {"ResourceSlice", "metadata:ObjectMeta spec"},
    {"DeviceClass", "metadata:ObjectMeta spec"},
    {"ResourceClaim", "metadata:ObjectMeta spec status"},

    {"ObjectMeta",
     "annotations clusterName creationTimestamp deletionGracePeriodSeconds deletionTimestamp finalizers generateName"
     " generation labels managedFields name namespace ownerReferences:OwnerReference resourceVersion selfLink uid"},
    {"OwnerReference", "apiVersion blockOwnerDeletion controller kind name uid"},
    {"PodSpec",
     "activeDeadlineSeconds affinity:Affinity automountServiceAccountToken containers:Container dnsConfig dnsPolicy"
     " enableServiceLinks ephemeralContainers hostAliases hostIPC hostNetwork hostPID hostUsers hostname"
     " hostnameOverride imagePullSecrets initContainers:Container nodeName nodeSelector os overhead preemptionPolicy"
     " priority priorityClassName readinessGates resourceClaims:PodResourceClaim resources:ResourceRequirements"
     " restartPolicy runtimeClassName schedulerName schedulingGates:PodSchedulingGate securityContext serviceAccount"
     " serviceAccountName setHostnameAsFQDN shareProcessNamespace subdomain terminationGracePeriodSeconds"
     " tolerations:Toleration topologySpreadConstraints:TopologySpreadConstraint volumes:Volume workloadRef"},
    {"Container",
     "args command env envFrom image imagePullPolicy lifecycle livenessProbe name ports:ContainerPort readinessProbe"
     " resizePolicy resources:ResourceRequirements restartPolicy restartPolicyRules securityContext startupProbe stdin"
     " stdinOnce terminationMessagePath terminationMessagePolicy tty volumeDevices volumeMounts workingDir"},
    {"ResourceRequirements", "claims limits requests"},
    {"ContainerPort", "containerPort hostIP hostPort name protocol"},
    {"Affinity", "nodeAffinity:AffinityToNodes podAffinity:PodAffinity podAntiAffinity:PodAffinity"},
    {"AffinityToNodes",
     "preferredDuringSchedulingIgnoredDuringExecution:PreferredSchedulingTerm"
     " requiredDuringSchedulingIgnoredDuringExecution:NodeSelector"},
    {"PreferredSchedulingTerm", "preference:NodeSelectorTerm weight"},
    {"NodeSelector", "nodeSelectorTerms:NodeSelectorTerm"},
    {"NodeSelectorTerm", "matchExpressions:Requirement matchFields:Requirement"},
    {"Requirement", "key operator values"},
    {"PodAffinity",
     "preferredDuringSchedulingIgnoredDuringExecution:WeightedPodAffinityTerm"
     " requiredDuringSchedulingIgnoredDuringExecution:PodAffinityTerm"},
    {"WeightedPodAffinityTerm", "podAffinityTerm:PodAffinityTerm weight"},
    {"PodAffinityTerm",
     "labelSelector:LabelSelector matchLabelKeys mismatchLabelKeys namespaceSelector:LabelSelector namespaces"
     " topologyKey"},
    {"LabelSelector", "matchExpressions:Requirement matchLabels"},
    {"Toleration", "effect key operator tolerationSeconds value"},
    {"TopologySpreadConstraint",
     "labelSelector:LabelSelector matchLabelKeys maxSkew minDomains nodeAffinityPolicy nodeTaintsPolicy topologyKey"
     " whenUnsatisfiable"},
    {"PodSchedulingGate", "name"},
    {"PodResourceClaim", "name resourceClaimName resourceClaimTemplateName source"},
    {"Volume", "name persistentVolumeClaim:ClaimVolume"},
    {"ClaimVolume", "claimName readOnly"},
    {"NodeSpec", "configSource externalID podCIDR podCIDRs providerID taints:Taint unschedulable"},
    {"Taint", "effect key timeAdded value"},
    {"NodeStatus",
     "addresses allocatable capacity conditions config daemonEndpoints declaredFeatures features images:NodeImage"
     " nodeInfo phase runtimeHandlers volumesAttached volumesInUse"},
    {"NodeImage", "names sizeBytes"},
    {"PodDisruptionBudgetSpec", "maxUnavailable minAvailable selector:LabelSelector unhealthyPodEvictionPolicy"},
    {"PersistentVolumeClaimSpec",
     "accessModes dataSource dataSourceRef resources:ResourceRequirements selector:LabelSelector storageClassName"
     " volumeAttributesClassName volumeMode volumeName"},
    {"PersistentVolumeSpec",
     "accessModes capacity claimRef mountOptions nodeAffinity:VolumeNodeAffinity persistentVolumeReclaimPolicy"
     " storageClassName volumeAttributesClassName volumeMode"},
    {"VolumeNodeAffinity", "required:NodeSelector"},
};
constexpr std::size_t kKinds = 19;  // the first of them are kinds of objects

template <typename Take>
void for_each_word(std::string_view text, Take take) {
    while (!text.empty()) {
        const std::size_t end = std::min(text.find(' '), text.size());
        if (end > 0) take(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
}

}  // namespace

struct KnownFields::Types {
    struct Type {
        // The type of each field; null: it is not looked into.
        boost::unordered_flat_map<std::string_view, const Type*> fields;
    };

    Types() {
        for (const TypeText& text : kTypes) by_name[text.name] = std::make_unique<Type>();
        for (std::size_t index = 0; index < std::size(kTypes); ++index) {
            Type& type = *by_name[kTypes[index].name];
            const auto add = [&](std::string_view word) {
                const std::size_t colon = std::min(word.find(':'), word.size());
                const auto found = by_name.find(word.substr(std::min(colon + 1, word.size())));
                type.fields[word.substr(0, colon)] = found == by_name.end() ? nullptr : found->second.get();
            };
            for_each_word(kTypes[index].fields, add);
            if (index < kKinds) for_each_word("apiVersion kind", add);
        }
        for (const char* const name : {"Volume", "PersistentVolumeSpec"}) {
            for_each_word(kVolumeSources, [&](std::string_view word) { by_name[name]->fields[word] = nullptr; });
        }
    }

    void check(const Value& value, const Type& type, const OnUnknown& on_unknown) {
        for (const Value& item : value.items()) check(item, type, on_unknown);
        for (const Member& member : value.members()) {
            const auto found = type.fields.find(member.name);
            if (found == type.fields.end()) {
                unknown(member, type, on_unknown);
            } else if (found->second != nullptr) {
                way.push_back(&member);
                check(member.value, *found->second, on_unknown);
                way.pop_back();
            }
        }
    }

    void unknown(const Member& member, const Type& type, const OnUnknown& on_unknown) const {
        std::string path;
        for (const Member* const step : way) {
            path += step->name;
            path += step->value.kind() == Value::Kind::list ? "[]." : ".";
        }
        std::vector<std::string_view> names;
        for (const auto& [name, inner] : type.fields) names.push_back(name);
        std::ranges::sort(names);
        on_unknown(path + std::string(member.name), closest_name(member.name, names));
    }

    boost::unordered_flat_map<std::string_view, std::unique_ptr<Type>> by_name;
    std::vector<const Member*> way;  // to the value that is looked at
};

KnownFields::KnownFields() : types_(std::make_unique<Types>()) {}
KnownFields::~KnownFields() = default;

void KnownFields::check(const Value& object, std::string_view kind, const OnUnknown& on_unknown) {
    const auto found = types_->by_name.find(kind);
    if (found != types_->by_name.end() && is_known_kind(kind)) types_->check(object, *found->second, on_unknown);
}

bool is_known_kind(std::string_view kind) {
    return std::any_of(kTypes, kTypes + kKinds, [kind](const TypeText& type) { return type.name == kind; });
}

std::string_view kind_meant(std::string_view kind) {
    std::vector<std::string_view> names;
    for (std::size_t index = 0; index < kKinds; ++index) names.push_back(kTypes[index].name);
    return closest_name(kind, names);
}

}  // namespace bayplan::kube
