// An attempt, naively: every node filtered and scored for one ask. RULES.md, sections 5 and 9; the
// predicates and scores themselves are in kube_judge.h.
//
// Thread and errors: see oracle.h.
#include <algorithm>
#include <stdexcept>
#include <tuple>

#include "oracle.h"

namespace bayplan::oracle {

namespace {

std::int64_t of(const Amounts& amounts, const std::string& kind) {
    const auto found = amounts.find(kind);
    return found == amounts.end() ? 0 : found->second;
}

}  // namespace

std::uint64_t Oracle::run(std::uint64_t attempts_max) {
    std::uint64_t made = 0;
    while (made < attempts_max) {
        const Ask* ask = next_ask();
        if (ask == nullptr) {
            break;
        }
        attempt(asks_.at(ask->sequence));
        ++made;
    }
    return made;
}

const Ask* Oracle::next_ask() const {
    std::map<std::string, bool> credit;
    for (const auto& [name, shim] : shims_) {
        if (shim.resync_open) {
            return nullptr;
        }
        credit[name] = has_credit(shim);
    }
    // Smaller goes first. Negation in 64 bits: the lowest priority has no negative in 32.
    const auto rank = [](const Ask& ask) {
        return std::tuple(-std::int64_t{ask.priority}, ask.group_number, ask.sequence);
    };
    const Ask* first = nullptr;
    for (const auto& [sequence, ask] : asks_) {
        if (ask.state == AskState::pending && credit.at(ask.shim) &&
            (first == nullptr || rank(ask) < rank(*first))) {
            first = &ask;
        }
    }
    return first;
}

KubeOptions Oracle::kube_options() const {
    KubeOptions out;
    // Gates are looked at when an ask is stated, not when it is its turn.
    out.waits_at_gates = false;
    out.copies_namespace_fault = options_.compat == Compat::kubernetes_1_35;
    out.fit = options_.score == ScorePolicy::least_allocated ? KubeFitPolicy::least_allocated
                                                             : KubeFitPolicy::most_allocated;
    const ScoreWeights& weights = options_.weights;
    out.weights = {{"TaintToleration", weights.taint_toleration},
                   {"NodeAffinity", weights.node_affinity},
                   {"PodTopologySpread", weights.pod_topology_spread},
                   {"InterPodAffinity", weights.inter_pod_affinity},
                   {"NodeResourcesFit", weights.resources_fit},
                   {"NodeResourcesBalancedAllocation", weights.balanced_allocation},
                   {"ImageLocality", weights.image_locality}};
    for (const std::string& name : kube_predicate_names()) {
        const auto& on = options_.predicates;
        if (!on.empty() && std::find(on.begin(), on.end(), name) == on.end()) {
            out.predicates_off.insert(name);
        }
    }
    return out;
}

// The objects as stated, and what placements have done to claims since.
KubeObjects Oracle::assumed_objects() const {
    KubeObjects out = objects_;
    for (const auto& [sequence, ask] : asks_) {
        for (const KubeBinding& binding : ask.bindings) {
            assume(binding, out);
        }
    }
    return out;
}

KubeState Oracle::state_for(const Ask& ask, const KubeObjects& objects) const {
    KubeState out;
    std::map<std::uint64_t, const KubeNode*> by_slot;
    for (const auto& [name, node] : nodes_) {
        by_slot[node.slot] = &node.facts;
    }
    for (const auto& [slot, facts] : by_slot) {
        out.nodes.push_back(facts);
    }
    for (const auto& [sequence, other] : asks_) {
        if (!other.node.empty()) {
            out.pods.push_back(&other.pod);
        }
    }
    for (const auto& [owner, hold] : holds_) {
        for (const auto& [kind, amount] : hold.amounts) {
            if (ask.priority < hold.kept_from_below) {
                out.held[hold.node][kind] += amount;
            }
        }
    }
    out.objects = &objects;
    out.options = kube_options();
    return out;
}

KubeAnswer Oracle::answer(const Ask& ask) const {
    const bool as_stated = std::all_of(asks_.begin(), asks_.end(), [](const auto& one) {
        return one.second.bindings.empty();
    });
    if (as_stated) {  // the usual case: nothing to copy
        return judge(state_for(ask, objects_), ask.pod);
    }
    const KubeObjects objects = assumed_objects();
    return judge(state_for(ask, objects), ask.pod);
}

void Oracle::attempt(Ask& ask) {
    ++attempts_;
    const KubeAnswer found = answer(ask);
    if (counts_what_decides_) {
        count_deciders(found);
    }
    if (found.explanation.node.empty()) {
        fail(ask, found);
        return;
    }
    ask.failed_by.clear();
    ++placed_;
    const std::string node = found.explanation.node;
    check_fit(ask, nodes_.at(node));
    place(ask, node, AskState::unacknowledged);
    ask.bindings = found.bindings;
    log_line("place", ask, node, "-");
    ask.allocated_decision = decide(ask.shim, DecisionKind::allocated, ask.key, "", node);
}

void Oracle::fail(Ask& ask, const KubeAnswer& found) {
    ++failed_;
    ask.failed_by = found.failed_by;
    if (nodes_.empty()) {
        ask.failed_by = {kNoNodes};
    }
    count_failure(ask);
    ask.state = AskState::unschedulable;
    log_line("fail", ask, "-", found.explanation.message);
    if (ask.failures == 1) {
        decide(ask.shim, DecisionKind::ask_waiting, ask.key, found.explanation.message);
    }
}

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

// Law 3 at the moment of the commit; later the capacity may shrink below use.
void Oracle::check_fit(const Ask& ask, const Node& node) {
    for (const auto& [kind, amount] : ask.requests) {
        if (of(node.used, kind) + of(node.foreign, kind) + amount > of(node.capacity, kind)) {
            broken_at_commit_.push_back("law 3: " + ask.key + " exceeds " + kind + " of " +
                                        node.name);
        }
    }
}

}  // namespace bayplan::oracle
