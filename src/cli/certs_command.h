// `bayplan certs`: certificates for a daemon and its shims. The work is in src/certs.
//
// Thread: main.
#pragma once

#include <CLI/CLI.hpp>

namespace bayplan::cli {

void add_certs_command(CLI::App&, int& exit_code);

}  // namespace bayplan::cli
