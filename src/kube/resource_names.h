// Which resource names Kubernetes' scheduler keeps account of. Source: its NodeInfo.
//
// Thread: any, pure.
#pragma once

#include <string_view>

namespace bayplan::kube {

inline constexpr std::string_view kCpuName = "cpu";
inline constexpr std::string_view kMemoryName = "memory";
inline constexpr std::string_view kPodsName = "pods";

// cpu, memory, ephemeral-storage, and scalars: extended names, hugepages-*, names with "kubernetes.io/",
// attachable-volumes-*. Not `pods`: a node has them, and a pod is one of them.
bool is_tracked_resource(std::string_view name);

// Extended resources, as the API defines them: of a domain that is not kubernetes.io.
bool is_extended_resource(std::string_view name);

// Whether spec.resources of a pod as a whole may name the resource: cpu, memory, hugepages-*.
bool is_pod_level_resource(std::string_view name);

}  // namespace bayplan::kube
