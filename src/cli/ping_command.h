// `bayplan ping`: is the daemon there, by which name, how far away, and with which counters?
//
// Thread: main. Exit codes: 0 every question was answered, 2 wrong input, 3 no daemon, refused, or silent.
#pragma once

#include <CLI/CLI.hpp>

namespace bayplan::cli {

void add_ping_command(CLI::App&, int& exit_code);

}  // namespace bayplan::cli
