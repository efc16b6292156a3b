// Which pods are owned by other pods: a driver by whose uid its executors name it.
//
// Thread: one. Owns its texts.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "kube/pod.h"

namespace bayplan::kube {

// A pod counts from when it is put in until it is taken out, on any node and in any state.
class PodOwners {
public:
    // In place of what was known of the pod. Returns whom that may concern, as is_owner() knows them.
    std::vector<std::string> put(const ConvertedPod&);
    std::vector<std::string> take_out(const std::string& key);
    bool is_owner(const std::string& key, const std::string& uid) const {
        return !owned_.empty() && owned_.contains(name_of(key, uid));
    }
    bool is_owner(const ConvertedPod& pod) const { return is_owner(pod.key, pod.uid); }
    // "NAMESPACE/UID", what put() returns.
    static std::string name_of(const std::string& key, const std::string& uid) {
        return key.substr(0, key.find('/') + 1) + uid;
    }

private:
    std::map<std::string, std::vector<std::string>> owners_;  // by key of the owned pod
    std::map<std::string, std::size_t> owned_;                // by owner: how many
};

}  // namespace bayplan::kube
