// `bayplan bench`: workloads by name through an engine in this process, with the plain scan beside it.
//
// Thread: main; the engine has its own workers.
#pragma once

#include <CLI/CLI.hpp>

namespace bayplan::cli {

void add_bench_command(CLI::App&, int& exit_code);

}  // namespace bayplan::cli
