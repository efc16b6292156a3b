// The kinds of objects that decisions hang on, and where an API server has them.
//
// Thread: plain data, any.
#pragma once

#include <span>
#include <string_view>

namespace bayplan::kube_shim {

struct Resource {
    std::string_view kind;
    std::string_view path;        // of all namespaces
    std::string_view query = {};  // beside what every list and watch asks
    bool optional = false;        // servers that do not have it are fine without
};

// Namespaces and classes first: what pods refer to is there when they come.
std::span<const Resource> watched_resources();
// Of Kubernetes' scheduling API, behind a feature gate.
inline constexpr Resource kWorkloads = {"Workload", "/apis/scheduling.k8s.io/v1alpha1/workloads", {}, true};

}  // namespace bayplan::kube_shim
