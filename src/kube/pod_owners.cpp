// See pod_owners.h.
#include "kube/pod_owners.h"

#include <utility>

namespace bayplan::kube {

std::vector<std::string> PodOwners::put(const ConvertedPod& pod) {
    std::vector<std::string> concerned = take_out(pod.key);
    if (pod.owner_pods.empty()) {
        return concerned;
    }
    std::vector<std::string>& owners = owners_[pod.key];
    for (const std::string& uid : pod.owner_pods) {
        owners.push_back(name_of(pod.key, uid));
        ++owned_[owners.back()];
    }
    concerned.insert(concerned.end(), owners.begin(), owners.end());
    return concerned;
}

std::vector<std::string> PodOwners::take_out(const std::string& key) {
    const auto found = owners_.find(key);
    if (found == owners_.end()) {
        return {};
    }
    std::vector<std::string> owners = std::move(found->second);
    owners_.erase(found);
    for (const std::string& owner : owners) {
        if (--owned_.at(owner) == 0) {
            owned_.erase(owner);
        }
    }
    return owners;
}

}  // namespace bayplan::kube
