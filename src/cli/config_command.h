// `bayplan config validate FILE`: a YuniKorn queues.yaml as the scheduler would take it.
//
// Thread: main.
#pragma once

#include <string>

#include <CLI/CLI.hpp>

namespace bayplan::cli {

// Writes the file's contents, or each of its faults in a line of its own, or both as JSON, into `out`; the reason why it
// could not be read into `error`. Returns the exit status: 0 sound, 1 faults, 2 wrong input.
int validate_queue_config(const std::string& file, bool as_json, std::string& out, std::string& error);

void add_config_command(CLI::App&, int& exit_code);

}  // namespace bayplan::cli
