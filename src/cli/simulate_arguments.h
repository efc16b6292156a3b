// Arguments of `bayplan simulate`.
//
// Thread: main. Plain data.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "cli/daemonset_options.h"
#include "kube/cluster_dump.h"
#include "sim/report.h"
#include "sim/simulation.h"
#include "sim/timeline.h"

namespace bayplan::cli {

struct SimulateArguments {
    std::vector<std::string> files;
    std::string only;
    sim::SimulationOptions simulation;
    DaemonsetArguments daemonset;
    kube::DumpOptions dump;
    sim::Format format = sim::Format::table;
    std::string coscheduling = "unit";
    std::string queues;    // file; empty: none
    std::string timeline;  // empty: none
    std::int64_t until_ms = sim::kNever;
    std::string scheduler_config;  // file; empty: none
    std::string fit;               // file of a pod; empty: none
    std::string diff;              // another dump; empty: none
    std::string plugin;            // command; empty: none
    std::int64_t plugin_timeout_ns = 0;
    bool plugin_victims = false;
    std::string html;  // files to write; empty: none
    std::string svg;
    bool quiet = false;
};

void add_simulate_options(CLI::App&, SimulateArguments&);

void add_what_if_options(CLI::App&, SimulateArguments&);

// "" or what does not go together, or is not known.
std::string contradiction(const SimulateArguments&);

}  // namespace bayplan::cli
