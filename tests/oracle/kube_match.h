// Matching of labels, node terms and taints, as Kubernetes 1.35 does it.
//
// Thread: pure functions. Errors: none; a term that Kubernetes could not parse matches nothing.
#pragma once

#include <string>
#include <vector>

#include "kube_model.h"

namespace bayplan::oracle {

inline constexpr const char* kHostnameLabel = "kubernetes.io/hostname";
inline constexpr const char* kZoneLabel = "topology.kubernetes.io/zone";
inline constexpr const char* kRegionLabel = "topology.kubernetes.io/region";

bool requirement_holds(const KubeRequirement&, const KubeLabels&);
bool selector_matches(const KubeSelector&, const KubeLabels&);
bool selector_matches(const KubeMaybeSelector&, const KubeLabels&);

// A list of terms: one must match. Empty terms and terms that do not parse match nothing.
bool node_term_matches(const KubeNodeTerm&, const KubeNode&);
bool any_node_term_matches(const std::vector<KubeNodeTerm>&, const KubeNode&);

// nodeSelector and required node affinity of a pod, both.
bool pod_wants_node(const KubeSpec&, const KubeNode&);

bool tolerates(const KubeToleration&, const KubeTaint&);
bool any_tolerates(const std::vector<KubeToleration>&, const KubeTaint&);

// A taint NoSchedule or NoExecute that nothing tolerates.
bool has_untolerated_taint(const KubeSpec&, const KubeNode&);

}  // namespace bayplan::oracle
