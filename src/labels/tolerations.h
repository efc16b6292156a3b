// Taints and tolerations. Source: Kubernetes 1.35, v1.Toleration.ToleratesTaint and the TaintToleration and
// NodeUnschedulable plugins (comparison operators are alpha there and off).
//
// Thread: any; texts are compared by id only.
#pragma once

#include <span>

#include "bayplan/pod_spec.h"
#include "labels/known_texts.h"

namespace bayplan {

// An empty key with operator Equal tolerates every key of equal value: the matcher's rule, although the
// API server lets no such toleration in.
bool tolerates(const Toleration&, const Taint&);

// The first taint of effect NoSchedule or NoExecute that none tolerates, or null. Points into `taints`.
const Taint* first_untolerated(std::span<const Toleration>, std::span<const Taint>);

// Taints of effect PreferNoSchedule that no toleration of effect any or PreferNoSchedule tolerates.
int untolerated_preferences(std::span<const Toleration>, std::span<const Taint>);

// Whether a cordoned node is tolerated: as if it had the taint node.kubernetes.io/unschedulable with an
// empty value and effect NoSchedule.
bool tolerates_unschedulable(std::span<const Toleration>, const KnownTexts&);

}  // namespace bayplan
