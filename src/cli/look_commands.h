// The subcommands top, queues, nodes, apps, events: a running daemon's state over its REST interface.
//
// Thread: main.
#pragma once

#include <CLI/CLI.hpp>

namespace bayplan::cli {

void add_look_commands(CLI::App&, int& exit_code);

}  // namespace bayplan::cli
