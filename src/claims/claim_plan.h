// A pod's claims before any node is looked at: which they are, which are allocated already, and which are to be
// allocated, with compiled selectors. Made once per spec (Kubernetes: PreEnqueue and PreFilter of DynamicResources).
//
// Thread: the engine's. A plan shares the objects it needs; it is good while ClaimObjects::version() stays.
// Source: Kubernetes 1.35; texts are Kubernetes'.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "bayplan/explanation.h"
#include "bayplan/pod_spec.h"
#include "claims/claim_objects.h"

namespace bayplan {

inline constexpr std::int64_t kClaimDevicesMost = 32;  // of a claim

struct PlannedDemand {
    Text name = 0;
    std::string full_name;  // "REQUEST" or "REQUEST/ALTERNATIVE"
    std::vector<std::shared_ptr<const DeviceSelector>> of_class;
    std::vector<std::shared_ptr<const DeviceSelector>> own;
    std::string class_name;
    bool all = false;
    std::int64_t count = 1;
    bool admin_access = false;
};

struct PlannedRequest {
    Text name = 0;
    bool prioritised = false;
    Text kind = 0;  // nothing is taken on nodes that state some of it
    std::vector<PlannedDemand> demands;
};

struct PlannedClaim {
    ResourceClaimName name;
    std::string shown_name;  // "NAMESPACE/NAME"
    std::shared_ptr<const ResourceClaim> claim;
    std::vector<PlannedRequest> requests;
};

struct ClaimPlan {
    // Of the pod as a whole: it is not queued, or a class is missing; feasible: the nodes decide.
    Verdict whole = Verdict::feasible;
    bool not_queued = false;
    std::string reason;

    std::vector<std::shared_ptr<const ResourceClaim>> allocated;
    std::vector<PlannedClaim> to_allocate;
    bool scored = false;   // some request is a prioritised list
    bool may_err = false;  // a search may end in an error
    Text pod_uid = 0;
    std::uint64_t version = 0;  // of the objects
    // Findings of searches for such claims on the nodes. Expired: nothing is known.
    std::weak_ptr<ClaimShape> shape;
};

ClaimPlan prepare_claims(const PodSpec&, ClaimObjects&);

// The constraint holds for devices of this request, or alternative.
bool is_about(const DeviceConstraint&, Text request, std::string_view full_name, const TextTable&);

}  // namespace bayplan
