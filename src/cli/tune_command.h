// `bayplan tune`: a profile for this host; and what a profile asks of the host set, and put back.
//
// Thread: main.
#pragma once

#include <string>
#include <vector>

#include <CLI/CLI.hpp>

namespace bayplan::cli {

struct TuneArguments {
    std::string profile;  // to apply; empty: the proposed one
    std::vector<std::string> nics;
    std::string root = "/";
    std::string state;  // empty: the default, below root
    bool apply = false;
    bool undo = false;
    bool dry_run = false;
    std::string output = "table";
};

// Writes the changes done or proposed into `out`, faults into `error`. Returns the exit status: 0 done, 1 something
// could not be changed, 2 wrong input.
int tune_host(const TuneArguments&, std::string& out, std::string& error);

void add_tune_command(CLI::App&, int& exit_code);

}  // namespace bayplan::cli
