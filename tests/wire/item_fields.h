// Every field of a record as a tuple of references, so that whoever fills, compares or prints
// records reaches them all. A field added to a record stops the build here until it is named.
//
// Thread: any; nothing is kept.
#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <tuple>
#include <type_traits>
#include <vector>

#include "bayplan/messages.h"

namespace bayplan::wire {

template <class Record, class Plain>
concept Is = std::same_as<std::remove_const_t<Record>, Plain>;

template <Is<Amount> R>
auto fields(R& r) {
    auto& [a, b] = r;
    return std::tie(a, b);
}
template <Is<Attribute> R>
auto fields(R& r) {
    auto& [a, b] = r;
    return std::tie(a, b);
}
template <Is<Label> R>
auto fields(R& r) {
    auto& [a, b] = r;
    return std::tie(a, b);
}
template <Is<Taint> R>
auto fields(R& r) {
    auto& [a, b, c] = r;
    return std::tie(a, b, c);
}
template <Is<NodeItem> R>
auto fields(R& r) {
    auto& [node, action, capacity, attributes, taints, images, devices] = r;
    return std::tie(node, action, capacity, attributes, taints, images, devices);
}
template <Is<AskItem> R>
auto fields(R& r) {
    auto& [key, application, group, node, required_node, priority, foreign, tolerates_unschedulable, created_s,
           requests, tags, spec, terminating, never_preempts, nominated_node, started_ms, node_cpu, node_memory,
           own_cpu, own_memory, qos, grace_period_s, preempted, devices, daemonset, is_static, never_victim, originator,
           group_min_available, group_fault, group_topology_key, group_topology_preferred, placeholder] = r;
    return std::tie(key, application, group, node, required_node, priority, foreign, tolerates_unschedulable, created_s,
                    requests, tags, spec, terminating, never_preempts, nominated_node, started_ms, node_cpu,
                    node_memory, own_cpu, own_memory, qos, grace_period_s, preempted, devices, daemonset, is_static,
                    never_victim, originator, group_min_available, group_fault, group_topology_key,
                    group_topology_preferred, placeholder);
}

template <Is<LabelRequirement> R>
auto fields(R& r) {
    auto& [key, op, values] = r;
    return std::tie(key, op, values);
}
template <Is<LabelSelector> R>
auto fields(R& r) {
    auto& [requirements] = r;
    return std::tie(requirements);
}
template <Is<NodeTerm> R>
auto fields(R& r) {
    auto& [labels, match_fields] = r;
    return std::tie(labels, match_fields);
}
template <Is<WeightedNodeTerm> R>
auto fields(R& r) {
    auto& [weight, term] = r;
    return std::tie(weight, term);
}
template <Is<Toleration> R>
auto fields(R& r) {
    auto& [key, exists, value, effect] = r;
    return std::tie(key, exists, value, effect);
}
template <Is<PodTerm> R>
auto fields(R& r) {
    auto& [selector, namespaces, namespace_selector, topology_key] = r;
    return std::tie(selector, namespaces, namespace_selector, topology_key);
}
template <Is<WeightedPodTerm> R>
auto fields(R& r) {
    auto& [weight, term] = r;
    return std::tie(weight, term);
}
template <Is<SpreadConstraint> R>
auto fields(R& r) {
    auto& [max_skew, topology_key, hard, selector, match_label_keys, min_domains, honor_node_affinity,
           honor_node_taints] = r;
    return std::tie(max_skew, topology_key, hard, selector, match_label_keys, min_domains, honor_node_affinity,
                    honor_node_taints);
}
template <Is<HostPort> R>
auto fields(R& r) {
    auto& [port, protocol, address] = r;
    return std::tie(port, protocol, address);
}
template <Is<PodVolume> R>
auto fields(R& r) {
    auto& [kind, name, driver, pool, monitors, pod, read_only] = r;
    return std::tie(kind, name, driver, pool, monitors, pod, read_only);
}
template <Is<PodOwner> R>
auto fields(R& r) {
    auto& [kind, name] = r;
    return std::tie(kind, name);
}
template <Is<PodResourceClaim> R>
auto fields(R& r) {
    auto& [entry, source, claim] = r;
    return std::tie(entry, source, claim);
}
template <Is<PodResourceClaims> R>
auto fields(R& r) {
    auto& [claims, pod, uid] = r;
    return std::tie(claims, pod, uid);
}
template <Is<PodSpec> R>
auto fields(R& r) {
    auto& [name_space, labels, node_selector, required_nodes, preferred_nodes, tolerations, affinity, anti_affinity,
           preferred_affinity, preferred_anti_affinity, spread, ports, volumes, images, gates, owner, plugins,
           resource_claims] = r;
    return std::tie(name_space, labels, node_selector, required_nodes, preferred_nodes, tolerations, affinity,
                    anti_affinity, preferred_affinity, preferred_anti_affinity, spread, ports, volumes, images, gates,
                    owner, plugins, resource_claims);
}
template <Is<SpecItem> R>
auto fields(R& r) {
    auto& [number, spec] = r;
    return std::tie(number, spec);
}

template <Is<Namespace> R>
auto fields(R& r) {
    auto& [name, labels] = r;
    return std::tie(name, labels);
}
template <Is<PodSet> R>
auto fields(R& r) {
    auto& [kind, name_space, name, selector] = r;
    return std::tie(kind, name_space, name, selector);
}
template <Is<PodBudget> R>
auto fields(R& r) {
    auto& [name_space, name, selector, disruptions_allowed, disrupted_pods] = r;
    return std::tie(name_space, name, selector, disruptions_allowed, disrupted_pods);
}
template <Is<VolumeClaim> R>
auto fields(R& r) {
    auto& [name_space, name, storage_class, has_storage_class, volume, bind_completed, lost, deleting, block_mode,
           access_modes, bytes, selector, selected_node, owner_pod] = r;
    return std::tie(name_space, name, storage_class, has_storage_class, volume, bind_completed, lost, deleting,
                    block_mode, access_modes, bytes, selector, selected_node, owner_pod);
}
template <Is<Volume> R>
auto fields(R& r) {
    auto& [name, labels, storage_class, access_modes, bytes, block_mode, deleting, available, claim_namespace, claim,
           claim_has_uid, nodes, source, driver, handle] = r;
    return std::tie(name, labels, storage_class, access_modes, bytes, block_mode, deleting, available, claim_namespace,
                    claim, claim_has_uid, nodes, source, driver, handle);
}
template <Is<TopologyTerm> R>
auto fields(R& r) {
    auto& [labels] = r;
    return std::tie(labels);
}
template <Is<StorageClass> R>
auto fields(R& r) {
    auto& [name, provisioner, has_binding_mode, wait_for_first_consumer, allowed_topologies] = r;
    return std::tie(name, provisioner, has_binding_mode, wait_for_first_consumer, allowed_topologies);
}
template <Is<CsiNodeDriver> R>
auto fields(R& r) {
    auto& [driver, node_id, count] = r;
    return std::tie(driver, node_id, count);
}
template <Is<CsiNode> R>
auto fields(R& r) {
    auto& [node, drivers, migrated] = r;
    return std::tie(node, drivers, migrated);
}
template <Is<CsiDriver> R>
auto fields(R& r) {
    auto& [name, storage_capacity] = r;
    return std::tie(name, storage_capacity);
}
template <Is<CsiCapacity> R>
auto fields(R& r) {
    auto& [name_space, name, storage_class, topology, bytes, bytes_max] = r;
    return std::tie(name_space, name, storage_class, topology, bytes, bytes_max);
}
template <Is<VolumeAttachment> R>
auto fields(R& r) {
    auto& [name, attacher, node, volume] = r;
    return std::tie(name, attacher, node, volume);
}
template <Is<DeviceAttribute> R>
auto fields(R& r) {
    auto& [name, type, text, number] = r;
    return std::tie(name, type, text, number);
}
template <Is<DeviceCapacity> R>
auto fields(R& r) {
    auto& [name, quantity] = r;
    return std::tie(name, quantity);
}
template <Is<SliceDevice> R>
auto fields(R& r) {
    auto& [name, attributes, capacities, withheld] = r;
    return std::tie(name, attributes, capacities, withheld);
}
template <Is<ResourceSlice> R>
auto fields(R& r) {
    auto& [name, driver, pool, generation, pool_slices, reach, node, nodes, hidden, devices] = r;
    return std::tie(name, driver, pool, generation, pool_slices, reach, node, nodes, hidden, devices);
}
template <Is<DeviceClass> R>
auto fields(R& r) {
    auto& [name, selectors, kinds] = r;
    return std::tie(name, selectors, kinds);
}
template <Is<DeviceDemand> R>
auto fields(R& r) {
    auto& [name, device_class, selectors, all, count, admin_access] = r;
    return std::tie(name, device_class, selectors, all, count, admin_access);
}
template <Is<DeviceRequest> R>
auto fields(R& r) {
    auto& [name, demands, prioritised, kind] = r;
    return std::tie(name, demands, prioritised, kind);
}
template <Is<DeviceConstraint> R>
auto fields(R& r) {
    auto& [requests, attribute] = r;
    return std::tie(requests, attribute);
}
template <Is<AllocatedDevice> R>
auto fields(R& r) {
    auto& [request, driver, pool, device, admin_access] = r;
    return std::tie(request, driver, pool, device, admin_access);
}
template <Is<DeviceAllocation> R>
auto fields(R& r) {
    auto& [devices, nodes] = r;
    return std::tie(devices, nodes);
}
template <Is<ResourceClaim> R>
auto fields(R& r) {
    auto& [name_space, name, deleting, owner_uid, requests, constraints, allocation, reserved_for] = r;
    return std::tie(name_space, name, deleting, owner_uid, requests, constraints, allocation, reserved_for);
}
template <Is<ObjectItem> R>
auto fields(R& r) {
    auto& [object, removed] = r;
    return std::tie(object, removed);
}

template <class R>
concept HasFields = requires(R& record) {
    fields(record);
};

// First and last enumerator as they may stand in a record.
template <class Enum>
struct Range;
template <>
struct Range<NodeAction> {
    static constexpr int first = 1, last = 6;
};
template <>
struct Range<QosClass> {
    static constexpr int first = 1, last = 3;
};
template <>
struct Range<GroupFault> {
    static constexpr int first = 1, last = 2;
};
template <>
struct Range<LabelOperator> {
    static constexpr int first = 1, last = 6;
};
template <>
struct Range<TaintEffect> {
    static constexpr int first = 1, last = 3;
};
template <>
struct Range<Protocol> {
    static constexpr int first = 1, last = 3;
};
template <>
struct Range<VolumeKind> {
    static constexpr int first = 1, last = 9;
};

template <>
struct Range<AttributeType> {
    static constexpr int first = 1, last = 4;
};
template <>
struct Range<SliceReach> {
    static constexpr int first = 0, last = 3;
};
template <>
struct Range<ClaimSource> {
    static constexpr int first = 1, last = 4;
};

constexpr std::uint8_t kAccessModes = 15;  // the only field of eight bits is a set of these

}  // namespace bayplan::wire
