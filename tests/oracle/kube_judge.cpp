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
    {"DynamicResources", kube_dynamic_resources},
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
    {"DynamicResources", kube_dynamic_resources_score},
    {"NodeResourcesFit", kube_node_resources_fit_score},
    {"NodeResourcesBalancedAllocation", kube_balanced_allocation_score},
    {"ImageLocality", kube_image_locality_score},
    {"DevicePacking", kube_device_packing_score},
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

// What one pod meets in one state.
struct Judging {
    explicit Judging(const KubeState& with, const KubePod& pod) : look{with, pod, {}} {
        for (const KubePod* placed : with.pods) {
            look.pods_on[placed->node].push_back(placed);
        }
        for (const auto& [name, make] : kPredicates) {
            const bool passes = with.options.copies_trial_faults && with.skipped && with.skipped->contains(name);
            if (!with.options.predicates_off.contains(name) && !passes) {
                predicates.push_back({name, make(look)});
            }
        }
        finding = prefilter();
    }
    Judging(const Judging&) = delete;
    Judging& operator=(const Judging&) = delete;

    // What is found against the pod as a whole, if anything; else the nodes that names leave over.
    std::optional<PredicateFailure> prefilter() {
        for (const auto& [name, predicate] : predicates) {
            const KubeMaybeFault fault = predicate->prefilter();
            if (fault) {  // always unresolvable
                not_queued = fault->not_queued;
                return failure(name, *fault);
            }
            const auto names = predicate->only_nodes();
            if (names) {
                only = names;  // only one predicate narrows
            }
        }
        return std::nullopt;
    }

    std::set<std::string> skipped() const {
        std::set<std::string> out;
        for (const auto& [name, predicate] : predicates) {
            // A predicate that finds something against the pod as a whole is not left out.
            if (predicate->skips() && !predicate->prefilter()) {
                out.insert(name);
            }
        }
        return out;
    }

    // The failing predicates in their order, or just the first.
    std::vector<PredicateFailure> failures_on(const KubeNode& node) {
        if (finding) {
            return {*finding};
        }
        // The narrowing hides what else fails.
        if (only && !only->contains(node.name) && !look.state.options.all_failures) {
            return {{"NodeAffinity", Verdict::unresolvable, {"node(s) didn't satisfy plugin(s) [NodeAffinity]"}}};
        }
        std::vector<PredicateFailure> out;
        for (const auto& [name, predicate] : predicates) {
            const KubeMaybeFault fault = predicate->filter(node);
            if (fault) {
                out.push_back(failure(name, *fault));
                if (!look.state.options.all_failures) {
                    break;
                }
            }
        }
        return out;
    }

    KubeLook look;
    std::vector<NamedPredicate> predicates;
    std::optional<PredicateFailure> finding;
    bool not_queued = false;
    std::optional<std::set<std::string>> only;
};

// The first pass: as if those ran on the node that are nominated to it and of no lower priority.
std::vector<PredicateFailure> failures_beside_nominated(const KubeState& state, const KubePod& pod,
                                                        const KubeNode& node) {
    std::vector<KubePod> running;
    for (const KubeNomination& nomination : state.nominations) {
        if (nomination.node == node.name && nomination.pod != &pod && nomination.pod->priority >= pod.priority) {
            running.push_back(*nomination.pod);
            running.back().node = node.name;
            running.back().terminating = false;
            running.back().stands_in = true;
        }
    }
    if (running.empty()) {
        return {};
    }
    KubeState with = state;
    if (!with.skipped) {
        with.skipped = Judging(state, pod).skipped();
    }
    for (const KubePod& one : running) {
        with.pods.push_back(&one);
    }
    return Judging(with, pod).failures_on(node);
}

