// Made of the commands' own tree of options beside `--help`: completions of shells, pages of the manual, and the name
// that was probably meant.
//
// Thread: main. Pure functions of the tree.
#pragma once

#include <string>
#include <vector>

#include <CLI/CLI.hpp>

namespace bayplan::cli {

// Scripts that a shell sources.
std::string bash_completion(CLI::App&);
std::string zsh_completion(CLI::App&);
std::string fish_completion(CLI::App&);

// Roff, section 1; of the whole, or of one subcommand.
std::string man_page(CLI::App& whole, const CLI::App* command, const std::string& version);

// Of a command line that could not be parsed: "; did you mean `simulate`?", or nothing.
std::string meant_by(CLI::App&, const std::vector<std::string>& arguments);

// How commands end, for the end of every --help.
inline constexpr const char* kExitStatuses =
    "Exit status: 0 all is well; 1 a finding: something is broken, missing or not as it should be, or the run was "
    "interrupted;\n"
    "2 wrong input, or output that cannot be written; 3 no daemon, or it refuses.";

// Where the daemon is and who one is need not be said each time.
inline constexpr const char* kContextHelp =
    "Context: options with a variable take it from the environment, or from ~/.config/bayplan (XDG_CONFIG_HOME and "
    "BAYPLAN_CONTEXT\nname another file): lines `connect: HOST:PORT`, `ca: FILE`, `cert: FILE`, `key: FILE`, "
    "`rest: URL`, `token-file: FILE`. An option\nstands above a variable, a variable above the file.";

}  // namespace bayplan::cli
