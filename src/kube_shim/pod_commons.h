// Parts that pods have in common, kept once: most pods of a cluster are copies of others.
//
// Thread: one. A common part is kept by the pods that have it; the table forgets the others when it has doubled.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <boost/unordered/unordered_flat_map.hpp>

#include "kube/pod.h"

namespace bayplan::kube_shim {

struct PodCommon {
    AskItem ask;  // without its views; fields that are a pod's own mean nothing in it
    std::vector<Amount> requests;
    std::vector<Text> ignored_resources;  // that it asks for, and its scheduler looks for nowhere
    ApplicationItem application;          // with spans of the lists
    std::shared_ptr<const kube::ApplicationLists> lists;
    std::string scheduler;
    bool topology_mode_fault = false;
};

bool same(const PodCommon&, const PodCommon&);

class PodCommons {
public:
    // Not in it is the pod's own: its node, spec, nomination and times; that it terminates, was preempted, owns other pods.
    std::shared_ptr<const PodCommon> of(const kube::ConvertedPod&);
    // That the table knows, held or not.
    std::size_t size() const { return known_.size(); }

private:
    static constexpr std::size_t kKept = 1'024;

    void forget_unheld();

    boost::unordered_flat_map<std::size_t, std::weak_ptr<const PodCommon>> known_;  // by hash
    std::size_t look_at_ = kKept;  // so many, and it is time for a look at which are held
};

}  // namespace bayplan::kube_shim
