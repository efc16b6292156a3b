// Parts that the topology (src/topology) keeps up to date only if a predicate or a score in force reads them. The
// plugins' rows name the parts they read.
//
// Thread: any; constant.
#pragma once

#include <cstdint>

namespace bayplan {

enum TopologyPart : std::uint32_t {
    kNoParts = 0,
    kTaintMasks = 1u << 0,         // by signature: nodes whose taints are tolerated
    kNodeAffinityMasks = 1u << 1,  // by signature: nodes that selectors and required terms mean
    kHardSpread = 1u << 2,         // counts for constraints that must hold
    kSoftSpread = 1u << 3,         // and for preferred constraints
    kRequiredPodTerms = 1u << 4,   // counts for required pod terms, of the pod and of others
    kPreferredPodTerms = 1u << 5,  // and for preferred ones
    kEveryPod = 1u << 6,  // nothing of a pod tells that the predicate has something to say: it is asked for all
};
inline constexpr std::uint32_t kAllCounts = kEveryPod - 1;  // and masks

}  // namespace bayplan
