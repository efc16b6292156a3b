// The plugins of a profile that are known here.
//
// Thread: any; constant.
#pragma once

#include <algorithm>
#include <string_view>

#include "options/predicate_rows.h"
#include "options/score_rows.h"

namespace bayplan::scheduler_config {

inline constexpr std::string_view kPreemption = "DefaultPreemption";
// Plugins that decide nothing which could be otherwise here.
inline constexpr std::string_view kOthers[] = {
    kPreemption,   "PrioritySort",    "SchedulingGates",      "DefaultBinder", "EBSLimits",
    "GCEPDLimits", "AzureDiskLimits", "NodeDeclaredFeatures", "GangScheduling"};

inline const ScoreRow* score_of(std::string_view name) {
    const auto found = std::ranges::find(kScoreRows, name, &ScoreRow::name);
    return found == kScoreRows.end() ? nullptr : &*found;
}

inline bool is_plugin(std::string_view name) {
    return is_predicate(name) || score_of(name) != nullptr || std::ranges::find(kOthers, name) != std::end(kOthers);
}

}  // namespace bayplan::scheduler_config
