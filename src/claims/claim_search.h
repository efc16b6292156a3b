// The devices that a pod's claims get on one node (Kubernetes: the structured allocator). Depth first over claims,
// requests and devices, in order; the first whole solution counts.
//
// Thread: the engine's: selectors are asked once for each device, and what they said is kept with the slice.
// Source: Kubernetes 1.35; texts are Kubernetes'. The rules are in engine/rules/claims.md.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "bayplan/explanation.h"
#include "claims/claim_plan.h"
#include "claims/node_pools.h"

namespace bayplan {

struct ClaimOutcome {
    Verdict verdict = Verdict::feasible;  // else unresolvable
    bool is_error = false;                // ends the attempt
    bool unavailable = false;             // an allocated claim cannot be used on the node
    std::string reason;
    std::vector<DeviceAllocation> allocations;  // of the claims to allocate, in their order
    std::string devices;                        // as an `allocated` decision tells them (R-CLAIM-20)
    std::int64_t score = 0;                     // 8 less the index of each alternative taken
};

inline constexpr std::string_view kCannotAllocate = "cannot allocate all claims";
inline constexpr std::string_view kInvalidPools = "invalid resource pools were encountered";
inline constexpr std::string_view kClaimNotAvailable = "resourceclaim not available on the node";

// The node can use an allocated claim.
bool can_use(const ResourceClaim&, const NodeFacts&, const KnownTexts&, const TextTable&);

// The node has by itself what the request is for (R-CLAIM-40).
inline bool is_idle(const PlannedRequest& request, const NodeFacts& node) {
    return request.kind != 0 && states_kind(node, request.kind);
}

struct ClaimSearchOptions {
    // After the first device of mode All in an alternative the search goes on in alternative one (a fault of 1.35.4).
    bool all_goes_on_in_the_first = false;
};

ClaimOutcome search_claims(const ClaimPlan&, const NodeFacts&, const ClaimObjects&, const KnownTexts&,
                           const ClaimSearchOptions&);

}  // namespace bayplan
