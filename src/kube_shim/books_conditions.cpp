// The parts of a pod's statement that hang on other objects: the taints that its tolerations by numbers are compared with, and
// the Workload that says of how many its group is. See books.h.
#include "kube_shim/books.h"

namespace bayplan::kube_shim {

void Books::taints_changed(const std::vector<Taint>& before, const std::vector<Taint>& now) {
    if (!rules_.gates().numeric_tolerations) {
        return;
    }
    const bool any = taint_values_.add(now);
    taint_values_.take_out(before);
    if (!any) {
        return;
    }
    for (const std::string& key : numeric_pods_) {
        if (BookedPod* const pod = find(key)) {
            queue_pod(key, *pod);
        }
    }
}

void Books::put_workload(const std::string& name, const kube::Value& workload) {
    named_[std::string(kWorkloads.kind)].insert(name);
    const std::string of = name.substr(name.find(' ') + 1);
    workloads_.put(of, workload);
    const auto pods = pods_of_workloads_.find(of);
    if (pods == pods_of_workloads_.end()) {
        return;
    }
    for (const std::string& key : pods->second) {
        BookedPod* const pod = find(key);
        if (pod != nullptr && pod->awaits_workload) {
            kube::ConvertedPod made = pod->made(key);
            join_workload(made, pod->words(), *pod);
            pod->take(made, commons_);
            queue_pod(key, *pod);
        }
    }
}

void Books::join_workload(kube::ConvertedPod& made, const PodWords& words, BookedPod& pod) {
    if (!rules_.gates().follow_workloads() || words.workload.workload.empty()) {
        return;
    }
    pods_of_workloads_[words.workload.workload].insert(made.key);
    const std::optional<std::uint32_t> minimum = workloads_.minimum(words.workload);
    if (!minimum && pod.stated) {
        made.ask.group = pod.common->ask.group;  // its Workload is gone: what it said stays
        made.ask.group_min_available = pod.common->ask.group_min_available;
        return;
    }
    pod.awaits_workload = !minimum && made.ask.node == 0;
    if (minimum.value_or(0) != 0) {
        made.ask.group = converter_.texts().id(words.workload.name());
        made.ask.group_min_available = *minimum;
        made.ask.group_fault = made.topology_mode_fault ? GroupFault::no_topology_mode : GroupFault::none;
    }
}

}  // namespace bayplan::kube_shim
