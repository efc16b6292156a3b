// Writes Kubernetes objects in JSON and YAML as seeds for kube_objects_fuzz and kube_selector_fuzz.
//
// Usage: kube_corpus DIRECTORY
#include <string>
#include <vector>

#include "seeds.h"

namespace {

const std::string kSelector =
    R"({"matchLabels":{"app":"web"},"matchExpressions":[{"key":"a","operator":"In","values":["1","2"]},)"
    R"({"key":"b","operator":"NotIn","values":["3"]},{"key":"c","operator":"Exists"},{"key":"d","operator":"DoesNotExist"}]})";
const std::string kTerm = R"({"topologyKey":"zone","namespaces":["x"],"namespaceSelector":{},"matchLabelKeys":["app"],)"
                          R"("mismatchLabelKeys":["app"],"labelSelector":)" +
                          kSelector + "}";

std::string affinity(const std::string& name) {
    return "\"" + name + R"(":{"requiredDuringSchedulingIgnoredDuringExecution":[)" + kTerm +
           R"(],"preferredDuringSchedulingIgnoredDuringExecution":[{"weight":5,"podAffinityTerm":)" + kTerm + "}]}";
}

std::string meta(const std::string& name, const std::string& more = "") {
    return R"("metadata":{"name":")" + name + R"(","namespace":"ns","labels":{"app":"web"})" + more + "}";
}

std::vector<std::string> pods() {
    return {
        R"({"kind":"List","items":[{"kind":"DeviceClass","apiVersion":"resource.k8s.io/v1",)" + meta("gpu") +
            R"(,"spec":{"extendedResourceName":"x.io/y"}},{"kind":"Pod",)" + meta("e") +
            R"(,"spec":{"initContainers":[{"name":"i","resources":{"requests":{"x.io/y":3}}}],"containers":[{"name":"c",)"
            R"("resources":{"requests":{"x.io/y":2,"deviceclass.resource.kubernetes.io/gpu":1}}}]}}]})",
        R"({"kind":"Pod",)" + meta("a", R"(,"creationTimestamp":"2026-01-01T00:00:00Z")") +
            R"(,"spec":{"nodeName":"n","priority":5,"containers":[{"name":"c","image":"a/b:1","ports":[{"hostPort":80,)"
            R"("protocol":"UDP","hostIP":"10.0.0.1"}],"resources":{"requests":{"cpu":"1.5","memory":"1Gi","x.io/y":2}}}],)"
            R"("initContainers":[{"name":"i","restartPolicy":"Always","resources":{"requests":{"cpu":"100m"}}}],)"
            R"("overhead":{"cpu":"1"},"resources":{"requests":{"cpu":"2"},"limits":{"memory":"2Gi"}}},)"
            R"("status":{"phase":"Running","containerStatuses":[{"name":"c","resources":{"requests":{"cpu":"2"}},)"
            R"("allocatedResources":{"cpu":"1"}}],"conditions":[{"type":"PodResizePending","reason":"Infeasible"}]}})",
        R"({"kind":"Pod",)" + meta("b") + R"(,"spec":{"affinity":{)" + affinity("podAffinity") + "," +
            affinity("podAntiAffinity") +
            R"(,"nodeAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":)"
            R"({"nodeSelectorTerms":[{"matchFields":[{"key":"metadata.name","operator":"In","values":["n"]}]},)"
            R"({"matchExpressions":[{"key":"a","operator":"Gt","values":["5"]}]}]}}}}})",
        R"({"kind":"Pod",)" + meta("c") +
            R"(,"spec":{"hostNetwork":true,"tolerations":[{"key":"k","operator":"Exists","effect":"NoExecute"}],)"
            R"("topologySpreadConstraints":[{"maxSkew":1,"topologyKey":"zone","whenUnsatisfiable":"DoNotSchedule",)"
            R"("minDomains":2,"matchLabelKeys":["app"],"nodeTaintsPolicy":"Honor","labelSelector":)" +
            kSelector +
            R"(}],"volumes":[{"name":"v","persistentVolumeClaim":{"claimName":"x"}},{"name":"w","ephemeral":{}},)"
            R"({"rbd":{"image":"i","monitors":["m"]}}],"schedulingGates":[{"name":"g"}]}})"};
}

std::vector<std::string> others() {
    return {R"({"kind":"Node",)" + meta("n") +
                R"(,"spec":{"unschedulable":true,"taints":[{"key":"k","effect":"NoSchedule"}]},)"
                R"("status":{"allocatable":{"cpu":"4","pods":"110"},"images":[{"names":["a/b:1"],"sizeBytes":5}]}})",
            R"({"kind":"PersistentVolumeClaim",)" + meta("x") +
                R"(,"spec":{"storageClassName":"s","accessModes":)"
                R"(["ReadWriteOncePod"],"resources":{"requests":{"storage":"1Gi"}}}})",
            R"({"kind":"PersistentVolume",)" + meta("y") +
                R"(,"spec":{"capacity":{"storage":"1Gi"},"csi":{"driver":"d",)"
                R"("volumeHandle":"h"},"claimRef":{"name":"x","namespace":"ns","uid":"u"}}})",
            R"({"kind":"StorageClass",)" + meta("s") +
                R"(,"provisioner":"p","allowedTopologies":[{"matchLabelExpressions":)"
                R"([{"key":"zone","values":["a"]}]}]})",
            R"({"kind":"PodDisruptionBudget",)" + meta("p") + R"(,"spec":{"selector":)" + kSelector +
                R"(},"status":{"disruptionsAllowed":1,"disruptedPods":{"a":null}}})",
            R"({"kind":"PriorityClass",)" + meta("q") + R"(,"value":7,"globalDefault":true})",
            R"({"kind":"CSINode",)" + meta("n") + R"(,"spec":{"drivers":[{"name":"d","allocatable":{"count":3}}]}})",
            R"({"kind":"Service",)" + meta("r") + R"(,"spec":{"selector":{"app":"web"}}})"};
}

const std::string kYaml =
    "apiVersion: v1\nkind: List\nitems:\n- kind: Pod\n  metadata: {name: y, labels: &l {app: web}}\n  spec:\n"
    "    nodeSelector: *l\n    containers:\n    - name: c\n      resources: {requests: {cpu: 0.5, memory: 1Gi}}\n"
    "---\nkind: Node\nmetadata:\n  name: \"n\"\nstatus:\n  allocatable:\n    cpu: '4'\n";

}  // namespace

int main(int argc, char** argv) {
    bayplan::fuzz::Seeds seeds;
    const auto add = [&](const std::string& text) { seeds.emplace_back(std::to_string(seeds.size()), text); };
    add(kYaml);
    add(kSelector);
    add(kTerm);
    std::string list = R"({"kind":"List","items":[)";
    std::string timeline;
    for (const std::vector<std::string>& group : {pods(), others()}) {
        for (const std::string& object : group) {
            list += (list.back() == '[' ? "" : ",") + object;
            timeline += R"({"at":"1.5s","apply":)" + object + "}\n";
            add(object);
        }
    }
    add(list + "]}");
    add(timeline + R"({"at":"12s","delete":{"kind":"Pod","namespace":"ns","name":"a"},"now":true})");
    return bayplan::fuzz::write_seeds(argc, argv, seeds);
}
