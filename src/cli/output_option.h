// `-o` of commands that answer for people or, as JSON, for programs.
//
// Thread: main.
#pragma once

#include <string>

#include <CLI/CLI.hpp>

namespace bayplan::cli {

inline CLI::Option* add_output_option(CLI::App& command, std::string& form) {
    return command.add_option("-o,--output", form, "table, or json")
        ->check(CLI::IsMember({"table", "json"}))
        ->capture_default_str();
}

}  // namespace bayplan::cli
