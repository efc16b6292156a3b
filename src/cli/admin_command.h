// `bayplan admin`: an order to the daemon of this host, through its admin socket.
//
// Thread: main.
#pragma once

#include <CLI/CLI.hpp>

namespace bayplan::cli {

// `exit_code`: set when the command has run.
void add_admin_command(CLI::App&, int& exit_code);

}  // namespace bayplan::cli
