// `bayplan completions SHELL` and `bayplan man`: made of the tree of options, as --help is.
//
// Thread: main.
#pragma once

#include <string>

#include <CLI/CLI.hpp>

namespace bayplan::cli {

void add_pages_commands(CLI::App&, const std::string& version, int& exit_code);

}  // namespace bayplan::cli
