// See objects.h.
#include "kube/objects.h"

#include <algorithm>
#include <limits>

#include "kube/pod.h"
#include "kube/resource_names.h"

namespace bayplan::kube {

namespace {

void node_capacity(Converter& convert, const Value& map, ConvertedNode& node) {
    for (const Member& member : convert.reader.members(map)) {
        if (!is_tracked_resource(member.name) && member.name != kPodsName) {
            continue;
        }
        const Quantity quantity = convert.amount(member.value);
        const Rounded rounded = member.name == kCpuName ? thousandths(quantity) : whole_items(quantity);
        if (rounded.cut) {
            convert.reader.remark(member.value, "is more than 2^53, which is counted in its place");
        }
        const Text kind = convert.intern(member.value, member.name);
        const auto same = [kind](const Amount& amount) { return amount.resource == kind; };
        std::erase_if(node.capacity, same);  // of equal keys the last counts
        node.capacity.push_back({kind, rounded.value});
    }
}

void node_images(Converter& convert, const Value& list, ConvertedNode& node) {
    for (const Value& image : convert.reader.items(list)) {
        const std::int64_t bytes = convert.reader.integer(image["sizeBytes"], 0, 0, kAmountMax);
        for (const Value& name : convert.reader.items(image["names"])) {
            const std::string_view text = convert.reader.text(name);
            if (text.empty() || text.size() > Texts::kLengthMax) {
                continue;  // no pod can name it
            }
            const Text kind = convert.texts.id(text);
            const auto same = [kind](const Amount& amount) { return amount.resource == kind; };
            if (std::none_of(node.images.begin(), node.images.end(), same)) {
                node.images.push_back({kind, bytes});
            }
        }
    }
}

Namespace convert_namespace(Converter& convert) {
    const Value& metadata = convert.reader.root()["metadata"];
    return {convert.needed(metadata, "name"), convert.labels(metadata["labels"])};
}

PodSet convert_pod_set(Converter& convert, std::string_view kind) {
    const Value& root = convert.reader.root();
    PodSet set;
    set.kind = convert.texts.id(kind);
    set.name_space = convert.intern(root["metadata"]["namespace"], convert.name_space());
    set.name = convert.needed(root["metadata"], "name");
    const bool map = kind == "Service" || kind == "ReplicationController";
    const Value& selector = root["spec"]["selector"];
    set.selector = map ? convert.map_selector(selector) : convert.selector(selector);
    return set;
}

PodBudget convert_budget(Converter& convert) {
    const Value& root = convert.reader.root();
    PodBudget budget;
    budget.name_space = convert.intern(root["metadata"]["namespace"], convert.name_space());
    budget.name = convert.needed(root["metadata"], "name");
    budget.selector = convert.selector(root["spec"]["selector"]);
    const Value& status = root["status"];
    budget.disruptions_allowed = static_cast<std::int32_t>(
        convert.reader.integer(status["disruptionsAllowed"], 0, std::numeric_limits<std::int32_t>::min(), kIntMax));
    for (const Member& member : convert.reader.members(status["disruptedPods"])) {
        budget.disrupted_pods.push_back(convert.intern(member.value, member.name));
    }
    return budget;
}

}  // namespace

ConvertedNode convert_node(Converter& convert) {
    const Value& root = convert.reader.root();
    ConvertedNode node;
    node.name = convert.needed(root["metadata"], "name");
    node.unschedulable = convert.reader.flag(root["spec"]["unschedulable"]);
    node_capacity(convert, root["status"]["allocatable"], node);
    for (const Label& label : convert.labels(root["metadata"]["labels"])) {
        node.attributes.push_back({label.key, label.value});
    }
    for (const Value& taint : convert.reader.items(root["spec"]["taints"])) {
        node.taints.push_back(convert.taint(taint));
    }
    node_images(convert, root["status"]["images"], node);
    return node;
}

PriorityClass convert_priority_class(Converter& convert) {
    const Value& root = convert.reader.root();
    PriorityClass made;
    made.name = convert.reader.needed(root["metadata"], "name");
    made.value = static_cast<std::int32_t>(
        convert.reader.integer(root["value"], 0, std::numeric_limits<std::int32_t>::min(), kIntMax));
    made.global_default = convert.reader.flag(root["globalDefault"]);
    made.never_preempts = convert.reader.text(root["preemptionPolicy"]) == "Never";
    made.opts_out = root["metadata"]["annotations"][kAllowPreemption].text() == "false";
    return made;
}

std::optional<ClusterObject> convert_object(Converter& convert, std::string_view kind) {
    if (kind == "Namespace") {
        return convert_namespace(convert);
    }
    if (kind == "Service" || kind == "ReplicationController" || kind == "ReplicaSet" || kind == "StatefulSet") {
        return convert_pod_set(convert, kind);
    }
    if (kind == "PodDisruptionBudget") {
        return convert_budget(convert);
    }
    if (kind == "PersistentVolumeClaim") {
        return convert_claim(convert);
    }
    if (kind == "PersistentVolume") {
        return convert_volume(convert);
    }
    if (kind == "StorageClass") {
        return convert_storage_class(convert);
    }
    if (kind == "CSINode") {
        return convert_csi_node(convert);
    }
    if (kind == "CSIDriver") {
        return convert_csi_driver(convert);
    }
    if (kind == "CSIStorageCapacity") {
        return convert_csi_capacity(convert);
    }
    if (kind == "VolumeAttachment") {
        return convert_attachment(convert);
    }
    if (kind == "ResourceSlice") {
        return convert_slice(convert);
    }
    if (kind == "DeviceClass") {
        return convert_device_class(convert);
    }
    if (kind == "ResourceClaim") {
        return convert_resource_claim(convert);
    }
    return std::nullopt;
}

}  // namespace bayplan::kube
