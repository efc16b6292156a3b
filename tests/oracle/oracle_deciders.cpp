// What decided, for coverage: an attempt is looked at again without the rule in question. Slow, and
// only when asked for.
//
// Thread and errors: see oracle.h.
#include <algorithm>

#include "oracle.h"
#include "oracle_look.h"

namespace bayplan::oracle {

namespace {

std::vector<const KubePod*> victims_on(const std::optional<KubePreemption>& found, const KubeNode* node) {
    if (found) {
        for (const KubeVictims& one : found->candidates) {
            if (one.node == node) {
                return one.victims;
            }
        }
    }
    return {};
}

// The pod has nodes that it may not take. What to note if it would be on one of them; by what is searched for, since an engine
// may have a way of its own for each.
const char* beside_excluded(const KubeState& state, const KubePod& pod, const std::string& chosen) {
    KubeState none_excluded = state;
    none_excluded.excluded.clear();
    if (chosen.empty() || judge(none_excluded, pod).explanation.node == chosen) {
        return nullptr;
    }
    const bool others = !pod.spec->spread.empty() || !pod.spec->affinity.empty() || !pod.spec->anti_affinity.empty();
    return others ? "beside an excluded node, where other pods count" : "beside an excluded node";
}

}  // namespace

// A predicate decides when a node fails by it; a score plugin when the best node without its share
// is another one.
void Oracle::count_deciders(const KubeAnswer& found) {
    for (const std::string& predicate : found.failed_by) {
        decided_by_["predicate " + predicate] += 1;
    }
    for (const std::string& plugin : kube_score_names()) {
        std::string best;
        std::int64_t best_total = 0;
        for (const NodeExplanation& node : found.explanation.nodes) {
            std::int64_t total = node.total;
            for (const ScoreShare& share : node.scores) {
                total -= share.plugin == plugin ? share.weighted : 0;
            }
            if (node.verdict == Verdict::feasible && (best.empty() || total > best_total)) {
                best = node.node;
                best_total = total;
            }
        }
        decided_by_["score " + plugin] += best != found.explanation.node;
    }
}

// Nodes that are refused for the sake of nominated pods alone, that are refused although those would
// make them fit, and that are left out.
void Oracle::count_nominations_that_decide(const Ask& ask, const Look& look) {
    KubeState without = look.state;
    without.nominations.clear();
    for (const NodeExplanation& explained : look.answer.explanation.nodes) {
        const KubeNode& node = nodes_.at(explained.node).facts;
        const auto others = nominated_to(node.name);
        if (others.empty() || (others.size() == 1 && others[0] == &ask)) {
            continue;
        }
        const auto second = why_not(without, ask.pod, node);
        if (explained.verdict != Verdict::feasible && !second) {
            saw("refused beside nominated pods");
        }
        if (second && explained.failures.at(0).predicate != second->predicate) {
            saw("refused by another predicate beside nominated pods");
        }
    }
    if (!look.state.excluded.empty()) {
        saw("a node left out");
    }
    const bool avoids = !ask.avoids.empty() && now_ < ask.avoids_until;
    if (avoids && look.answer.explanation.node == ask.avoids) {
        saw("the avoided node after all");
    } else if (avoids && judge(look.state, ask.pod).explanation.node == ask.avoids) {
        saw("another node than the avoided one");
    }
    if (avoids || !look.state.excluded.empty()) {
        if (const char* note = beside_excluded(look.state, ask.pod, look.answer.explanation.node); note != nullptr) {
            saw(note);
        }
    }
    if (options_.preemption.nominated_node_first && !ask.nominated_node.empty() &&
        look.answer.explanation.node == ask.nominated_node) {
        KubeState like_others = look.state;
        like_others.options.nominated_node_first = false;
        if (judge(like_others, ask.pod).explanation.node != ask.nominated_node) {
            saw("the nominated node, though not the best");
        }
    }
}

void Oracle::count_preemption_rules(const Ask& ask, const Look& look, const KubePreemption& found) {
    if (!found.eligible) {
        saw(found.text);
        KubeState other = look.state;
        other.options.only_marked_stand_in = !other.options.only_marked_stand_in;
        if (preempt(other, ask.pod, look.answer)->eligible) {
            saw("not eligible for an unmarked pod");
        }
        return;
    }
    if (!ask.nominated_node.empty()) {
        saw("eligible again");
    }
    for (const char* reason : {"No preemption victims found", "Preemption is not helpful"}) {
        if (found.text.find(reason) != std::string::npos) {
            saw(reason);
        }
    }
    if (found.nodes > 0 && !found.chosen && found.text.find("No preemption") == std::string::npos) {
        saw("no node fits without its pool");
    }
    if (!found.chosen) {
        return;
    }
    const KubeVictims& chosen = found.candidates[*found.chosen];
    count_what_decides_among(found.candidates, chosen);
    KubeState other = look.state;
    other.options.victims_by_qos = !other.options.victims_by_qos;
    if (victims_on(preempt(other, ask.pod, look.answer), chosen.node) != chosen.victims) {
        saw("qos class in the order of victims");
    }
    KubeObjects unprotected = *look.state.objects;
    unprotected.budgets.clear();
    other = look.state;
    other.objects = &unprotected;
    if (victims_on(preempt(other, ask.pod, look.answer), chosen.node) != chosen.victims) {
        saw("budgets spare a pod");
    }
    other = look.state;
    other.options.copies_trial_faults = !other.options.copies_trial_faults;
    if (victims_on(preempt(other, ask.pod, look.answer), chosen.node) != chosen.victims) {
        saw("trial faults of kubernetes-1.35");
    }
}

// By how much the chosen node is better than the next best.
void Oracle::count_what_decides_among(const std::vector<KubeVictims>& candidates, const KubeVictims& chosen) {
    const KubeVictims* second = nullptr;
    const auto cost = [](const KubeVictims& one) {
        return std::tuple(one.violations, one.highest_priority(), one.priority_sum(), std::int64_t(one.victims.size()),
                          -one.earliest_start());
    };
    for (const KubeVictims& one : candidates) {
        if (one.node != chosen.node && (second == nullptr || cost(one) < cost(*second))) {
            second = &one;
        }
    }
    if (second == nullptr) {
        return;
    }
    const auto [violations, highest, sum, count, start] = cost(chosen);
    const auto [violations2, highest2, sum2, count2, start2] = cost(*second);
    saw("choice by " + std::string(violations != violations2 ? "violations"
                                   : highest != highest2     ? "the highest priority"
                                   : sum != sum2             ? "the sum of priorities"
                                   : count != count2         ? "the number of victims"
                                   : start != start2         ? "the start"
                                                             : "the slot"));
}

}  // namespace bayplan::oracle
