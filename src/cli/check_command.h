// `bayplan check`: what of a host does not fit a profile.
//
// Thread: main.
#pragma once

#include <string>

#include <CLI/CLI.hpp>

namespace bayplan::cli {

struct CheckArguments {
    std::string profile;
    std::string root = "/";
    std::string output = "table";
    std::size_t columns = 0;  // of the terminal; 0: any width
};

// The answer into `out`, faults of the input into `error`. The exit status: 0 as the profile asks, 1 errors,
// warnings or things that could not be read, 2 wrong input.
int check_host_against(const CheckArguments&, std::string& out, std::string& error);

void add_check_command(CLI::App&, int& exit_code);

}  // namespace bayplan::cli
