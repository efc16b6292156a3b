// Facts of a pod that only the shim needs: its identity, and the words of its status on scheduling.
//
// Thread: plain data, any.
#pragma once

#include <string>
#include <vector>

#include "kube/value.h"
#include "kube_shim/numeric_tolerations.h"
#include "kube_shim/workload_groups.h"

namespace bayplan::kube_shim {

// The condition PodScheduled.
struct PodCondition {
    bool scheduled = false;  // its status
    std::string reason;
    std::string message;
    bool operator==(const PodCondition&) const = default;
};

// Of a pod that runs there is seldom any of it.
struct PodWords {
    PodCondition condition;      // until it has a node
    std::string nominated_node;  // likewise
    std::vector<NumericToleration> numeric_tolerations;
    WorkloadRef workload;
    std::string object;  // as JSON, of a pod that extenders may be asked about

    bool operator==(const PodWords&) const = default;
};

struct PodFacts {
    std::string uid;
    std::string resource_version;
    PodWords words;
};

PodFacts read_pod_facts(const kube::Value& pod);

}  // namespace bayplan::kube_shim
