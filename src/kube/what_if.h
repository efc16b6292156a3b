// "What if": a dump as it would be with other nodes or other replicas. Applied when all files are read, before an engine
// sees any of it; drains go on while pods are placed (src/sim/drain.h), and begin with the nodes that are cordoned here.
//
// Thread: plain data, any.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kube/pod.h"

namespace bayplan::kube {

struct WhatIf {
    struct Scale {
        std::string name_space;
        std::string name;
        std::int64_t replicas = 0;
    };
    std::int64_t add_nodes = 0;
    std::string like;                       // the node that these are like
    std::vector<std::string> remove_nodes;  // gone, with their pods
    std::vector<std::string> drain;         // cordoned; their pods are evicted
    std::vector<Scale> scale;
    bool expand = false;  // workloads without pods get them

    bool any_workload() const { return expand || !scale.empty(); }
};

// Of what its controller makes in place of a pod that is gone.
std::string replacement_name(std::string_view key);

// A pod that is gone as its controller makes it again: pending, under another name. `created_s`: later than all others.
ConvertedPod replacement_of(const ConvertedPod&, std::int64_t created_s);

}  // namespace bayplan::kube
