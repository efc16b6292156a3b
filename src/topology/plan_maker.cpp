// The part of ClusterFacts that makes plans: from a spec's terms and constraints to the counters to read.
//
// Thread: the engine's.

#include <algorithm>

#include "labels/tolerations.h"
#include "topology/cluster_facts.h"

namespace bayplan {

namespace {

// Kubernetes' default: a required affinity term of a placed pod that matches the incoming one counts so.
constexpr std::int64_t kHardPodAffinityWeight = 1;

// Asks for so many nodes by name look at these alone. Each is matched with all of the spec's terms.
constexpr std::size_t kFewNames = 8;

std::vector<Text> sorted_keys(const std::vector<SpreadConstraint>& constraints) {
    std::vector<Text> keys;
    for (const SpreadConstraint& constraint : constraints) {
        keys.push_back(constraint.topology_key);
    }
    std::sort(keys.begin(), keys.end());
    keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
    return keys;
}

std::vector<SpreadConstraint> of_hardness(const PodSpec& spec, bool hard) {
    std::vector<SpreadConstraint> some;
    std::copy_if(spec.spread.begin(), spec.spread.end(), std::back_inserter(some),
                 [&](const SpreadConstraint& constraint) { return constraint.hard == hard; });
    return some;
}

}  // namespace

std::unique_ptr<SpecPlan> ClusterFacts::make_plan(SpecId id) {
    auto plan = std::make_unique<SpecPlan>();
    const PodSpec& spec = specs_[id];
    plan->number = ++plans_made_;
    plan->names = names_from_fields(spec, known_);
    plan->by_name = options_.keeps(kNodeAffinityMasks) && plan->names.kind == NodeNameSet::Kind::names &&
                    plan->names.names.size() <= kFewNames;
    std::vector<Slot> labelled;
    const bool few = std::any_of(spec.node_selector.begin(), spec.node_selector.end(),
                                 [&](const Label& label) { return keys_.find_nodes(label, labelled); });
    plan->signature = signatures_.acquire(spec, !plan->by_name, facts_, few ? &labelled : nullptr);
    if (options_.keeps(kHardSpread)) {
        plan_hard_spread(spec, *plan);
    }
    if (options_.keeps(kSoftSpread)) {
        plan_soft_spread(spec, *plan);
    }
    plan_own_terms(spec, *plan);
    plan_terms_of_others(spec, *plan);
    plan->plain = !options_.keeps(kEveryPod) && !plan->couples_filters() && !plan->couples_scores() &&
                  spec.ports.empty() && spec.volumes.empty() && spec.images.empty() &&
                  spec.resource_claims.claims.empty() && plan->names.kind != NodeNameSet::Kind::conflict;
    plan->terms_version = counts_.terms_version();
    plan->sets_version = counts_.sets_version();
    plan->recounts = counts_.recounts();
    plan->objects_version = objects_version_;
    return plan;
}

// --- holding what a plan reads

KeyId ClusterFacts::hold_key(TopologyKey key, SpecPlan& plan) {
    plan.keys.push_back(keys_.acquire(key, facts_));
    return plan.keys.back();
}

FilterId ClusterFacts::hold_filter(const PodSpec& spec, const SpreadConstraint& constraint,
                                   const std::vector<Text>& keys, SpecPlan& plan) {
    NodeFilterKey key;
    key.keys = keys;
    key.taints = constraint.honor_node_taints;
    if (constraint.honor_node_affinity) {
        key.wanted.node_selector = spec.node_selector;
        key.wanted.required_nodes = spec.required_nodes;
    }
    if (constraint.honor_node_taints) {
        key.wanted.tolerations = spec.tolerations;
    }
    if (!key.restricts()) {
        return kNone<FilterId>;
    }
    plan.filters.push_back(filters_.acquire(std::move(key), facts_));
    return plan.filters.back();
}

CounterId ClusterFacts::hold_spread_counter(const PodSpec& spec, const SpreadConstraint& constraint, KeyId key,
                                            FilterId filter, SpecPlan& plan) {
    std::optional<LabelSelector> selector = effective_selector(constraint, spec.labels);
    if (!counts_pods(selector)) {
        return kNone<CounterId>;
    }
    SetKey set;
    set.spread = true;
    set.name_space = spec.name_space;
    set.selector = std::move(*selector);
    plan.sets.push_back(counts_.acquire_set(std::move(set)));
    plan.counters.push_back(counts_.acquire({.set = plan.sets.back(), .key = key, .filter = filter}));
    return plan.counters.back();
}

SpecPlan::Peers ClusterFacts::hold_peers(std::vector<TermMatch> terms, Text topology_key, SpecPlan& plan) {
    SpecPlan::Peers peers;
    peers.key = hold_key({.key = topology_key}, plan);
    SetKey set;
    set.terms = std::move(terms);
    set.incoming = true;
    plan.sets.push_back(counts_.acquire_set(std::move(set)));
    plan.counters.push_back(counts_.acquire({.set = plan.sets.back(), .key = peers.key}));
    peers.pods = plan.counters.back();
    return peers;
}

void ClusterFacts::drop(SpecPlan& plan) {
    signatures_.release(plan.signature);
    for (const CounterId counter : plan.counters) {
        counts_.release(counter);
    }
    for (const SetId set : plan.sets) {
        counts_.release(set);
    }
    for (const EligibleId eligible : plan.eligibles) {
        filters_.release(eligible);
    }
    for (const FilterId filter : plan.filters) {
        filters_.release(filter);
    }
    for (const KeyId key : plan.keys) {
        keys_.release(key);
    }
}

// --- topology spread

void ClusterFacts::plan_hard_spread(const PodSpec& spec, SpecPlan& plan) {
    const std::vector<SpreadConstraint> constraints = of_hardness(spec, true);
    const std::vector<Text> keys = sorted_keys(constraints);
    for (const SpreadConstraint& constraint : constraints) {
        SpecPlan::HardSpread hard;
        hard.key = hold_key({.key = constraint.topology_key}, plan);
        const FilterId filter = hold_filter(spec, constraint, keys, plan);
        hard.pods = hold_spread_counter(spec, constraint, hard.key, filter, plan);
        plan.eligibles.push_back(filters_.acquire_eligible({filter, hard.key}, facts_));
        hard.eligible = plan.eligibles.back();
        hard.max_skew = constraint.max_skew;
        hard.min_domains = constraint.min_domains;
        hard.self = matches(effective_selector(constraint, spec.labels), spec.labels, texts_) ? 1 : 0;
        plan.hard_spread.push_back(hard);
    }
}

void ClusterFacts::plan_soft_spread(const PodSpec& spec, SpecPlan& plan) {
    const bool own = !spec.spread.empty();
    const std::vector<SpreadConstraint> constraints =
        own ? of_hardness(spec, false) : default_constraints(spec, spec.labels, pod_sets_, known_, texts_);
    plan.soft_needs_all_keys = own;
    const std::vector<Text> keys = own ? sorted_keys(constraints) : std::vector<Text>{};
    for (const SpreadConstraint& constraint : constraints) {
        SpecPlan::SoftSpread soft;
        soft.key = hold_key({.key = constraint.topology_key}, plan);
        soft.hostname = constraint.topology_key == known_.hostname;
        FilterId filter = kNone<FilterId>;
        if (!soft.hostname) {  // Kubernetes counts a node's own pods there, without a look at label or policies
            // To the default constraints no label is an empty one; own constraints do without such nodes.
            soft.domains = own ? soft.key : hold_key({constraint.topology_key, true}, plan);
            filter = hold_filter(spec, constraint, keys, plan);
        }
        soft.pods = hold_spread_counter(spec, constraint, soft.domains, filter, plan);
        soft.max_skew = constraint.max_skew;
        plan.soft_spread.push_back(soft);
    }
}

// --- pod affinity

void ClusterFacts::plan_own_terms(const PodSpec& spec, SpecPlan& plan) {
    std::vector<TermMatch> all;
    for (const PodTerm& term : spec.affinity) {
        all.push_back(match_of(term, spec.name_space));
    }
    plan.matches_own_affinity = std::all_of(
        all.begin(), all.end(), [&](const TermMatch& term) { return counts_.matcher().means(term, spec, true); });
    for (const PodTerm& term : options_.keeps(kRequiredPodTerms) ? spec.affinity : std::vector<PodTerm>{}) {
        plan.affinity.push_back(hold_peers(all, term.topology_key, plan));
    }
    for (const PodTerm& term : options_.keeps(kRequiredPodTerms) ? spec.anti_affinity : std::vector<PodTerm>{}) {
        plan.anti_affinity.push_back(hold_peers({match_of(term, spec.name_space)}, term.topology_key, plan));
    }
    if (!options_.keeps(kPreferredPodTerms)) {
        return;
    }
    const auto prefer = [&](const WeightedPodTerm& term, int sign) {
        const SpecPlan::Peers peers = hold_peers({match_of(term.term, spec.name_space)}, term.term.topology_key, plan);
        plan.own_preferences.push_back({peers.pods, peers.key, sign * term.weight});
    };
    for (const WeightedPodTerm& term : spec.preferred_affinity) {
        prefer(term, +1);
    }
    for (const WeightedPodTerm& term : spec.preferred_anti_affinity) {
        prefer(term, -1);
    }
}

void ClusterFacts::plan_terms_of_others(const PodSpec& spec, SpecPlan& plan) {
    for (const TermId id : counts_.terms_about(spec)) {
        const PodCounts::Term& term = counts_.term(id);
        if (!counts_.matcher().means(term.key.match, spec, false)) {
            continue;
        }
        const auto prefer = [&](std::int64_t weight) {
            if (options_.keeps(kPreferredPodTerms)) {
                plan.others_preferences.push_back({term.counter, term.topology, weight});
            }
        };
        switch (term.key.kind) {
            case TermKind::required_anti_affinity:
                if (options_.keeps(kRequiredPodTerms)) {
                    plan.repelled_by.push_back({term.counter, term.topology});
                }
                break;
            case TermKind::required_affinity: prefer(kHardPodAffinityWeight); break;
            case TermKind::preferred_affinity: prefer(term.key.weight); break;
            case TermKind::preferred_anti_affinity: prefer(-std::int64_t{term.key.weight}); break;
        }
    }
}

}  // namespace bayplan
