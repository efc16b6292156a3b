// Outcome of a pod, by the line of the decision log or by an explanation.
//
// Thread: any.
#pragma once

#include "bayplan/explanation.h"
#include "sim/engine_session.h"
#include "sim/simulation.h"

namespace bayplan::sim {

Outcome outcome_of(LogLine::Kind);
Outcome outcome_of(const Explanation&);

}  // namespace bayplan::sim
