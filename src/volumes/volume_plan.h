// The four predicates of volumes: what can be said of a pod once (prepare), and what of each node (judge).
//
// Source: Kubernetes 1.35, plugins VolumeRestrictions, NodeVolumeLimits, VolumeBinding, VolumeZone. Verdicts
// and texts are Kubernetes'. A plan is made from VolumeObjects as they are and is good while their version()
// and use_version() stay.
//
// Thread: prepare: the engine's. judge: any, while nobody changes VolumeObjects, NodeVolumes or interns.
// A plan shares the objects it needs and owns the rest.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "bayplan/explanation.h"
#include "bayplan/pod_spec.h"
#include "cluster/node_facts.h"
#include "labels/known_texts.h"
#include "volumes/node_volumes.h"
#include "volumes/volume_objects.h"

namespace bayplan {

// In Kubernetes' order of evaluation.
enum class VolumePredicate : std::uint8_t { restrictions, limits, binding, zone };
inline constexpr std::size_t kVolumePredicates = 4;

// A predicate's refusal of a node, or of the whole pod.
struct VolumeRefusal {
    Verdict verdict = Verdict::feasible;
    std::vector<std::string> reasons;
    explicit operator bool() const { return verdict != Verdict::feasible; }
    bool operator==(const VolumeRefusal&) const = default;
};

// One claim that waits for its first consumer. It takes a free volume (free_volumes.h) unless one is meant for it, or its
// node is selected.
struct WaitingClaim {
    std::shared_ptr<const VolumeClaim> claim;
    std::shared_ptr<const StorageClass> storage_class;
    // Kept for this claim by name, in the order of theirs: the claim gets the first that is not taken or, where that cannot
    // be reached, none.
    std::vector<std::shared_ptr<const Volume>> meant;
    bool provisionable = false;  // its class has a provisioner
    // Capacities of its class that are large enough; looked at if must_have_capacity.
    std::vector<std::shared_ptr<const CsiCapacity>> capacities;
    bool must_have_capacity = false;
};

// A label of a bound volume that the node must agree to: one of the values.
struct ZoneDemand {
    Text key = 0;
    Text second_key = 0;  // looked at if the node has not the first; 0 = none
    std::vector<std::string> values;
};

struct VolumePlan {
    // Per predicate: it concerns the pod (else Kubernetes skips it), and what it says of the pod as a whole.
    std::array<bool, kVolumePredicates> concerns{};
    std::array<VolumeRefusal, kVolumePredicates> whole_pod{};

    std::vector<PodVolume> disks;                      // that may conflict with others
    std::uint32_t claims_taken = 0;                    // ReadWriteOncePod claims that some pod uses
    std::vector<ClaimName> limited_claims;             // of kinds claim and ephemeral, each once
    std::vector<PodVolume> limited_volumes;            // in-tree kinds that a CSI driver may serve
    std::vector<std::shared_ptr<const Volume>> bound;  // up to the first that is gone
    bool bound_volume_is_gone = false;
    std::vector<WaitingClaim> waiting;  // claims with a selected node, in the pod's order; then the others by size
    std::vector<ZoneDemand> zones;
};

VolumePlan prepare(const PodSpec&, const VolumeObjects&, const KnownTexts&, const TextTable&);

// The node, as one predicate sees it. A plan that refuses the whole pod must not be asked.
VolumeRefusal judge(VolumePredicate, const VolumePlan&, const NodeFacts&, const NodeVolumes&, const VolumeObjects&,
                    const KnownTexts&, const TextTable&);

// The volumes that placing the pod on a node that passed takes: for VolumeObjects::assume, and for forget when
// the pod is gone. Claims that are to be provisioned are not among them.
std::vector<ClaimBinding> bindings_at(const VolumePlan&, const NodeFacts&, const VolumeObjects&, const KnownTexts&,
                                      const TextTable&);

}  // namespace bayplan
