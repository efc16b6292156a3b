// What Kubernetes 1.35 says of one pod against a state, by its own rules taken literally: every
// predicate for every node, every score for every feasible one. The second implementation
// of rules/predicates.md and rules/scores.md; it shares nothing with src/.
//
// Thread: one. Borrows the state and the pod for the call. Errors: none.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "kube_model.h"

namespace bayplan::oracle {

KubeAnswer judge(const KubeState&, const KubePod&);

// Why the pod cannot be placed on one node: as if the pods that are nominated to it and of no lower
// priority ran there, and without them. What is found against the pod as a whole counts too.
std::optional<PredicateFailure> why_not(const KubeState&, const KubePod&, const KubeNode&);

// Predicates that PreFilter says do not concern the pod, as things are.
std::set<std::string> skipped_by(const KubeState&, const KubePod&);

// `COUNT REASON` for each, sorted as strings and joined.
std::string counted(const std::vector<std::string>& reasons);

// The objects as they look once a placement has been made: claim and volume are bound to each other,
// unless one of them says something else of itself.
void assume(const KubeBinding&, KubeObjects&);

// The pod's own nominated node is looked at first, and passes.
bool takes_nominated(const KubeState&, const KubePod&);
// Of the reason of a node that ends in an error, which begins with these words alone.
inline constexpr std::string_view kErrorPrefix = "running \"DynamicResources\" filter plugin: ";
// The error that ends the attempt, with its message, although nodes would do (R-CLAIM-19, R-CLAIM-25); none: the nodes decide.
std::optional<KubeAnswer> error_of_attempt(const KubeState&, const KubePod&);

// --- kube_claims.cpp
// How many of the pod's claims have devices, and how many have none.
std::pair<std::size_t, std::size_t> claims_of(const KubeState&, const KubePod&);
void assume_use(const KubeBinding&, KubeObjects&);
// As a decision tells devices of claims (R-CLAIM-20).
std::string claims_text(const std::vector<KubeBinding>&);

// Names in Kubernetes' order.
std::vector<std::string> kube_predicate_names();
std::vector<std::string> kube_score_names();

}  // namespace bayplan::oracle
