// `bayplan load`: its options, and what happens when it is called.
//
// Thread: main.
#pragma once

#include <CLI/CLI.hpp>

namespace bayplan::cli {

// Adds the subcommand; when it is chosen, `exit_code` gets its result:
// 0 all is well; 1 something lost, doubled, overfull or not settled; 2 the input is wrong; 3 no
// daemon, or refused by it.
void add_load_command(CLI::App&, int& exit_code);

}  // namespace bayplan::cli
