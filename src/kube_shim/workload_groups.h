// Workloads of Kubernetes' scheduling API (gates GenericWorkload and GangScheduling): which group a pod is in, and of how many.
//
//   pod.spec.workloadRef -> Workload.spec.podGroups[] -> gang of minCount | basic: no group
//
// A pod whose Workload is not there, or has no such group, waits: nobody is told of it.
//
// Thread: one. Owns its texts.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "kube/value.h"

namespace bayplan::kube_shim {

struct WorkloadRef {
    std::string workload;  // "NAMESPACE/NAME"; empty: the pod names none
    std::string group;
    std::string replica;
    bool operator==(const WorkloadRef&) const = default;

    // Pods of one group have one name.
    std::string name() const { return workload.substr(workload.find('/') + 1) + "/" + group + "/" + replica; }
};

WorkloadRef workload_ref(const kube::Value& pod);

class WorkloadGroups {
public:
    void put(const std::string& name, const kube::Value& workload);  // "NAMESPACE/NAME"
    void take_out(const std::string& name) { groups_.erase(name); }

    // The minimum of the pod's group; 0: it is in none. Nothing: it waits for its Workload.
    std::optional<std::uint32_t> minimum(const WorkloadRef&) const;

private:
    std::map<std::string, std::map<std::string, std::uint32_t>, std::less<>> groups_;  // minimum by group, 0: basic
};

}  // namespace bayplan::kube_shim
