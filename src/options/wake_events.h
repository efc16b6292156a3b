// Events that may make an ask feasible that a predicate has refused (R-WAKE-1 to R-WAKE-9, R-WAKE-14).
//
// Thread: any; constant.
#pragma once

#include <cstdint>

namespace bayplan {

enum WakeEvent : std::uint32_t {
    kNodeAdded = 1u << 0,
    kNodeUpdated = 1u << 1,  // capacity, labels, taints or images changed, hold dropped
    kNodeUndrained = 1u << 2,
    kNodeGone = 1u << 3,
    kPodGone = 1u << 4,        // an allocation or a foreign pod is gone
    kPodPlaced = 1u << 5,      // one more, or one with other labels
    kObjectChanged = 1u << 6,  // claims, volumes, namespaces...
    kClaimGivenBack = 1u << 7,
};
inline constexpr std::uint32_t kNodeChanges = kNodeAdded | kNodeUpdated;

// Beside the bits of the predicates that an ask failed by: its queue's guarantee found nobody to preempt. As an event: a
// change that may matter to such asks alone. Each event wakes them.
inline constexpr std::uint32_t kFailedByGuarantee = 1u << 31;
// Likewise: plugins refused nodes, and it waits for victims. Pods that go wake it.
inline constexpr std::uint32_t kFailedByPlugins = 1u << 30;

}  // namespace bayplan
