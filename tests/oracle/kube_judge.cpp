// One pod against every node: PreFilter, Filter, Score, as Kubernetes' framework runs them.
//
// Thread and errors: see kube_judge.h.
#include "kube_judge.h"

#include <algorithm>

#include "kube_predicate.h"

namespace bayplan::oracle {

namespace {

struct PredicateEntry {
    const char* name;
    KubePredicatePointer (*make)(const KubeLook&);
};

constexpr PredicateEntry kPredicates[] = {
    {"NodeUnschedulable", kube_node_unschedulable},
    {"NodeName", kube_node_name},
    {"TaintToleration", kube_taint_toleration},
    {"NodeAffinity", kube_node_affinity},
    {"NodePorts", kube_node_ports},
    {"NodeResourcesFit", kube_node_resources_fit},
    {"VolumeRestrictions", kube_volume_restrictions},
    {"NodeVolumeLimits", kube_node_volume_limits},
    {"VolumeBinding", kube_volume_binding},
    {"VolumeZone", kube_volume_zone},
    {"PodTopologySpread", kube_pod_topology_spread},
    {"InterPodAffinity", kube_inter_pod_affinity},
};

struct ScoreEntry {
    const char* name;
    KubeScorePointer (*make)(const KubeLook&);
};

constexpr ScoreEntry kScores[] = {
    {"TaintToleration", kube_taint_toleration_score},
    {"NodeAffinity", kube_node_affinity_score},
    {"PodTopologySpread", kube_pod_topology_spread_score},
    {"InterPodAffinity", kube_inter_pod_affinity_score},
    {"NodeResourcesFit", kube_node_resources_fit_score},
    {"NodeResourcesBalancedAllocation", kube_balanced_allocation_score},
    {"ImageLocality", kube_image_locality_score},
};

struct NamedPredicate {
    std::string name;
    KubePredicatePointer predicate;
};

PredicateFailure failure(const std::string& predicate, const KubeFault& fault) {
    return {predicate, fault.verdict, fault.reasons};
}

void give(NodeExplanation& node, const PredicateFailure& why) {
    if (node.failures.empty()) {
        node.verdict = why.verdict;
    }
    node.failures.push_back(why);
}

// What is found against the pod as a whole, if anything; else the nodes that names leave over.
std::optional<PredicateFailure> prefilter(const std::vector<NamedPredicate>& predicates,
                                          std::optional<std::set<std::string>>& only) {
    std::optional<PredicateFailure> remembered;
    for (const auto& [name, predicate] : predicates) {
        const KubeMaybeFault fault = predicate->prefilter();
        if (fault && fault->verdict == Verdict::unresolvable) {
            return failure(name, *fault);
        }
        if (fault) {
            remembered = failure(name, *fault);
            continue;
        }
        const auto names = predicate->only_nodes();
        if (names) {
            only = names;  // only one predicate narrows
        }
    }
    return remembered;
}

void filter(const KubeState& state, const std::vector<NamedPredicate>& predicates,
            const std::optional<std::set<std::string>>& only, KubeAnswer& answer) {
    for (std::size_t i = 0; i < state.nodes.size(); ++i) {
        NodeExplanation& node = answer.explanation.nodes[i];
        if (only && !only->contains(node.node)) {
            give(node, {"NodeAffinity", Verdict::unresolvable,
                        {"node(s) didn't satisfy plugin(s) [NodeAffinity]"}});
            continue;
        }
        for (const auto& [name, predicate] : predicates) {
            const KubeMaybeFault fault = predicate->filter(*state.nodes[i]);
            if (fault) {
                give(node, failure(name, *fault));
                if (!state.options.all_failures) {
                    break;
                }
            }
        }
    }
}

void score(const KubeLook& look, KubeAnswer& answer) {
    std::vector<const KubeNode*> feasible;
    std::vector<NodeExplanation*> explained;
    for (std::size_t i = 0; i < look.state.nodes.size(); ++i) {
        if (answer.explanation.nodes[i].verdict == Verdict::feasible) {
            feasible.push_back(look.state.nodes[i]);
            explained.push_back(&answer.explanation.nodes[i]);
        }
    }
    if (feasible.empty()) {
        return;
    }
    for (const auto& [name, make] : kScores) {
        const auto weight = look.state.options.weights.find(name);
        if (weight == look.state.options.weights.end() || weight->second == 0) {
            continue;
        }
        const KubeScorePointer plugin = make(look);
        if (!plugin->prescore(feasible)) {
            continue;
        }
        std::vector<std::int64_t> raw;
        for (const KubeNode* node : feasible) {
            raw.push_back(plugin->score(*node));
        }
        std::vector<std::int64_t> normalised = raw;
        plugin->normalise(normalised);
        for (std::size_t i = 0; i < feasible.size(); ++i) {
            const std::int64_t weighted = normalised[i] * weight->second;
            explained[i]->scores.push_back({name, raw[i], normalised[i], weighted});
            explained[i]->total += weighted;
        }
    }
}

std::string joined(const std::vector<std::string>& parts, const std::string& between) {
    std::string text;
    for (std::size_t i = 0; i < parts.size(); ++i) {
        text += (i == 0 ? "" : between) + parts[i];
    }
    return text;
}

std::string histogram(const std::vector<NodeExplanation>& nodes) {
    std::map<std::string, std::uint64_t> counts;
    for (const NodeExplanation& node : nodes) {
        for (const std::string& reason : node.failures.at(0).reasons) {
            counts[reason] += 1;
        }
    }
    std::vector<std::string> parts;
    for (const auto& [reason, count] : counts) {
        parts.push_back(std::to_string(count) + " " + reason);
    }
    std::sort(parts.begin(), parts.end());
    return joined(parts, ", ");
}

void conclude(const KubeLook& look, const std::string& for_all, KubeAnswer& answer) {
    Explanation& explanation = answer.explanation;
    const KubeNode* best = nullptr;
    std::int64_t best_total = 0;
    for (std::size_t i = 0; i < look.state.nodes.size(); ++i) {
        const NodeExplanation& node = explanation.nodes[i];
        if (node.verdict != Verdict::feasible) {
            answer.failed_by.insert(node.failures.at(0).predicate);
        } else if (best == nullptr || node.total > best_total) {
            best = look.state.nodes[i];
            best_total = node.total;
        }
    }
    if (best != nullptr) {
        explanation.state = "scheduled";
        explanation.node = best->name;
        if (!look.state.options.predicates_off.contains("VolumeBinding")) {
            answer.bindings = kube_bindings(look, *best);
        }
        return;
    }
    explanation.state = "unschedulable";
    const std::string reasons = for_all.empty() ? histogram(explanation.nodes) : for_all;
    explanation.message = look.state.nodes.empty()
                              ? "no nodes available to schedule pods"
                              : "0/" + std::to_string(look.state.nodes.size()) +
                                    " nodes are available: " + reasons + ".";
}

}  // namespace

KubeAnswer judge(const KubeState& state, const KubePod& pod) {
    KubeAnswer answer;
    if (!pod.spec->gates.empty() && state.options.waits_at_gates) {
        answer.explanation.state = "gated";
        answer.explanation.message =
            "waiting for scheduling gates: [" + joined(pod.spec->gates, " ") + "]";
        return answer;
    }
    KubeLook look{state, pod, {}};
    for (const KubePod* placed : state.pods) {
        look.pods_on[placed->node].push_back(placed);
    }
    for (const KubeNode* node : state.nodes) {
        answer.explanation.nodes.push_back({node->name, Verdict::feasible, {}, {}, 0});
    }
    std::vector<NamedPredicate> predicates;
    for (const auto& [name, make] : kPredicates) {
        if (!state.options.predicates_off.contains(name)) {
            predicates.push_back({name, make(look)});
        }
    }
    std::optional<std::set<std::string>> only;
    const auto against_all = prefilter(predicates, only);
    if (against_all) {
        for (NodeExplanation& node : answer.explanation.nodes) {
            give(node, *against_all);
        }
    } else {
        filter(state, predicates, only, answer);
        score(look, answer);
    }
    conclude(look, against_all ? joined(against_all->reasons, ", ") : "", answer);
    return answer;
}

std::vector<std::string> kube_predicate_names() {
    std::vector<std::string> names;
    for (const auto& [name, make] : kPredicates) {
        names.emplace_back(name);
    }
    return names;
}

std::vector<std::string> kube_score_names() {
    std::vector<std::string> names;
    for (const auto& [name, make] : kScores) {
        names.emplace_back(name);
    }
    return names;
}

}  // namespace bayplan::oracle
