// Claims, volumes, classes and what CSI drivers publish. See objects.h.
#include <algorithm>
#include <limits>

#include "kube/objects.h"
#include "kube/volumes.h"

namespace bayplan::kube {

namespace {

constexpr std::string_view kClassAnnotation = "volume.beta.kubernetes.io/storage-class";
constexpr std::string_view kBindCompleted = "pv.kubernetes.io/bind-completed";
constexpr std::string_view kSelectedNode = "volume.kubernetes.io/selected-node";
constexpr std::string_view kMigratedPlugins = "storage.alpha.kubernetes.io/migrated-plugins";

std::uint8_t access_modes(Converter& convert, const Value& list) {
    std::uint8_t bits = 0;
    for (const Value& item : convert.reader.items(list)) {
        const std::string_view name = convert.reader.text(item);
        if (name == "ReadWriteOnce") {
            bits |= static_cast<std::uint8_t>(AccessMode::read_write_once);
        } else if (name == "ReadOnlyMany") {
            bits |= static_cast<std::uint8_t>(AccessMode::read_only_many);
        } else if (name == "ReadWriteMany") {
            bits |= static_cast<std::uint8_t>(AccessMode::read_write_many);
        } else if (name == "ReadWriteOncePod") {
            bits |= static_cast<std::uint8_t>(AccessMode::read_write_once_pod);
        } else if (!name.empty()) {
            convert.reader.fault(item, "'" + std::string(name) + "' is no access mode");
        }
    }
    return bits;
}

bool is_block(Converter& convert, const Value& spec) { return convert.reader.text(spec["volumeMode"]) == "Block"; }

// The old annotation goes before the field.
const Value& class_of(const Value& root) {
    const Value& annotation = root["metadata"]["annotations"][kClassAnnotation];
    return annotation.present() ? annotation : root["spec"]["storageClassName"];
}

}  // namespace

VolumeClaim convert_claim(Converter& convert) {
    const Value& root = convert.reader.root();
    const Value& metadata = root["metadata"];
    const Value& spec = root["spec"];
    VolumeClaim claim;
    claim.name_space = convert.intern(metadata["namespace"], convert.name_space());
    claim.name = convert.needed(metadata, "name");
    claim.has_storage_class = class_of(root).present();
    claim.storage_class = convert.text(class_of(root));
    claim.volume = convert.text(spec["volumeName"]);
    claim.bind_completed = metadata["annotations"][kBindCompleted].present();
    claim.lost = convert.reader.text(root["status"]["phase"]) == "Lost";
    claim.deleting = metadata["deletionTimestamp"].present();
    claim.block_mode = is_block(convert, spec);
    claim.access_modes = access_modes(convert, spec["accessModes"]);
    claim.bytes = convert.bytes(spec["resources"]["requests"]["storage"], 0);
    claim.selector = convert.selector(spec["selector"]);
    claim.selected_node = convert.text(metadata["annotations"][kSelectedNode]);
    const Value& owner = convert.controller(metadata);
    if (convert.reader.text(owner["kind"]) == "Pod") {
        claim.owner_pod = convert.text(owner["name"]);
    }
    return claim;
}

Volume convert_volume(Converter& convert) {
    const Value& root = convert.reader.root();
    const Value& spec = root["spec"];
    Volume volume;
    volume.name = convert.needed(root["metadata"], "name");
    volume.labels = convert.labels(root["metadata"]["labels"]);
    volume.storage_class = convert.text(class_of(root));
    volume.access_modes = access_modes(convert, spec["accessModes"]);
    volume.bytes = convert.bytes(spec["capacity"]["storage"], 0);
    volume.block_mode = is_block(convert, spec);
    volume.deleting = root["metadata"]["deletionTimestamp"].present();
    volume.available = convert.reader.text(root["status"]["phase"]) == "Available";
    const Value& claim = spec["claimRef"];
    volume.claim_namespace = convert.text(claim["namespace"]);
    volume.claim = convert.text(claim["name"]);
    volume.claim_has_uid = !convert.reader.text(claim["uid"]).empty();
    const Value& required = spec["nodeAffinity"]["required"];
    if (required.present()) {
        volume.nodes = convert.node_terms(required["nodeSelectorTerms"]);
    }
    volume_source(convert, spec, volume);
    return volume;
}

StorageClass convert_storage_class(Converter& convert) {
    const Value& root = convert.reader.root();
    StorageClass made;
    made.name = convert.needed(root["metadata"], "name");
    made.provisioner = convert.text(root["provisioner"]);
    const std::string_view mode = convert.reader.text(root["volumeBindingMode"]);
    made.has_binding_mode = !mode.empty();
    made.wait_for_first_consumer = mode == "WaitForFirstConsumer";
    if (!mode.empty() && mode != "Immediate" && !made.wait_for_first_consumer) {
        convert.reader.fault(root["volumeBindingMode"],
                             "'" + std::string(mode) + "' is neither Immediate nor WaitForFirstConsumer");
    }
    for (const Value& term : convert.reader.items(root["allowedTopologies"])) {
        TopologyTerm& topology = made.allowed_topologies.emplace_back();
        for (const Value& one : convert.reader.items(term["matchLabelExpressions"])) {
            topology.labels.push_back(
                {convert.needed(one, "key"), LabelOperator::in, convert.text_list(one["values"])});
        }
    }
    return made;
}

CsiNode convert_csi_node(Converter& convert) {
    const Value& root = convert.reader.root();
    CsiNode node;
    node.node = convert.needed(root["metadata"], "name");
    for (const Value& one : convert.reader.items(root["spec"]["drivers"])) {
        CsiNodeDriver& driver = node.drivers.emplace_back();
        driver.driver = convert.needed(one, "name");
        driver.node_id = convert.text(one["nodeID"]);
        if (const Value& count = one["allocatable"]["count"]; count.present()) {
            driver.count = static_cast<std::int32_t>(
                convert.reader.integer(count, 0, 0, std::numeric_limits<std::int32_t>::max()));
        }
    }
    const Value& annotation = root["metadata"]["annotations"][kMigratedPlugins];
    std::string_view names = convert.reader.text(annotation);
    while (!names.empty()) {
        const std::size_t comma = std::min(names.find(','), names.size());
        if (const Text name = convert.intern(annotation, names.substr(0, comma)); name != 0) {
            node.migrated.push_back(name);
        }
        names.remove_prefix(std::min(comma + 1, names.size()));
    }
    return node;
}

CsiDriver convert_csi_driver(Converter& convert) {
    const Value& root = convert.reader.root();
    return {convert.needed(root["metadata"], "name"), convert.reader.flag(root["spec"]["storageCapacity"])};
}

CsiCapacity convert_csi_capacity(Converter& convert) {
    const Value& root = convert.reader.root();
    CsiCapacity capacity;
    capacity.name_space = convert.intern(root["metadata"]["namespace"], convert.name_space());
    capacity.name = convert.needed(root["metadata"], "name");
    capacity.storage_class = convert.text(root["storageClassName"]);
    capacity.topology = convert.selector(root["nodeTopology"]);
    capacity.bytes = convert.bytes(root["capacity"], -1);
    capacity.bytes_max = convert.bytes(root["maximumVolumeSize"], -1);
    return capacity;
}

VolumeAttachment convert_attachment(Converter& convert) {
    const Value& root = convert.reader.root();
    const Value& spec = root["spec"];
    return {convert.needed(root["metadata"], "name"), convert.text(spec["attacher"]), convert.text(spec["nodeName"]),
            convert.text(spec["source"]["persistentVolumeName"])};
}

}  // namespace bayplan::kube
