// A preemption for a DaemonSet pod as one line of JSON, for operators: the pods that were looked at, why some were no
// candidates, classes, strategy, victims.
//
//   {"time_ns":..,"pod":"SHIM/KEY","node":..,"age_ms":..,"need":{..},"candidates":[..],"filtered":{"KEY":"REASON"},
//    "classes":{"regular":[..],..},"strategy":..,"class":..,"deviation_percent":..,"chosen":[..],"spared":[..],"text":..}
//
// `candidates`: all pods of the node; `class`: the last that was let in; `deviation_percent`: of a single victim alone;
// `text`: said to the victims' shims.
// Thread: any; pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "bayplan/daemonset_explanation.h"

namespace bayplan {

std::string preemption_report(std::int64_t now_ns, std::string_view pod, const DaemonsetExplanation&);

}  // namespace bayplan
