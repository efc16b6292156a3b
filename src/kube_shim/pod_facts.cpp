// See pod_facts.h.
#include "kube_shim/pod_facts.h"

namespace bayplan::kube_shim {

PodFacts read_pod_facts(const kube::Value& pod) {
    PodFacts facts;
    facts.uid = pod["metadata"]["uid"].text();
    facts.resource_version = pod["metadata"]["resourceVersion"].text();
    PodWords& words = facts.words;
    words.numeric_tolerations = numeric_tolerations(pod);
    words.workload = workload_ref(pod);
    if (!pod["spec"]["nodeName"].text().empty()) {
        return facts;
    }
    words.nominated_node = pod["status"]["nominatedNodeName"].text();
    for (const kube::Value& one : pod["status"]["conditions"].items()) {
        if (one["type"].text() == "PodScheduled") {
            words.condition = {one["status"].text() == "True", std::string(one["reason"].text()),
                               std::string(one["message"].text())};
        }
    }
    return facts;
}

}  // namespace bayplan::kube_shim
