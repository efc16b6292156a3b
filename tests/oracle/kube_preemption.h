// Whom a pod that fits nowhere may drive away, and from which node: the literal search of
// rules/preemption.md, and of Kubernetes' DefaultPreemption. Every node, every pod, every set tried anew.
//
// Thread: one. Results point to the pods and nodes of the state. Errors: none.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "kube_model.h"

namespace bayplan::oracle {

struct KubeVictims {
    const KubeNode* node = nullptr;
    std::vector<const KubePod*> victims;  // most important first
    std::int64_t violations = 0;          // of budgets, by victims
    std::size_t going = 0;                // of the victims, the last ones: they go anyway, and cost nothing
    bool assumed = false;                 // the predicates need nobody to go, and plugins do

    std::size_t told() const { return victims.size() - going; }

    // What nodes are compared by.
    std::int64_t highest_priority() const;
    std::int64_t priority_sum() const;
    std::int64_t earliest_start() const;  // INT64_MAX: not known
};

struct KubePreemption {
    bool eligible = true;
    std::string text;                     // why nothing was found
    std::string error;                    // of the first node whose trial ended in one
    std::string of_claims;                // said before it
    std::optional<KubeName> gives_back;   // a claim on devices: R-CLAIM-29
    std::vector<KubeVictims> candidates;  // in order of slots
    std::optional<std::size_t> chosen;    // one of them
    std::uint64_t nodes = 0;              // where it was tried
    std::set<std::string> failed_by;      // first failing predicates of nodes without their pools
    bool asks = false;                    // the pod's plugins have said nothing of the chosen node
    bool refused_by_plugins = false;      // they let nobody go from some node
};

// After an attempt that found no node. Nothing if preemption does not follow such a failure.
std::optional<KubePreemption> preempt(const KubeState&, const KubePod&, const KubeAnswer&);
// The same of a member of a pod group, whether it may or not.
std::optional<KubePreemption> preempt_for_group(const KubeState&, const KubePod&, const KubeAnswer&);

// The pods that may go from the node, most easily first: first the victims, then the rest of its pool.
std::vector<const KubePod*> offer(const KubeState&, const KubePod&, const KubeVictims&);

// Whether preemption may follow such a failure at all.
bool may_follow(const KubeState&, const KubeAnswer&);
// Of one node: the pods that would have to end there, or nothing; the predicate that fails it without its pool, if one does.
std::optional<KubeVictims> waited_for_on(const KubeState&, const KubePod&, const KubeAnswer&, const std::string& node,
                                         std::set<std::string>& failed_by);

// The message of the attempt, with what preemption adds to it.
std::string whole_message(const KubeAnswer&, const std::optional<KubePreemption>&);

// Whether a budget counts the pod.
bool protects(const KubeBudget&, const KubePod&);

// Why the pod does not pass the node when all of these are gone; nothing if it passes.
std::optional<PredicateFailure> why_not_without(const KubeState&, const std::vector<const KubePod*>& gone,
                                                const KubePod&, const KubeNode&);
// kube_claims.cpp: what is said of claims before preemption speaks; `lacking`: nodes that cannot use an allocated claim.
void say_of_claims(const KubeState&, const KubePod&, const KubeAnswer&, const std::set<std::string>& lacking,
                   KubePreemption&);

}  // namespace bayplan::oracle
