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

oracle::KubeState ReferencePlugin::state() const {
    oracle::KubeState state;
    state.objects = &objects_;
    state.options = options_;
    for (const auto& [name, node] : nodes_) {
        state.nodes.push_back(&node);
    }
    for (const auto& [name, pod] : pods_) {
        const auto nominated = nominated_.find(name);
        if (!pod.node.empty()) {
            state.pods.push_back(&pod);
        } else if (nominated != nominated_.end() && !nominated->second.empty()) {
            oracle::KubeNomination& made = state.nominations.emplace_back();
            made.pod = &pod;
            made.node = nominated->second;
        }
    }
    return state;
}

ReferencePlugin::NodeVerdict ReferencePlugin::judge_on(const oracle::KubeState& state, const std::string& pod,
                                                       const std::string& node) const {
    oracle::KubeState judged = state;
    std::erase_if(judged.nominations, [&](const auto& own) { return own.pod == &pods_.at(pod); });
    const oracle::KubeAnswer answer = oracle::judge(judged, pods_.at(pod));
    const auto found = std::ranges::find(answer.explanation.nodes, node, &NodeExplanation::node);
    const bool fails = found->verdict != Verdict::feasible;
    return {found->verdict, fails ? found->failures.front().reasons.front() : std::string()};
}

std::vector<ReferencePlugin::NodeVerdict> ReferencePlugin::answer(const std::string& pod,
                                                                  const std::vector<std::string>& nodes) const {
    const oracle::KubeState now = state();
    std::vector<NodeVerdict> verdicts;
    for (const std::string& name : nodes) {
        verdicts.push_back(judge_on(now, pod, name));
    }
    return verdicts;
}

// All are gone, and come back, the first to go last, where the pod fits beside them.
ReferencePlugin::Choice ReferencePlugin::choose(const std::string& pod, const std::string& node,
                                                const std::vector<std::string>& victims) const {
    oracle::KubeState without = state();
    for (const std::string& victim : victims) {
        std::erase(without.pods, &pods_.at(victim));
    }
    Choice choice{judge_on(without, pod, node), {}};
    if (choice.verdict.verdict != Verdict::feasible) {
        return choice;
    }
    for (std::size_t at = victims.size(); at-- > 0;) {
        without.pods.push_back(&pods_.at(victims[at]));
        if (judge_on(without, pod, node).verdict != Verdict::feasible) {
            without.pods.pop_back();
            choice.go.push_back(static_cast<std::uint32_t>(at));
        }
    }
    return choice;
}

}  // namespace bayplan::property
