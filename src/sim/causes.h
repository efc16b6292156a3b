// Why nodes do not take a pod, with amounts, names and counts, and what would have to be otherwise. Nothing is decided here: the
// engine has said which predicates fail; what stands behind them is read from the dump and from what was placed.
//
// Thread: one. Refers to the dump, its uses and the pod.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "bayplan/explanation.h"
#include "sim/cluster_use.h"
#include "sim/volumes_in_use.h"

namespace bayplan::sim {

class Causes {
public:
    Causes(const kube::ClusterDump&, const ClusterUse&, const kube::ConvertedPod&);

    // Of one failure on one node: "asks cpu 3, free 1 of 4".
    std::vector<std::string> of(std::string_view node, const PredicateFailure&);

    // Changes that would let it fit, the most promising first. Of nodes with all that fails on them.
    std::vector<std::string> nearest(const std::vector<NodeExplanation>&) const;

private:
    struct Domains {
        std::unordered_map<Text, std::int64_t> counts;  // matching pods by value of the key
        std::int64_t least = 0;
        Text emptiest = 0;
        bool own = false;  // the pod itself would count
    };

    std::vector<std::string> resources(std::size_t node) const;
    std::vector<std::string> taints(const kube::ConvertedNode&) const;
    std::vector<std::string> affinity(const kube::ConvertedNode&) const;
    std::vector<std::string> spread(const kube::ConvertedNode&);
    std::vector<std::string> neighbours(const kube::ConvertedNode&) const;
    std::vector<std::string> ports(std::size_t node) const;

    const Domains& domains(std::size_t constraint);
    bool means(const PodTerm&, const kube::ConvertedPod& owner, const kube::ConvertedPod& other) const;
    std::string text(const LabelRequirement&, const kube::ConvertedNode&) const;
    std::string selector_text(const LabelSelector&) const;
    std::string_view name(Text id) const { return dump_.texts().text(id); }

    const kube::ClusterDump& dump_;
    const ClusterUse& use_;
    const kube::ConvertedPod& pod_;
    const PodSpec& spec_;
    std::vector<Domains> domains_;         // of the constraints, once they are asked for
    std::optional<VolumesInUse> volumes_;  // likewise
};

// "key=value:NoSchedule"
std::string taint_text(const kube::Texts&, const Taint&);

}  // namespace bayplan::sim
