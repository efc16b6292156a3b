// The names of all predicates, apart from their code: settings are checked against them by folders that do
// not link the engine.
//
// Thread: any.
#pragma once

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <vector>

namespace bayplan {

// In Kubernetes' order of evaluation, as in registry.cpp (a test compares them).
inline constexpr std::array<std::string_view, 12> kPredicateNames = {
    "NodeUnschedulable",  "NodeName",         "TaintToleration", "NodeAffinity",
    "NodePorts",          "NodeResourcesFit", "VolumeRestrictions", "NodeVolumeLimits",
    "VolumeBinding",      "VolumeZone",       "PodTopologySpread", "InterPodAffinity",
};

inline bool is_predicate(std::string_view name) {
    return std::find(kPredicateNames.begin(), kPredicateNames.end(), name) != kPredicateNames.end();
}

// The first name of the list that no predicate has, or "".
inline std::string unknown_predicate(const std::vector<std::string>& white_list) {
    const auto found = std::find_if_not(white_list.begin(), white_list.end(), is_predicate);
    return found == white_list.end() ? std::string() : *found;
}

}  // namespace bayplan
