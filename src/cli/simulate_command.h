// `bayplan simulate`: what would be decided of the pending pods of a cluster dump.
//
// Thread: main.
#pragma once

#include <CLI/CLI.hpp>

namespace bayplan::cli {

// Exit codes: 0 all objects were sound, 1 some were broken (the rest was simulated), 2 wrong input.
void add_simulate_command(CLI::App&, int& exit_code);

}  // namespace bayplan::cli
