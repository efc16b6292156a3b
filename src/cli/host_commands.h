// Commands about a daemon's host and what it would do there: check, tune, bench.
//
// Thread: main.
#pragma once

#include <CLI/CLI.hpp>

namespace bayplan::cli {

void add_host_commands(CLI::App&, int& exit_code);

}  // namespace bayplan::cli
