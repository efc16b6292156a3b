// A plugin that serves predicates of Kubernetes out of its own cache of nodes and pods, as a cluster manager does: for each query
// it makes what it must know of the cluster anew, and judges every node that it was asked about by Kubernetes' rules taken
// literally (tests/oracle/kube_judge.h). It shares nothing with src/.
//
// Thread: one. Owns its cache.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "kube_judge.h"

namespace bayplan::property {

class ReferencePlugin {
public:
    struct NodeVerdict {
        Verdict verdict = Verdict::feasible;
        std::string reason;  // the first; empty if it is feasible
    };

    // `served`: names of the predicates that it serves; all others are somebody else's business.
    explicit ReferencePlugin(const std::set<std::string>& served);

    void put_node(const oracle::KubeNode& node) { nodes_[node.name] = node; }
    void put_pod(const oracle::KubePod& pod) { pods_[pod.name] = pod; }
    void pod_is_on(const std::string& pod, const std::string& node) { pods_.at(pod).node = node; }
    void pod_is_gone(const std::string& pod) {
        pods_.erase(pod);
        nominated_.erase(pod);
    }
    // No node: it is nominated no more.
    void pod_is_nominated(const std::string& pod, const std::string& node) { nominated_[pod] = node; }

    // One verdict for each node, in their order.
    std::vector<NodeVerdict> answer(const std::string& pod, const std::vector<std::string>& nodes) const;

    // So that the pod gets the node: which of these pods must go, by index; or none would help.
    struct Choice {
        NodeVerdict verdict;
        std::vector<std::uint32_t> go;
    };
    Choice choose(const std::string& pod, const std::string& node, const std::vector<std::string>& victims) const;

private:
    oracle::KubeState state() const;
    NodeVerdict judge_on(const oracle::KubeState&, const std::string& pod, const std::string& node) const;

    oracle::KubeOptions options_;
    oracle::KubeObjects objects_;
    std::map<std::string, oracle::KubeNode> nodes_;
    std::map<std::string, oracle::KubePod> pods_;   // by name; those without a node wait
    std::map<std::string, std::string> nominated_;  // nodes by pod; empty: none
};

}  // namespace bayplan::property
