// Walks every text of a record in the order of its fields: to map a shim's dictionary ids to the engine's
// texts, to hold references on them, and to let go of them. One list per record, so that no field is
// forgotten by one of the three.
//
// Thread: any; works on the record it is given. `visit` is called with Text& (or const Text&).
#pragma once

#include <optional>
#include <type_traits>
#include <variant>
#include <vector>

#include "bayplan/cluster_object.h"
#include "bayplan/pod_spec.h"

namespace bayplan {

namespace texts {

template <typename Record, typename Wanted>
concept IsA = std::is_same_v<std::remove_const_t<Record>, Wanted>;

template <typename R, typename Visit>
void walk(R& record, Visit&& visit);

template <typename List, typename Visit>
void walk_all(List& list, Visit&& visit) {
    for (auto& item : list) {
        walk(item, visit);
    }
}

template <typename Optional, typename Visit>
void walk_optional(Optional& optional, Visit&& visit) {
    if (optional) {
        walk(*optional, visit);
    }
}

template <typename R, typename Visit>
void walk_pod_spec(R& r, Visit&& visit) {
    visit(r.name_space);
    walk_all(r.labels, visit);
    walk_all(r.node_selector, visit);
    if (r.required_nodes) {
        walk_all(*r.required_nodes, visit);
    }
    walk_all(r.preferred_nodes, visit);
    walk_all(r.tolerations, visit);
    walk_all(r.affinity, visit);
    walk_all(r.anti_affinity, visit);
    walk_all(r.preferred_affinity, visit);
    walk_all(r.preferred_anti_affinity, visit);
    walk_all(r.spread, visit);
    walk_all(r.ports, visit);
    walk_all(r.volumes, visit);
    walk_all(r.images, visit);
    walk_all(r.gates, visit);
    visit(r.owner.kind);
    visit(r.owner.name);
    walk_all(r.plugins, visit);
    walk(r.resource_claims, visit);
}

template <typename R, typename Visit>
void walk_part(R& r, Visit&& visit) {
    if constexpr (IsA<R, Label> || IsA<R, Taint> || IsA<R, Toleration>) {
        visit(r.key);
        visit(r.value);
    } else if constexpr (IsA<R, LabelRequirement>) {
        visit(r.key);
        walk_all(r.values, visit);
    } else if constexpr (IsA<R, LabelSelector>) {
        walk_all(r.requirements, visit);
    } else if constexpr (IsA<R, NodeTerm>) {
        walk_all(r.labels, visit);
        walk_all(r.fields, visit);
    } else if constexpr (IsA<R, TopologyTerm>) {
        walk_all(r.labels, visit);
    } else if constexpr (IsA<R, WeightedNodeTerm> || IsA<R, WeightedPodTerm>) {
        walk(r.term, visit);
    } else if constexpr (IsA<R, PodTerm>) {
        walk_optional(r.selector, visit);
        walk_all(r.namespaces, visit);
        walk_optional(r.namespace_selector, visit);
        visit(r.topology_key);
    } else if constexpr (IsA<R, SpreadConstraint>) {
        visit(r.topology_key);
        walk_optional(r.selector, visit);
        walk_all(r.match_label_keys, visit);
    } else if constexpr (IsA<R, HostPort>) {
        visit(r.address);
    } else if constexpr (IsA<R, PodVolume>) {
        visit(r.name);
        visit(r.driver);
        visit(r.pool);
        walk_all(r.monitors, visit);
        visit(r.pod);
    } else if constexpr (IsA<R, PodResourceClaim>) {
        visit(r.entry);
        visit(r.claim);
    } else if constexpr (IsA<R, PodResourceClaims>) {
        walk_all(r.claims, visit);
        visit(r.pod);
        visit(r.uid);
    } else {
        walk_pod_spec(r, visit);
    }
}

template <typename R, typename Visit>
void walk_volume_object(R& r, Visit&& visit) {
    if constexpr (IsA<R, VolumeClaim>) {
        visit(r.name_space);
        visit(r.name);
        visit(r.storage_class);
        visit(r.volume);
        walk_optional(r.selector, visit);
        visit(r.selected_node);
        visit(r.owner_pod);
    } else if constexpr (IsA<R, Volume>) {
        visit(r.name);
        walk_all(r.labels, visit);
        visit(r.storage_class);
        visit(r.claim_namespace);
        visit(r.claim);
        if (r.nodes) {
            walk_all(*r.nodes, visit);
        }
        visit(r.driver);
        visit(r.handle);
    } else if constexpr (IsA<R, StorageClass>) {
        visit(r.name);
        visit(r.provisioner);
        walk_all(r.allowed_topologies, visit);
    } else if constexpr (IsA<R, CsiNodeDriver>) {
        visit(r.driver);
        visit(r.node_id);
    } else if constexpr (IsA<R, CsiNode>) {
        visit(r.node);
        walk_all(r.drivers, visit);
        walk_all(r.migrated, visit);
    } else if constexpr (IsA<R, CsiDriver>) {
        visit(r.name);
    } else if constexpr (IsA<R, CsiCapacity>) {
        visit(r.name_space);
        visit(r.name);
        visit(r.storage_class);
        walk_optional(r.topology, visit);
    } else {
        visit(r.name);
        visit(r.attacher);
        visit(r.node);
        visit(r.volume);
    }
}

template <typename R, typename Visit>
void walk_part_of_slice(R& r, Visit&& visit) {
    if constexpr (IsA<R, DeviceAttribute>) {
        visit(r.name);
        visit(r.text);
    } else if constexpr (IsA<R, DeviceCapacity>) {
        visit(r.name);
        visit(r.quantity);
    } else if constexpr (IsA<R, SliceDevice>) {
        visit(r.name);
        walk_all(r.attributes, visit);
        walk_all(r.capacities, visit);
    } else {
        visit(r.name);
        visit(r.driver);
        visit(r.pool);
        visit(r.node);
        walk(r.nodes, visit);
        walk_all(r.devices, visit);
    }
}

template <typename R, typename Visit>
void walk_part_of_claim(R& r, Visit&& visit) {
    if constexpr (IsA<R, DeviceClass>) {
        visit(r.name);
        walk_all(r.selectors, visit);
        walk_all(r.kinds, visit);
    } else if constexpr (IsA<R, DeviceDemand>) {
        visit(r.name);
        visit(r.device_class);
        walk_all(r.selectors, visit);
    } else if constexpr (IsA<R, DeviceRequest>) {
        visit(r.name);
        walk_all(r.demands, visit);
        visit(r.kind);
    } else if constexpr (IsA<R, DeviceConstraint>) {
        walk_all(r.requests, visit);
        visit(r.attribute);
    } else if constexpr (IsA<R, AllocatedDevice>) {
        visit(r.request);
        visit(r.driver);
        visit(r.pool);
        visit(r.device);
    } else if constexpr (IsA<R, DeviceAllocation>) {
        walk_all(r.devices, visit);
        if (r.nodes) {
            walk_all(*r.nodes, visit);
        }
    } else {
        visit(r.name_space);
        visit(r.name);
        visit(r.owner_uid);
        walk_all(r.requests, visit);
        walk_all(r.constraints, visit);
        walk_optional(r.allocation, visit);
        walk_all(r.reserved_for, visit);
    }
}

template <typename R>
inline constexpr bool kIsPartOfSlice =
    IsA<R, DeviceAttribute> || IsA<R, DeviceCapacity> || IsA<R, SliceDevice> || IsA<R, ResourceSlice>;

template <typename R>
inline constexpr bool kIsPartOfClaim =
    IsA<R, DeviceClass> || IsA<R, DeviceDemand> || IsA<R, DeviceRequest> || IsA<R, DeviceConstraint> ||
    IsA<R, AllocatedDevice> || IsA<R, DeviceAllocation> || IsA<R, ResourceClaim>;

template <typename R>
inline constexpr bool kIsVolumeObject =
    IsA<R, VolumeClaim> || IsA<R, Volume> || IsA<R, StorageClass> || IsA<R, CsiNodeDriver> || IsA<R, CsiNode> ||
    IsA<R, CsiDriver> || IsA<R, CsiCapacity> || IsA<R, VolumeAttachment>;

template <typename R, typename Visit>
void walk(R& r, Visit&& visit) {
    if constexpr (IsA<R, Text>) {
        visit(r);
    } else if constexpr (IsA<R, ClusterObject>) {
        std::visit([&](auto& one) { walk(one, visit); }, r);
    } else if constexpr (IsA<R, Namespace>) {
        visit(r.name);
        walk_all(r.labels, visit);
    } else if constexpr (IsA<R, PodSet>) {
        visit(r.kind);
        visit(r.name_space);
        visit(r.name);
        walk_optional(r.selector, visit);
    } else if constexpr (IsA<R, PodBudget>) {
        visit(r.name_space);
        visit(r.name);
        walk_optional(r.selector, visit);
        walk_all(r.disrupted_pods, visit);
    } else if constexpr (kIsVolumeObject<R>) {
        walk_volume_object(r, visit);
    } else if constexpr (kIsPartOfSlice<R>) {
        walk_part_of_slice(r, visit);
    } else if constexpr (kIsPartOfClaim<R>) {
        walk_part_of_claim(r, visit);
    } else {
        walk_part(r, visit);
    }
}

}  // namespace texts

template <typename Record, typename Visit>
void visit_texts(Record& record, Visit&& visit) {
    texts::walk(record, visit);
}

}  // namespace bayplan
