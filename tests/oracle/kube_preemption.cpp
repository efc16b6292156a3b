// The search for victims, step by step as rules/preemption.md names the steps.
//
// Thread and errors: see kube_preemption.h.
#include "kube_preemption.h"

#include <algorithm>
#include <limits>
#include <tuple>

#include "kube_judge.h"
#include "kube_match.h"

namespace bayplan::oracle {

namespace {

constexpr std::string_view kClaimNotAvailable = "resourceclaim not available on the node";

using Pods = std::vector<const KubePod*>;

std::int64_t start_of(const KubePod& pod) {
    return pod.started_ms == 0 ? std::numeric_limits<std::int64_t>::max() : pod.started_ms;
}

const KubeNode* node_named(const KubeState& state, const std::string& name) {
    for (const KubeNode* node : state.nodes) {
        if (node->name == name) {
            return node;
        }
    }
    return nullptr;
}

// "May it?": why it may not, or "".
std::string not_eligible(const KubeState& state, const KubePod& pod, const KubeAnswer& answer) {
    if (pod.never_preempts) {
        return "not eligible due to preemptionPolicy=Never.";
    }
    for (const KubeNomination& own : state.nominations) {
        if (own.pod != &pod) {
            continue;
        }
        for (const NodeExplanation& node : answer.explanation.nodes) {
            if (node.node == own.node && node.verdict == Verdict::unresolvable) {
                return "";
            }
        }
        for (const KubePod* other : state.pods) {
            const bool marked = other->preempted || !state.options.only_marked_stand_in;
            const bool concerns =
                own.guaranteed_by.contains(other->sequence) || (other->priority < pod.priority && marked);
            if (other->node == own.node && other->terminating && !other->stuck && concerns) {
                return "not eligible due to a terminating pod on the nominated node.";
            }
        }
    }
    return "";
}

Pods pool_on(const KubeState& state, const KubePod& pod, const KubeNode& node) {
    Pods pool;
    for (const KubePod* placed : state.pods) {
        const bool in_it = state.reserving ? placed->priority <= pod.priority && !state.own_gang.contains(placed)
                                           : placed->priority < pod.priority;
        if (placed->node == node.name && in_it && !placed->spared) {
            pool.push_back(placed);
        }
    }
    std::sort(pool.begin(), pool.end(), [&](const KubePod* a, const KubePod* b) {
        const auto rank = [&](const KubePod& one) {  // smaller: more important
            return std::tuple(-std::int64_t{one.priority}, state.options.victims_by_qos ? -one.qos_rank : 0,
                              start_of(one), one.key, one.sequence);
        };
        return rank(*a) < rank(*b);
    });
    return pool;
}

// Each takes one from every budget that protects it, in order of importance.
std::set<const KubePod*> violating(const KubeState& state, const Pods& pool) {
    if (state.reserving) {
        return {};
    }
    std::map<KubeName, std::int64_t> left;
    for (const auto& [name, budget] : state.objects->budgets) {
        left[name] = budget.allowed;
    }
    std::map<std::string, std::int64_t> spare = state.gang_spare;
    std::set<const KubePod*> out;
    for (const KubePod* pod : pool) {
        const auto gang = state.gang_of.find(pod);
        if (gang != state.gang_of.end() && spare.contains(gang->second) && --spare[gang->second] < 0) {
            out.insert(pod);
        }
        for (const auto& [name, budget] : state.objects->budgets) {
            if (protects(budget, *pod) && --left[name] < 0) {
                out.insert(pod);
            }
        }
    }
    return out;
}

// From the first that is put back to the last: those whose budget would be violated first.
Pods order_of_return(const KubeState& state, const Pods& pool) {
    const std::set<const KubePod*> violate = violating(state, pool);
    Pods order;
    for (const bool first : {true, false}) {
        for (const KubePod* one : pool) {
            if (violate.contains(one) == first) {
                order.push_back(one);
            }
        }
    }
    return order;
}

KubeVictims as_victims(const KubeState& state, const KubeNode& node, const Pods& pool, const Pods& gone) {
    const std::set<const KubePod*> violate = violating(state, pool);
    KubeVictims out{&node, gone, 0};
    out.violations = std::count_if(gone.begin(), gone.end(), [&](const KubePod* one) { return violate.contains(one); });
    return out;
}

// Puts the pods of the pool back one by one, but for pods that go in any case. The victims are those with whom the node does
// not pass.
KubeVictims reprieve(const KubeState& state, const KubePod& pod, const KubeNode& node, const Pods& pool,
                     const std::set<std::uint64_t>& go = {}) {
    Pods gone = pool;
    for (const KubePod* one : order_of_return(state, pool)) {
        Pods without = gone;
        std::erase(without, one);
        if (!go.contains(one->sequence) && !why_not_without(state, without, pod, node)) {
            gone = without;
        }
    }
    return as_victims(state, node, pool, gone);
}

// With the reason that a claim cannot be used there.
std::set<std::string> nodes_refused_by_claims(const KubeAnswer& answer) {
    std::set<std::string> out;
    for (const NodeExplanation& node : answer.explanation.nodes) {
        if (!node.failures.empty() && node.failures[0].reasons.at(0) == kClaimNotAvailable) {
            out.insert(node.node);
        }
    }
    return out;
}

// Smaller is better; the order of the list, which is that of the slots, decides the rest.
std::tuple<std::int64_t, std::int64_t, std::int64_t, std::size_t, std::int64_t> cost(const KubeVictims& one) {
    return {one.violations, one.highest_priority(), one.priority_sum(), one.victims.size(), -one.earliest_start()};
}

}  // namespace

std::int64_t KubeVictims::highest_priority() const {
    std::int64_t highest = told() == 0 ? 0 : std::numeric_limits<std::int64_t>::min();
    for (std::size_t at = 0; at < told(); ++at) {
        highest = std::max<std::int64_t>(highest, victims[at]->priority);
    }
    return highest;
}

std::int64_t KubeVictims::priority_sum() const {
    std::int64_t sum = 0;
    for (std::size_t at = 0; at < told(); ++at) {
        sum += victims[at]->priority + (std::int64_t{1} << 31);
    }
    return sum;
}

std::int64_t KubeVictims::earliest_start() const {
    std::int64_t earliest = std::numeric_limits<std::int64_t>::max();
    for (std::size_t at = 0; at < told(); ++at) {
        if (victims[at]->priority == highest_priority()) {
            earliest = std::min(earliest, start_of(*victims[at]));
        }
    }
    return earliest;
}

bool protects(const KubeBudget& budget, const KubePod& pod) {
    const KubeSpec& spec = *pod.spec;
    const bool named = std::any_of(budget.disrupted.begin(), budget.disrupted.end(),
                                   [&](const std::string& name) { return pod.key == budget.name_space + "/" + name; });
    return budget.name_space == spec.name_space && !spec.labels.empty() && budget.selector &&
           !budget.selector->empty() && selector_matches(*budget.selector, spec.labels) && !named;
}

std::optional<PredicateFailure> why_not_without(const KubeState& state, const Pods& gone, const KubePod& pod,
                                                const KubeNode& node) {
    KubeState rest = state;
    if (!rest.skipped) {
        rest.skipped = skipped_by(state, pod);
    }
    rest.taken_away.insert(rest.taken_away.end(), gone.begin(), gone.end());
    std::erase_if(rest.pods,
                  [&](const KubePod* one) { return std::find(gone.begin(), gone.end(), one) != gone.end(); });
    return why_not(rest, pod, node);
}

namespace {

// Nothing: it does not follow such a failure.
std::optional<KubePreemption> begin(const KubeState& state, const KubeAnswer& answer) {
    if (state.nodes.empty() || answer.not_queued ||
        (answer.finding && answer.finding->verdict == Verdict::unresolvable &&
         answer.finding->predicate != "DynamicResources")) {
        return std::nullopt;
    }
    KubePreemption out;
    for (const NodeExplanation& node : answer.explanation.nodes) {
        out.nodes += node.verdict == Verdict::unschedulable;
    }
    return out;
}

// The pods that would have to go from a node; or it fails without its pool by these reasons.
struct NodeLook {
    std::optional<KubeVictims> victims;
    bool without_pool = false;
    std::optional<PredicateFailure> still;
    std::string refusal;    // of the plugins
    bool too_many = false;  // pods to choose among
    bool asks = false;
};

// R-PLUGIN-43 to R-PLUGIN-46.
void let_plugins_choose(const KubeState& state, const KubePod& pod, const KubeNode& node, const Pods& pool,
                        NodeLook& out) {
    const auto said = state.plugins_said.find(node.name);
    if (said != state.plugins_said.end() && said->second.refused) {
        out.refusal = said->second.text;
        return;
    }
    if (said != state.plugins_said.end()) {
        out.victims = reprieve(state, pod, node, pool, said->second.go);
        return;
    }
    if (pool.size() > 512) {
        out.too_many = true;
        return;
    }
    out.asks = true;
    out.victims = reprieve(state, pod, node, pool);
    if (out.victims->victims.empty()) {
        out.victims = as_victims(state, node, pool, {order_of_return(state, pool).back()});
        out.victims->assumed = true;
    }
}

NodeLook look_at(const KubeState& state, const KubePod& pod, const KubeNode& node) {
    NodeLook out;
    const Pods pool = pool_on(state, pod, node);
    if (pool.empty()) {
        out.without_pool = true;
        return out;
    }
    out.still = why_not_without(state, pool, pod, node);
    if (!out.still && state.plugins_choose) {
        let_plugins_choose(state, pod, node, pool, out);
    } else if (!out.still) {
        const KubeVictims victims = reprieve(state, pod, node, pool);
        if (!victims.victims.empty()) {
            out.victims = victims;
        }
    }
    return out;
}

void search(const KubeState& state, const KubePod& pod, const KubeAnswer& answer, KubePreemption& out) {
    std::vector<std::string> reasons;
    std::vector<bool> asks;  // of the candidates
    std::set<std::string> lacking = nodes_refused_by_claims(answer);
    for (const NodeExplanation& explained : answer.explanation.nodes) {
        if (explained.verdict != Verdict::unschedulable) {
            reasons.emplace_back("Preemption is not helpful for scheduling");
            continue;
        }
        const KubeNode& node = *node_named(state, explained.node);
        const NodeLook look = look_at(state, pod, node);
        if (look.without_pool) {
            reasons.emplace_back("No preemption victims found for incoming pod");
        }
        if (look.still) {
            reasons.insert(reasons.end(), look.still->reasons.begin(), look.still->reasons.end());
            if (look.still->reasons.at(0) == kClaimNotAvailable) {
                lacking.insert(node.name);
            }
            out.failed_by.insert(look.still->predicate);
            if (out.error.empty() && look.still->reasons.at(0).starts_with(kErrorPrefix)) {
                out.error = look.still->reasons.at(0);
            }
        }
        if (!look.refusal.empty()) {
            reasons.push_back(look.refusal);
            out.refused_by_plugins = true;
        }
        if (look.too_many) {
            reasons.emplace_back("node(s) had too many pods to choose victims among");
        }
        if (look.victims) {
            out.candidates.push_back(*look.victims);
            asks.push_back(look.asks);
        }
    }
    for (std::size_t i = 0; i < out.candidates.size(); ++i) {
        if (!out.chosen || cost(out.candidates[i]) < cost(out.candidates[*out.chosen])) {
            out.chosen = i;
            out.asks = asks[i];
        }
    }
    if (!out.chosen && !out.error.empty()) {
        out.text = out.error;
    } else if (!out.chosen) {
        out.text = "0/" + std::to_string(state.nodes.size()) + " nodes are available: " + counted(reasons) + ".";
    }
    say_of_claims(state, pod, answer, lacking, out);
}

KubeState as_skipped(const KubeState& attempted, const KubeAnswer& answer) {
    KubeState state = attempted;
    state.skipped = answer.skipped;
    return state;
}

}  // namespace

std::optional<KubePreemption> preempt(const KubeState& attempted, const KubePod& pod, const KubeAnswer& answer) {
    const KubeState state = as_skipped(attempted, answer);
    std::optional<KubePreemption> out = begin(state, answer);
    if (out) {
        out->text = not_eligible(state, pod, answer);
        out->eligible = out->text.empty();
        if (out->eligible) {
            search(state, pod, answer, *out);
        } else {
            say_of_claims(state, pod, answer, nodes_refused_by_claims(answer), *out);
        }
    }
    return out;
}

std::optional<KubePreemption> preempt_for_group(const KubeState& attempted, const KubePod& pod,
                                                const KubeAnswer& answer) {
    const KubeState state = as_skipped(attempted, answer);
    std::optional<KubePreemption> out = begin(state, answer);
    if (out) {
        search(state, pod, answer, *out);
    }
    return out;
}

Pods offer(const KubeState& state, const KubePod& pod, const KubeVictims& victims) {
    Pods order = order_of_return(state, pool_on(state, pod, *victims.node));
    std::reverse(order.begin(), order.end());
    std::stable_partition(order.begin(), order.end(), [&](const KubePod* one) {
        return std::count(victims.victims.begin(), victims.victims.end(), one) > 0;
    });
    return order;
}

bool may_follow(const KubeState& state, const KubeAnswer& answer) { return begin(state, answer).has_value(); }

std::optional<KubeVictims> waited_for_on(const KubeState& attempted, const KubePod& pod, const KubeAnswer& answer,
                                         const std::string& node, std::set<std::string>& failed_by) {
    const KubeState state = as_skipped(attempted, answer);
    const NodeLook look = look_at(state, pod, *node_named(state, node));
    if (look.still) {
        failed_by.insert(look.still->predicate);
    }
    return look.victims;
}

std::string whole_message(const KubeAnswer& answer, const std::optional<KubePreemption>& preemption) {
    const std::string& message = answer.explanation.message;
    if (!preemption || preemption->chosen) {
        return message;
    }
    const std::string of_claims = preemption->error.empty() ? preemption->of_claims + ", " : "";
    return message + " " + of_claims + "preemption: " + preemption->text;
}

}  // namespace bayplan::oracle
