// Clusters as `kubectl get -o json` prints them, read into the literal implementation's own model:
// for tests that hold it against answers of the real scheduler. Fields as the API server stored
// them; nothing is defaulted.
//
// Thread: one. A KubeCluster owns all it holds. Errors: std::exception for what is not such a list.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <simdjson.h>

#include "kube_model.h"

namespace bayplan::oracle {

struct KubeCluster {
    std::vector<std::unique_ptr<KubeNode>> nodes;  // in the order of the list
    std::vector<std::unique_ptr<KubePod>> pods;    // Succeeded and Failed ones left out
    std::vector<KubeNomination> nominations;       // of waiting pods
    KubeObjects objects;

    // The state without the pod that is judged.
    KubeState state(const KubeOptions&) const;
    const KubePod& pod(const std::string& name_space, const std::string& name) const;
};

KubeCluster read_cluster(simdjson::dom::element list);

}  // namespace bayplan::oracle
