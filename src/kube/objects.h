// Every other kind of object: nodes, priority classes, and the objects that predicates look at.
//
// Thread: one. Owns its data; texts are ids of the converter's dictionary. Source: Kubernetes 1.35.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "bayplan/cluster_object.h"
#include "bayplan/messages.h"
#include "kube/converter.h"

namespace bayplan::kube {

struct ConvertedNode {
    Text name = 0;
    bool unschedulable = false;
    std::vector<Amount> capacity;  // status.allocatable, tracked names and `pods`
    std::vector<Attribute> attributes;
    std::vector<Taint> taints;
    std::vector<Amount> images;
    std::vector<Text> devices;  // kinds of the capacity that are devices: as the caller wants it, no object says so
};

struct PriorityClass {
    std::string name;
    std::int32_t value = 0;
    bool global_default = false;
    bool never_preempts = false;
    bool opts_out = false;  // its pods, unless they say otherwise
};

ConvertedNode convert_node(Converter&);
PriorityClass convert_priority_class(Converter&);

// None if predicates do not look at the kind.
std::optional<ClusterObject> convert_object(Converter&, std::string_view kind);

// Of src/kube/storage_objects.cpp.
VolumeClaim convert_claim(Converter&);
Volume convert_volume(Converter&);
StorageClass convert_storage_class(Converter&);
CsiNode convert_csi_node(Converter&);
CsiDriver convert_csi_driver(Converter&);
CsiCapacity convert_csi_capacity(Converter&);
VolumeAttachment convert_attachment(Converter&);

// Of src/kube/claim_objects.cpp. resource.k8s.io/v1, and what v1beta1 and v1beta2 have of it.
ResourceSlice convert_slice(Converter&);
DeviceClass convert_device_class(Converter&);
ResourceClaim convert_resource_claim(Converter&);
PodResourceClaims pod_resource_claims(Converter&, const Value& pod);

}  // namespace bayplan::kube