void filter(Judging& judging, KubeAnswer& answer) {
    const KubeState& state = judging.look.state;
    for (std::size_t i = 0; i < state.nodes.size(); ++i) {
        NodeExplanation& node = answer.explanation.nodes[i];
        if (state.excluded.contains(node.node)) {
            const bool refused = node.node == state.avoided;
            give(node, {"",
                        Verdict::unresolvable,
                        {refused ? "node(s) refused the pod lately" : "node(s) had a victim that does not terminate"}});
            continue;
        }
        auto failures = judging.finding ? std::vector<PredicateFailure>{*judging.finding}
                                        : failures_beside_nominated(state, judging.look.pod, *state.nodes[i]);
        if (failures.empty()) {
            failures = judging.failures_on(*state.nodes[i]);
        }
        for (const PredicateFailure& one : failures) {
            give(node, one);
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
    std::vector<std::string> reasons;
    for (const NodeExplanation& node : nodes) {
        const auto& of_node = node.failures.at(0).reasons;
        reasons.insert(reasons.end(), of_node.begin(), of_node.end());
    }
    return counted(reasons);
}

void conclude_on(const KubeLook& look, const KubeNode& best, KubeAnswer& answer) {
    answer.explanation.state = "scheduled";
    answer.explanation.node = best.name;
    if (!look.state.options.predicates_off.contains("VolumeBinding")) {
        answer.bindings = kube_bindings(look, best);
    }
    if (!look.state.options.predicates_off.contains("DynamicResources")) {
        const std::vector<KubeBinding> uses = kube_claim_uses(look, best);
        answer.bindings.insert(answer.bindings.end(), uses.begin(), uses.end());
    }
}

void conclude(const Judging& judging, KubeAnswer& answer) {
    const KubeLook& look = judging.look;
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
    answer.failed_by.erase("");  // nodes that were left out
    if (best != nullptr) {
        conclude_on(look, *best, answer);
        return;
    }
    explanation.state = "unschedulable";
    const std::string reasons = judging.finding ? joined(judging.finding->reasons, ", ") : histogram(explanation.nodes);
    explanation.message = look.state.nodes.empty() ? "no nodes available to schedule pods"
                                                   : "0/" + std::to_string(look.state.nodes.size()) +
                                                         " nodes are available: " + reasons + ".";
    if (judging.not_queued) {
        explanation.message = judging.finding->reasons.at(0);
        explanation.ends = AttemptEnd::not_queued;
        answer.not_queued = true;
    }
}

// The pod's own nominated node, if that is looked at first and passes: taken without a look at the
// others.
bool take_nominated(const KubeState& state, const KubePod& pod, KubeAnswer& answer) {
    for (const KubeNomination& own : state.nominations) {
        for (const KubeNode* node : state.nodes) {
            if (own.pod == &pod && own.node == node->name && state.options.nominated_node_first &&
                !state.excluded.contains(node->name) && !why_not(state, pod, *node)) {
                answer.explanation.nodes = {{node->name, Verdict::feasible, {}, {}, 0}};
                Judging judging(state, pod);
                conclude_on(judging.look, *node, answer);
                return true;
            }
        }
    }
    return false;
}

KubeAnswer ended_by(const std::string& error) {
    KubeAnswer answer;
    answer.explanation.state = "unschedulable";
    answer.explanation.ends = AttemptEnd::in_an_error;
    answer.explanation.message = error;
    answer.failed_by = {"DynamicResources"};
    answer.not_queued = true;
    return answer;
}

}  // namespace

std::string counted(const std::vector<std::string>& reasons) {
    std::map<std::string, std::uint64_t> counts;
    for (const std::string& reason : reasons) {
        counts[reason] += 1;
    }
    std::vector<std::string> parts;
    for (const auto& [reason, count] : counts) {
        parts.push_back(std::to_string(count) + " " + reason);
    }
    std::sort(parts.begin(), parts.end());
    return joined(parts, ", ");
}

std::set<std::string> skipped_by(const KubeState& state, const KubePod& pod) { return Judging(state, pod).skipped(); }

std::optional<PredicateFailure> why_not(const KubeState& state, const KubePod& pod, const KubeNode& node) {
    auto failures = failures_beside_nominated(state, pod, node);
    if (failures.empty()) {
        failures = Judging(state, pod).failures_on(node);
    }
    return failures.empty() ? std::nullopt : std::optional(failures[0]);
}

bool takes_nominated(const KubeState& state, const KubePod& pod) {
    KubeAnswer answer;
    return take_nominated(state, pod, answer);
}

std::optional<KubeAnswer> error_of_attempt(const KubeState& state, const KubePod& pod) {
    Judging judging(state, pod);
    if (judging.finding || state.options.predicates_off.contains("DynamicResources")) {
        return std::nullopt;
    }
    std::size_t feasible = 0;
    for (const KubeNode* node : state.nodes) {
        if (state.excluded.contains(node->name)) {
            continue;
        }
        auto failures = failures_beside_nominated(state, pod, *node);
        if (failures.empty()) {
            failures = judging.failures_on(*node);
        }
        if (!failures.empty() && failures[0].reasons.at(0).starts_with(kErrorPrefix)) {
            return ended_by(failures[0].reasons[0]);
        }
        feasible += failures.empty();
    }
    const auto [allocated, others] = claims_of(state, pod);
    if (!state.options.copies_trial_faults || allocated == 0 || others == 0 || feasible < 2) {
        return std::nullopt;
    }
    return ended_by("running Score plugins: plugin \"DynamicResources\" failed with: number of allocations " +
                    std::to_string(others) + " is smaller than number of claims");
}

KubeAnswer judge(const KubeState& state, const KubePod& pod) {
    KubeAnswer answer;
    if (!pod.spec->gates.empty() && state.options.waits_at_gates) {
        answer.explanation.state = "gated";
        answer.explanation.message = "waiting for scheduling gates: [" + joined(pod.spec->gates, " ") + "]";
        return answer;
    }
    if (take_nominated(state, pod, answer)) {
        return answer;
    }
    Judging judging(state, pod);
    answer.finding = judging.finding;
    answer.skipped = judging.skipped();
    for (const KubeNode* node : state.nodes) {
        answer.explanation.nodes.push_back({node->name, Verdict::feasible, {}, {}, 0});
    }
    filter(judging, answer);
    score(judging.look, answer);
    conclude(judging, answer);
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
