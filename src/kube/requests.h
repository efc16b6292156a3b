// A pod's requests of its node. Source: Kubernetes' resource helpers (PodRequests).
//
// Sums are exact; they are rounded once, where they become a record.
//
// Thread: any, pure. Names point into the tree that was read.
#pragma once

#include <string_view>
#include <vector>

#include "kube/converter.h"

namespace bayplan::kube {

struct Resource {
    std::string_view name;
    Quantity quantity;
};
using ResourceList = std::vector<Resource>;  // names are distinct; few, so a search walks

const Resource* find_resource(const ResourceList&, std::string_view name);

// A map of quantities by name, as requests and limits are.
ResourceList read_list(Converter&, const Value& map);

struct PodRequests {
    ResourceList total;  // tracked names; explicit zeros too
    // With Kubernetes' defaults for containers without a request (100m, 200Mi); for scores alone.
    Quantity node_cpu;  // amount that the pod adds to its node's count
    Quantity node_memory;
    Quantity own_cpu;  // amount that it counts as while it is scheduled: pod-level requests are not seen
    Quantity own_memory;
};

// `assigned`: the pod is on a node, and what the kubelet reports of a resize counts.
PodRequests pod_requests(Converter&, const Value& pod, bool assigned);

// The sum over containers and init containers, before pod-level requests and overhead.
ResourceList container_requests(Converter&, const Value& pod);

}  // namespace bayplan::kube
