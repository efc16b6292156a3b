// The predicates: a row each, and everything that is said of them elsewhere comes from it. Names of settings, of the
// command line and of explanations, their order, what wakes an ask that they refused, and what the topology keeps for
// them. Apart from their code, for folders that do not link the engine.
//
// A new predicate is a file in src/predicates and a row here (src/predicates/README.md).
//
// Thread: any; constant.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "options/topology_parts.h"
#include "options/wake_events.h"

namespace bayplan {

// ROW(id, name in Kubernetes, events that wake what it refused, parts of the topology that it reads).
// In Kubernetes' order of evaluation. src/predicates defines make_<id>() for each. (SchedulingGates has none: a gated
// ask is not tried at all.)
#define BAYPLAN_PREDICATE_ROWS(ROW)                                                                                \
    ROW(node_unschedulable, "NodeUnschedulable", kNodeChanges | kNodeUndrained, kNoParts)                          \
    ROW(node_name, "NodeName", kNodeChanges, kNoParts)                                                             \
    ROW(taint_toleration, "TaintToleration", kNodeChanges, kTaintMasks)                                            \
    ROW(node_affinity, "NodeAffinity", kNodeChanges, kNodeAffinityMasks)                                           \
    ROW(node_ports, "NodePorts", kNodeChanges | kPodGone, kNoParts)                                                \
    ROW(node_resources_fit, "NodeResourcesFit", kNodeChanges | kPodGone, kNoParts)                                 \
    ROW(volume_restrictions, "VolumeRestrictions", kNodeChanges | kNodeGone | kPodGone | kObjectChanged, kNoParts) \
    ROW(node_volume_limits, "NodeVolumeLimits", kNodeChanges | kPodGone | kObjectChanged, kNoParts)                \
    ROW(volume_binding, "VolumeBinding", kNodeChanges | kPodGone | kObjectChanged, kNoParts)                       \
    ROW(volume_zone, "VolumeZone", kNodeChanges | kObjectChanged, kNoParts)                                        \
    ROW(pod_topology_spread, "PodTopologySpread", kNodeChanges | kNodeGone | kPodGone | kPodPlaced, kHardSpread)   \
    ROW(inter_pod_affinity, "InterPodAffinity", kNodeChanges | kNodeGone | kPodGone | kPodPlaced | kObjectChanged, \
        kRequiredPodTerms)                                                                                         \
    ROW(dynamic_resources, "DynamicResources", kNodeChanges | kPodGone | kObjectChanged | kClaimGivenBack, kNoParts)

enum class PredicateId : std::uint8_t {
#define BAYPLAN_ID(id, name, wakes, parts) id,
    BAYPLAN_PREDICATE_ROWS(BAYPLAN_ID)
#undef BAYPLAN_ID
        unlisted  // of embedders and tests
};
inline constexpr std::size_t kPredicates = static_cast<std::size_t>(PredicateId::unlisted);
static_assert(kPredicates <= 32, "sets of predicates are bits of 32");

struct PredicateRow {
    PredicateId id = PredicateId::unlisted;
    std::string_view name;
    std::uint32_t wakes = 0;  // bits of WakeEvent
    std::uint32_t parts = 0;  // bits of TopologyPart
};

inline constexpr std::array<PredicateRow, kPredicates> kPredicateRows = {{
#define BAYPLAN_ROW(id, name, wakes, parts) {PredicateId::id, name, wakes, parts},
    BAYPLAN_PREDICATE_ROWS(BAYPLAN_ROW)
#undef BAYPLAN_ROW
}};

constexpr const PredicateRow& row_of(PredicateId id) { return kPredicateRows[static_cast<std::size_t>(id)]; }

inline constexpr auto kPredicateNames = [] {
    std::array<std::string_view, kPredicates> names;
    std::transform(kPredicateRows.begin(), kPredicateRows.end(), names.begin(),
                   [](const PredicateRow& row) { return row.name; });
    return names;
}();

inline bool is_predicate(std::string_view name) {
    return std::find(kPredicateNames.begin(), kPredicateNames.end(), name) != kPredicateNames.end();
}

// The first name of the list that no predicate has, or "".
inline std::string unknown_predicate(const std::vector<std::string>& white_list) {
    const auto found = std::find_if_not(white_list.begin(), white_list.end(), is_predicate);
    return found == white_list.end() ? std::string() : *found;
}

// Whether a white-list has the predicate; an empty one has all.
inline bool is_listed(const PredicateRow& row, const std::vector<std::string>& white_list) {
    return white_list.empty() || std::find(white_list.begin(), white_list.end(), row.name) != white_list.end();
}

}  // namespace bayplan
