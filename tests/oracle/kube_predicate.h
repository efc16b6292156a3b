// One predicate and one score plugin, as Kubernetes' framework calls them: first once for the pod,
// then for each node. The lists of all of them are in kube_judge.cpp.
//
// Thread: one. A plugin borrows the look it was made with. Errors: none.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "kube_model.h"

namespace bayplan::oracle {

// The state and the pod that is judged, with the pods of each node picked out.
struct KubeLook {
    const KubeState& state;
    const KubePod& pod;
    std::map<std::string, std::vector<const KubePod*>> pods_on;

    const KubeSpec& spec() const { return *pod.spec; }
    const std::vector<const KubePod*>& pods_of(const KubeNode&) const;
};

struct KubeFault {
    Verdict verdict = Verdict::unschedulable;
    std::vector<std::string> reasons;
    bool not_queued = false;  // of the pod as a whole: Kubernetes does not queue it
};
using KubeMaybeFault = std::optional<KubeFault>;

KubeFault unschedulable(const std::string& reason);
KubeFault unresolvable(const std::string& reason);

class KubePredicate {
public:
    explicit KubePredicate(const KubeLook& look) : look_(look) {}
    KubePredicate(const KubePredicate&) = delete;
    KubePredicate& operator=(const KubePredicate&) = delete;
    virtual ~KubePredicate() = default;

    // PreFilter: what it finds against the pod as a whole, and the only nodes it leaves.
    virtual KubeMaybeFault prefilter() { return std::nullopt; }
    virtual std::optional<std::set<std::string>> only_nodes() { return std::nullopt; }
    virtual KubeMaybeFault filter(const KubeNode&) = 0;
    // After PreFilter: nothing about this pod concerns the predicate, as things are.
    virtual bool skips() const { return false; }

protected:
    const KubeLook& look_;
};

class KubeScore {
public:
    explicit KubeScore(const KubeLook& look) : look_(look) {}
    KubeScore(const KubeScore&) = delete;
    KubeScore& operator=(const KubeScore&) = delete;
    virtual ~KubeScore() = default;

    // PreScore with the feasible nodes; false: skipped, it has nothing to say about this pod.
    virtual bool prescore(const std::vector<const KubeNode*>&) { return true; }
    virtual std::int64_t score(const KubeNode&) = 0;
    // One entry per feasible node, raw ones to ones of 0 to 100.
    virtual void normalise(std::vector<std::int64_t>&) {}

protected:
    const KubeLook& look_;
};

using KubePredicatePointer = std::unique_ptr<KubePredicate>;
using KubeScorePointer = std::unique_ptr<KubeScore>;

KubePredicatePointer kube_node_unschedulable(const KubeLook&);
KubePredicatePointer kube_node_name(const KubeLook&);
KubePredicatePointer kube_taint_toleration(const KubeLook&);
KubePredicatePointer kube_node_affinity(const KubeLook&);
KubePredicatePointer kube_node_ports(const KubeLook&);
KubePredicatePointer kube_node_resources_fit(const KubeLook&);
KubePredicatePointer kube_volume_restrictions(const KubeLook&);
KubePredicatePointer kube_node_volume_limits(const KubeLook&);
KubePredicatePointer kube_volume_binding(const KubeLook&);
KubePredicatePointer kube_volume_zone(const KubeLook&);
KubePredicatePointer kube_pod_topology_spread(const KubeLook&);
KubePredicatePointer kube_inter_pod_affinity(const KubeLook&);

KubeScorePointer kube_taint_toleration_score(const KubeLook&);
KubeScorePointer kube_node_affinity_score(const KubeLook&);
KubeScorePointer kube_pod_topology_spread_score(const KubeLook&);
KubeScorePointer kube_inter_pod_affinity_score(const KubeLook&);
KubeScorePointer kube_node_resources_fit_score(const KubeLook&);
KubeScorePointer kube_balanced_allocation_score(const KubeLook&);
KubeScorePointer kube_image_locality_score(const KubeLook&);
KubeScorePointer kube_device_packing_score(const KubeLook&);
KubePredicatePointer kube_dynamic_resources(const KubeLook&);
KubeScorePointer kube_dynamic_resources_score(const KubeLook&);

// The static volumes that a placement on the node gives to claims that wait for it.
std::vector<KubeBinding> kube_bindings(const KubeLook&, const KubeNode&);
// The claims on devices that the pod uses there, and the devices that they get (kube_claims.cpp).
std::vector<KubeBinding> kube_claim_uses(const KubeLook&, const KubeNode&);

}  // namespace bayplan::oracle
