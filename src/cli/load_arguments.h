// The command line of `bayplan load`: its options, their defaults, and what they must be together.
//
// Thread: main.
#pragma once

#include <string>

#include <CLI/CLI.hpp>

#include "cli/load_options.h"

namespace bayplan::cli {

// The command line as it is parsed: the options and what does not fit them directly.
struct LoadArguments {
    LoadOptions options;
    std::string connect;
    std::string port = "kernel";
    bool list = false;
    std::string output = "table";
};

void add_load_options(CLI::App&, LoadArguments&);

// Completes what depends on several options; empty if all is well, else what is wrong.
std::string complete_load_options(LoadArguments&);

}  // namespace bayplan::cli
