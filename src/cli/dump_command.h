// `bayplan dump`: a cluster as `bayplan simulate` reads it, by kubectl, in one packed file.
//
// Thread: main.
#pragma once

#include <CLI/CLI.hpp>

namespace bayplan::cli {

void add_dump_command(CLI::App&, int& exit_code);

}  // namespace bayplan::cli
