// Objects of dynamic resource allocation: slices of devices that drivers publish, classes of devices, and claims that pods
// make on devices. A shim states them by ObjectsMessage like other objects; a claim, a slice and a class are known by
// their names.
//
// Thread: plain data, owns its vectors. Texts as in pod_spec.h. Source of the fields: Kubernetes 1.35, resource.k8s.io/v1.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "bayplan/pod_spec.h"

namespace bayplan {

enum class AttributeType : std::uint8_t { text = 1, number = 2, boolean = 3, version = 4 };

struct DeviceAttribute {
    Text name = 0;  // "domain/id", or "id" alone: of the driver's own domain
    AttributeType type = AttributeType::text;
    Text text = 0;            // of a text or a version
    std::int64_t number = 0;  // of a number; a boolean is 0 or 1
    bool operator==(const DeviceAttribute&) const = default;
};

struct DeviceCapacity {
    Text name = 0;      // as an attribute's
    Text quantity = 0;  // as Kubernetes writes it: "40Gi"
    bool operator==(const DeviceCapacity&) const = default;
};

struct SliceDevice {
    Text name = 0;
    std::vector<DeviceAttribute> attributes;
    std::vector<DeviceCapacity> capacities;
    bool withheld = false;  // binding conditions or consumed counters: features that are off, the device is never given
    bool operator==(const SliceDevice&) const = default;
};

enum class SliceReach : std::uint8_t { nowhere = 0, node = 1, selected_nodes = 2, all_nodes = 3 };

struct ResourceSlice {
    Text name = 0;
    Text driver = 0;
    Text pool = 0;
    std::int64_t generation = 0;
    std::int64_t pool_slices = 0;  // resourceSliceCount
    SliceReach reach = SliceReach::nowhere;
    Text node = 0;        // SliceReach::node
    NodeTerm nodes;       // SliceReach::selected_nodes
    bool hidden = false;  // a feature that is off: seen by no node, but one of its pool's slices
    std::vector<SliceDevice> devices;
    bool operator==(const ResourceSlice&) const = default;
};

// CEL expressions, all of which must hold. 0 after one joins what follows it to it: a text of a dictionary has at most 512
// bytes, and an expression 10 KiB.
using Selectors = std::vector<Text>;

struct DeviceClass {
    Text name = 0;
    Selectors selectors;
    // Kinds of resources that its devices stand for, on nodes that state none of the kind (KEP-5004).
    std::vector<Text> kinds = {};
    bool operator==(const DeviceClass&) const = default;
};

// A request of its own, or an alternative of a prioritised list.
struct DeviceDemand {
    Text name = 0;
    Text device_class = 0;
    Selectors selectors;
    bool all = false;  // allocationMode All; else `count` devices
    std::int64_t count = 1;
    bool admin_access = false;
    bool operator==(const DeviceDemand&) const = default;
};

struct DeviceRequest {
    Text name = 0;
    // A demand of the request's own name; of a prioritised list (firstAvailable) its alternatives, in order.
    std::vector<DeviceDemand> demands;
    bool prioritised = false;
    Text kind = 0;  // of resources: a node that states some of it gives nothing for this request; 0 = every node does
    bool operator==(const DeviceRequest&) const = default;
};

// matchAttribute: all devices of these requests have the same value of the attribute.
struct DeviceConstraint {
    std::vector<Text> requests;  // "REQUEST" or "REQUEST/ALTERNATIVE"; empty: all of the claim
    Text attribute = 0;          // "domain/id"
    bool operator==(const DeviceConstraint&) const = default;
};

struct AllocatedDevice {
    Text request = 0;  // "REQUEST" or "REQUEST/ALTERNATIVE"
    Text driver = 0;
    Text pool = 0;
    Text device = 0;
    bool admin_access = false;
    bool operator==(const AllocatedDevice&) const = default;
};

struct DeviceAllocation {
    std::vector<AllocatedDevice> devices;
    std::optional<std::vector<NodeTerm>> nodes;  // nodes that can use the claim; absent: every node
    bool operator==(const DeviceAllocation&) const = default;
};

struct ResourceClaim {
    Text name_space = 0;
    Text name = 0;
    bool deleting = false;
    Text owner_uid = 0;  // of the pod that controls it; 0 = none
    std::vector<DeviceRequest> requests;
    std::vector<DeviceConstraint> constraints;
    std::optional<DeviceAllocation> allocation;
    std::vector<Text> reserved_for;  // uids of pods
    bool operator==(const ResourceClaim&) const = default;
};

}  // namespace bayplan
