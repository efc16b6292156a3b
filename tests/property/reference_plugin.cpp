// See reference_plugin.h.
#include "reference_plugin.h"

#include <algorithm>

namespace bayplan::property {

ReferencePlugin::ReferencePlugin(const std::set<std::string>& served) {
    for (const std::string& name : oracle::kube_predicate_names()) {
        if (!served.contains(name)) {
            options_.predicates_off.insert(name);
        }
    }
    options_.all_failures = true;
}

std::vector<ReferencePlugin::NodeVerdict> ReferencePlugin::answer(const std::string& pod,
                                                                  const std::vector<std::string>& nodes) const {
    oracle::KubeState state;
    state.objects = &objects_;
    state.options = options_;
    for (const auto& [name, node] : nodes_) {
        state.nodes.push_back(&node);
    }
    for (const auto& [name, other] : pods_) {
        if (!other.node.empty()) {
            state.pods.push_back(&other);
        }
    }
    const oracle::KubeAnswer judged = oracle::judge(state, pods_.at(pod));
    std::vector<NodeVerdict> verdicts;
    for (const std::string& name : nodes) {
        const auto found = std::ranges::find(judged.explanation.nodes, name, &NodeExplanation::node);
        const bool fails = found->verdict != Verdict::feasible;
        verdicts.push_back({found->verdict, fails ? found->failures.front().reasons.front() : std::string()});
    }
    return verdicts;
}

}  // namespace bayplan::property
