// See workload_groups.h. Source of the fields: Kubernetes 1.35, scheduling.k8s.io/v1alpha1.
#include "kube_shim/workload_groups.h"

#include <charconv>

namespace bayplan::kube_shim {

namespace {

// A number of pods, which the API server takes if it is above 0.
std::uint32_t number(std::string_view text) {
    std::uint32_t made = 0;
    std::from_chars(text.data(), text.data() + text.size(), made);
    return made;
}

}  // namespace

WorkloadRef workload_ref(const kube::Value& pod) {
    const kube::Value& ref = pod["spec"]["workloadRef"];
    if (!ref.present()) {
        return {};
    }
    return {std::string(pod["metadata"]["namespace"].text()) + "/" + std::string(ref["name"].text()),
            std::string(ref["podGroup"].text()), std::string(ref["podGroupReplicaKey"].text())};
}

void WorkloadGroups::put(const std::string& name, const kube::Value& workload) {
    auto& groups = groups_[name];
    groups.clear();
    for (const kube::Value& one : workload["spec"]["podGroups"].items()) {
        groups[std::string(one["name"].text())] = number(one["policy"]["gang"]["minCount"].text());
    }
}

std::optional<std::uint32_t> WorkloadGroups::minimum(const WorkloadRef& ref) const {
    if (ref.workload.empty()) {
        return 0;
    }
    const auto workload = groups_.find(ref.workload);
    if (workload == groups_.end()) {
        return std::nullopt;
    }
    const auto group = workload->second.find(ref.group);
    return group == workload->second.end() ? std::nullopt : std::optional(group->second);
}

}  // namespace bayplan::kube_shim
