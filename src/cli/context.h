// Where the daemon is and who we are, for commands that are not told: variables BAYPLAN_*, and a file of them.
//
// The file (BAYPLAN_CONTEXT, else $XDG_CONFIG_HOME/bayplan or ~/.config/bayplan) has `name: value` lines: connect, ca, cert, key,
// rest, token-file. An option stands above a variable, a variable above the file.
//
// Thread: main, before the command line is read.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace bayplan::cli {

// Sets the variables that the file has and the environment lacks. Faults of the file, each with its line.
std::vector<std::string> take_context();

// Lines of such a file as variables and values; `file` is for the faults.
std::vector<std::pair<std::string, std::string>> parse_context(std::string_view text, const std::string& file,
                                                               std::vector<std::string>& faults);

}  // namespace bayplan::cli
