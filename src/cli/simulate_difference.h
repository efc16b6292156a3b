// `bayplan simulate FILE... --diff OTHER`: both dumps decided one after the other, and what differs.
//
// Thread: main.
#pragma once

#include "cli/simulate_arguments.h"
#include "terminal/progress.h"

namespace bayplan::cli {

// `dump` is what the files have; reads the other one. Exit status.
int simulate_difference(const SimulateArguments&, const kube::ClusterDump& dump, const sim::SimulationOptions&,
                        terminal::Progress&);

}  // namespace bayplan::cli
