// See object_converter.h.
#include "kube/object_converter.h"

#include <algorithm>
#include <utility>

#include "kube/defaults.h"
#include "kube/trimmed_json.h"
#include "kube/yunikorn_application.h"

namespace bayplan::kube {

namespace {

// The API group in which a kind is what we take it for: other groups have Services and Nodes of their own.
std::string_view group_of(std::string_view kind) {
    if (kind == "ReplicaSet" || kind == "StatefulSet") {
        return "apps";
    }
    if (kind == "PodDisruptionBudget") {
        return "policy";
    }
    if (kind == "PriorityClass") {
        return "scheduling.k8s.io";
    }
    if (kind == "ResourceSlice" || kind == "DeviceClass" || kind == "ResourceClaim") {
        return "resource.k8s.io";
    }
    const bool storage = kind == "StorageClass" || kind == "VolumeAttachment" || kind.starts_with("CSI");
    return storage ? "storage.k8s.io" : "";
}

// Items of a typed list name no version and are what the list is of.
bool of_its_group(const Value& object, std::string_view kind) {
    const Value& version = object["apiVersion"];
    const std::string_view text = version.text();
    const std::size_t slash = text.find('/');
    return !version.present() || (slash == std::string_view::npos ? "" : text.substr(0, slash)) == group_of(kind);
}

std::string full_name(Converter& convert, std::string_view kind) {
    std::string name = std::string(kind) + " ";
    name += has_namespace(kind) ? convert.name_space() : std::string_view();
    name += "/";
    name += convert.reader.root()["metadata"]["name"].text();
    return name;
}

}  // namespace

bool has_namespace(std::string_view kind) {
    for (const std::string_view plain : {"Node", "Namespace", "PersistentVolume", "StorageClass", "PriorityClass",
                                         "CSINode", "CSIDriver", "VolumeAttachment", "ResourceSlice", "DeviceClass"}) {
        if (kind == plain) {
            return false;
        }
    }
    return true;
}

ConvertedNode ObjectConverter::convert_node_with_devices(Converter& convert) {
    ConvertedNode node = convert_node(convert);
    for (const Amount& amount : node.capacity) {
        if (amount.value > 0 &&
            std::find(devices_.begin(), devices_.end(), texts_.text(amount.resource)) != devices_.end()) {
            node.devices.push_back(amount.resource);
        }
    }
    return node;
}

ConvertedObject ObjectConverter::convert_any(Converter& convert, std::string_view kind) {
    if (kind == "Pod") {
        ConvertedPod pod = convert_pod(convert);
        if (extended_ && !pod.finished) {
            if (std::vector<ExtendedUse> uses = extended_uses(convert, convert.reader.root()); !uses.empty()) {
                pod.extended = std::make_shared<const PodExtended>(PodExtended{std::move(uses), std::nullopt});
            }
        }
        return pod;
    }
    if (kind == "Node") {
        return convert_node_with_devices(convert);
    }
    if (kind == "PriorityClass") {
        return convert_priority_class(convert);
    }
    if (std::optional<ClusterObject> object = convert_object(convert, kind)) {
        return std::move(*object);
    }
    return {};
}

void ObjectConverter::ask_plugin_about(ConvertedPod& pod, const Value& object) {
    pod.spec.plugins.push_back(plugin_);
    if (pod.ask.node == 0) {
        std::string& text = pod_texts_[pod.key];
        text.clear();
        append_whole(text, object);
    }
}

std::optional<NamedObject> ObjectConverter::convert(const ReadObject& object, const std::string& file,
                                                    std::vector<ObjectFault>& faults, bool defaults) {
    if (object.kind.empty()) {
        faults.push_back({file, "", "kind", "is missing: is this a Kubernetes object?"});
        return std::nullopt;
    }
    if (!of_its_group(object.value, object.kind)) {
        return NamedObject{};
    }
    Reader given(object.value, file, object.kind);
    Value value = object.value;
    if (defaults) {
        Converter convert(given, texts_);
        value = with_defaults(convert, object.kind, object.arena);
    }
    // Faults are found again, and all of them, in what the defaults made of the object.
    Reader reader(value, file, object.kind);
    Converter convert(reader, texts_);
    NamedObject made{full_name(convert, object.kind), reader.object(), convert_any(convert, object.kind)};
    ConvertedPod* const pod = std::get_if<ConvertedPod>(&made.object);
    if (pod != nullptr && !pod->finished) {
        pod->application = applications_ ? yunikorn_application(convert, pod->lists)
                                         : ApplicationItem{.application = pod->spec.name_space};
        pod->ask.application = pod->application.application;
    }
    const bool sound = reader.sound();
    for (ObjectFault& fault : reader.take_faults()) {
        faults.push_back(std::move(fault));
    }
    if (!sound) {
        return std::nullopt;
    }
    if (applications_ && object.kind == "Namespace") {
        quotas_.take(convert);
    }
    if (extended_ && object.kind == "DeviceClass") {
        extended_->take(convert);
    }
    if (pod != nullptr && !pod->finished) {
        if (plugin_ != 0) {
            ask_plugin_about(*pod, value);
        }
        pod->ask.spec = specs_.number(std::move(pod->spec));
        pod->spec = {};
    }
    return made;
}

std::optional<ClusterObject> named_object(Texts& texts, std::string_view kind, std::string_view name_space,
                                          std::string_view name) {
    const Text in = texts.id(name_space);
    const Text id = texts.id(name);
    if (kind == "Namespace") {
        return Namespace{id, {}};
    }
    if (kind == "Service" || kind == "ReplicationController" || kind == "ReplicaSet" || kind == "StatefulSet") {
        return PodSet{texts.id(kind), in, id, {}};
    }
    if (kind == "PodDisruptionBudget") {
        return PodBudget{.name_space = in, .name = id, .selector = {}, .disrupted_pods = {}};
    }
    if (kind == "PersistentVolumeClaim") {
        return VolumeClaim{.name_space = in, .name = id, .selector = {}};
    }
    if (kind == "PersistentVolume") {
        return Volume{.name = id, .labels = {}, .nodes = {}};
    }
    if (kind == "StorageClass") {
        return StorageClass{.name = id, .allowed_topologies = {}};
    }
    if (kind == "CSINode") {
        return CsiNode{id, {}, {}};
    }
    if (kind == "CSIDriver") {
        return CsiDriver{.name = id};
    }
    if (kind == "CSIStorageCapacity") {
        return CsiCapacity{.name_space = in, .name = id, .topology = {}};
    }
    if (kind == "VolumeAttachment") {
        return VolumeAttachment{.name = id};
    }
    if (kind == "ResourceSlice") {
        return ResourceSlice{.name = id, .nodes = {}, .devices = {}};
    }
    if (kind == "DeviceClass") {
        return DeviceClass{id, {}};
    }
    if (kind == "ResourceClaim") {
        ResourceClaim claim;
        claim.name_space = in;
        claim.name = id;
        return claim;
    }
    return std::nullopt;
}

}  // namespace bayplan::kube
