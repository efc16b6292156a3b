// See pod_facts.h.
#include "kube_shim/pod_facts.h"

namespace bayplan::kube_shim {

PodFacts read_pod_facts(const kube::Value& pod) {
    PodFacts facts;
    facts.uid = pod["metadata"]["uid"].text();
    facts.resource_version = pod["metadata"]["resourceVersion"].text();
    facts.scheduler = pod["spec"]["schedulerName"].text();
    facts.nominated_node = pod["status"]["nominatedNodeName"].text();
    facts.numeric_tolerations = numeric_tolerations(pod);
    facts.workload = workload_ref(pod);
    for (const kube::Value& one : pod["status"]["conditions"].items()) {
        if (one["type"].text() == "PodScheduled") {
            facts.condition = {one["status"].text() == "True", std::string(one["reason"].text()),
                               std::string(one["message"].text())};
        }
    }
    return facts;
}

}  // namespace bayplan::kube_shim
