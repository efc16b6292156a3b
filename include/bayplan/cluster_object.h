// Objects of the cluster that predicates and scores look at beside nodes and pods. A shim states them by
// ObjectsMessage; an object is known by its kind, namespace and name.
//
// Thread: plain data, owns its vectors. Texts as in pod_spec.h. Source of the fields: Kubernetes 1.35.
#pragma once

#include <cstdint>
#include <optional>
#include <variant>
#include <vector>

#include "bayplan/pod_spec.h"
#include "bayplan/resource_claims.h"

namespace bayplan {

struct Namespace {
    Text name = 0;
    std::vector<Label> labels;
    bool operator==(const Namespace&) const = default;
};

// A service, or a controller (ReplicaSet, StatefulSet, ReplicationController): whose pods belong together.
struct PodSet {
    Text kind = 0;  // "Service", "ReplicaSet", ...
    Text name_space = 0;
    Text name = 0;
    std::optional<LabelSelector> selector;
    bool operator==(const PodSet&) const = default;
};

struct PodBudget {  // PodDisruptionBudget
    Text name_space = 0;
    Text name = 0;
    std::optional<LabelSelector> selector;
    std::int32_t disruptions_allowed = 0;
    std::vector<Text> disrupted_pods;
    bool operator==(const PodBudget&) const = default;
};

enum class AccessMode : std::uint8_t {
    read_write_once = 1,
    read_only_many = 2,
    read_write_many = 4,
    read_write_once_pod = 8
};

struct VolumeClaim {
    Text name_space = 0;
    Text name = 0;
    Text storage_class = 0;
    bool has_storage_class = false;
    Text volume = 0;  // spec.volumeName
    bool bind_completed = false;
    bool lost = false;  // phase Lost
    bool deleting = false;
    bool block_mode = false;        // volumeMode Block
    std::uint8_t access_modes = 0;  // bits of AccessMode
    std::int64_t bytes = 0;
    std::optional<LabelSelector> selector;
    Text selected_node = 0;  // annotation volume.kubernetes.io/selected-node
    Text owner_pod = 0;      // controlling pod of an ephemeral volume's claim
    bool operator==(const VolumeClaim&) const = default;
};

struct Volume {  // PersistentVolume
    Text name = 0;
    std::vector<Label> labels;
    Text storage_class = 0;
    std::uint8_t access_modes = 0;
    std::int64_t bytes = 0;
    bool block_mode = false;
    bool deleting = false;
    bool available = false;  // phase Available
    Text claim_namespace = 0;
    Text claim = 0;                              // claimRef; 0 = none
    bool claim_has_uid = false;                  // claimRef.uid is set: bound, not merely meant for it
    std::optional<std::vector<NodeTerm>> nodes;  // nodeAffinity.required
    VolumeKind source = VolumeKind::other;
    Text driver = 0;
    Text handle = 0;
    bool operator==(const Volume&) const = default;
};

struct TopologyTerm {  // allowedTopologies: each key must have one of its values
    std::vector<LabelRequirement> labels;
    bool operator==(const TopologyTerm&) const = default;
};

struct StorageClass {
    Text name = 0;
    Text provisioner = 0;  // "kubernetes.io/no-provisioner" = none
    bool has_binding_mode = true;
    bool wait_for_first_consumer = false;
    std::vector<TopologyTerm> allowed_topologies;
    bool operator==(const StorageClass&) const = default;
};

struct CsiNodeDriver {
    Text driver = 0;
    Text node_id = 0;
    std::optional<std::int32_t> count;  // allocatable.count
    bool operator==(const CsiNodeDriver&) const = default;
};
struct CsiNode {
    Text node = 0;
    std::vector<CsiNodeDriver> drivers;
    std::vector<Text> migrated;  // in-tree plugins served by CSI drivers (annotation)
    bool operator==(const CsiNode&) const = default;
};
struct CsiDriver {
    Text name = 0;
    bool storage_capacity = false;
    bool operator==(const CsiDriver&) const = default;
};
struct CsiCapacity {  // CSIStorageCapacity
    Text name_space = 0;
    Text name = 0;
    Text storage_class = 0;
    std::optional<LabelSelector> topology;
    std::int64_t bytes = -1;      // -1 = not given
    std::int64_t bytes_max = -1;  // maximumVolumeSize
    bool operator==(const CsiCapacity&) const = default;
};
struct VolumeAttachment {
    Text name = 0;
    Text attacher = 0;
    Text node = 0;
    Text volume = 0;  // persistentVolumeName
    bool operator==(const VolumeAttachment&) const = default;
};

using ClusterObject = std::variant<Namespace, PodSet, PodBudget, VolumeClaim, Volume, StorageClass, CsiNode, CsiDriver,
                                   CsiCapacity, VolumeAttachment, ResourceSlice, DeviceClass, ResourceClaim>;

}  // namespace bayplan
