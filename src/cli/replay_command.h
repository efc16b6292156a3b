// `bayplan replay`: its options, and what happens when it is called.
//
// Thread: main.
#pragma once

#include <CLI/CLI.hpp>

namespace bayplan::cli {

// Adds the subcommand; when it is chosen, `exit_code` gets its result: 0 replayed to its end; 1 the
// engine could not get where the record was, or the record is torn; 2 the input is wrong.
void add_replay_command(CLI::App&, int& exit_code);

}  // namespace bayplan::cli
